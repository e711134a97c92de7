package generate

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// kind appends one value: of row n, whose event time is us, with r at the start of that row's own random numbers.
type kind func(v *vector.Vector, r *random.Source, n uint64, us int64)

// rule is a kind and what stood after it.
type rule struct {
	kind   kind
	repeat float64       // percent
	window uint64        // of how many rows before
	null   float64       // percent
	random random.Source // of the row at hand: here, so that it need not be allocated
}

const recentRows = 1000

func (u *rule) append(v *vector.Vector, seed, n uint64, us int64) {
	r := random.New(seed, n)
	if u.null > 0 && r.Percent(u.null) {
		v.AppendNull()
		return
	}
	if u.repeat > 0 {
		n, r = u.original(seed, n, r)
	}
	u.random = r
	u.kind(v, &u.random, n, us)
}

// original is the row whose value row n has: itself, or the one it repeats, which may repeat another.
func (u *rule) original(seed, n uint64, r random.Source) (uint64, random.Source) {
	for n > 0 && r.Percent(u.repeat) {
		n -= 1 + r.Below(min(u.window, n))
		r = random.New(seed, n)
		if u.null > 0 {
			r.Next() // the draw for null comes first; a row that is NULL is repeated as what it hides
		}
	}
	return n, r
}

// call is name(args).
type call struct {
	name string
	args []string
}

// parseCalls reads "name(a, b) name(c)".
func parseCalls(text string) ([]call, error) {
	var calls []call
	for text = strings.TrimSpace(text); text != ""; text = strings.TrimSpace(text) {
		i := strings.IndexAny(text, " (")
		if i < 0 {
			return append(calls, call{name: strings.ToLower(text)}), nil
		}
		c := call{name: strings.ToLower(text[:i])}
		text = strings.TrimLeft(text[i:], " ")
		if strings.HasPrefix(text, "(") {
			args, rest, ok := strings.Cut(text[1:], ")")
			if !ok {
				return nil, errors.New("a ')' is missing")
			}
			for _, a := range strings.Split(args, ",") {
				c.args = append(c.args, strings.TrimSpace(a))
			}
			text = rest
		}
		calls = append(calls, c)
	}
	return calls, nil
}

// newRule reads a column's rule; "by type" and "" are the default.
func newRule(c types.Column, text string, keys int64) (rule, error) {
	var calls []call
	if text != "by type" {
		var err error
		if calls, err = parseCalls(text); err != nil {
			return rule{}, err
		}
	}
	var u rule
	for _, x := range calls {
		switch x.name {
		case "repeat", "null":
			if err := u.modify(x); err != nil {
				return u, err
			}
			continue
		}
		if u.kind != nil {
			return u, fmt.Errorf("'%s' cannot follow another rule: only repeat(percent) and null(percent) can", x.name)
		}
		var err error
		if u.kind, err = newKind(c.Type, x); err != nil {
			return u, err
		}
	}
	if u.kind != nil {
		return u, nil
	}
	var err error
	u.kind, err = defaultKind(c, keys)
	return u, err
}

func (u *rule) modify(x call) error {
	if len(x.args) == 0 || len(x.args) > 1 && x.name == "null" || len(x.args) > 2 {
		return fmt.Errorf("write %s(percent)", x.name)
	}
	p, err := strconv.ParseFloat(x.args[0], 64)
	if err != nil || !(p >= 0 && p < 100) {
		return fmt.Errorf("%s(%s): a percentage from 0 to below 100 is wanted", x.name, x.args[0])
	}
	if x.name == "null" {
		u.null = p
		return nil
	}
	u.repeat, u.window = p, recentRows
	if len(x.args) == 2 {
		if u.window, err = strconv.ParseUint(x.args[1], 10, 32); err != nil || u.window == 0 {
			return fmt.Errorf("repeat(%s,%s): a number of rows from 1 is wanted", x.args[0], x.args[1])
		}
	}
	return nil
}
