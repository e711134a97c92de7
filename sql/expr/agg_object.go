package expr

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// bindObject binds JSON_OBJECTAGG(name, value): of equal names the value of the last row, by event time and origin. A NULL
// name is an error of its row, as in MySQL.
func bindObject(a *Aggregate) error {
	name, err := asText(a.Arg[0])
	if err != nil {
		return err
	}
	a.Arg[0] = &required{name, "JSON_OBJECTAGG: a name is NULL; leave such rows out with FILTER (WHERE … IS NOT NULL)"}
	o := &object{call: a.String(), members: []types.Type{name.Type(), a.Arg[1].Type()}}
	a.keeps(types.TJSON, latest{o}, o)
	return nil
}

// required is an expression that must not be NULL.
type required struct {
	x    Expr
	text string // of the error
}

func (r *required) Type() types.Type { return r.x.Type() }
func (r *required) Inputs() []Expr   { return []Expr{r.x} }
func (r *required) String() string   { return r.x.String() }
func (r *required) WithInputs(in []Expr) Expr {
	return &required{in[0], r.text}
}

func (r *required) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	v := r.x.Eval(ctx, b)
	for i, null := range v.Nulls {
		if null {
			ctx.Fail(i, errors.New(r.text))
		}
	}
	return v
}

// memberForm writes the two values of an entry as a member.
var memberForm = listForm{"{", ",", "}", func(dst []byte, vals []*vector.Vector) []byte {
	return appendJSONValue(append(appendJSONString(dst, vals[0].Bytes.At(0)), ':'), vals[1], 0)
}}

// object is JSON_OBJECTAGG. Its set is a multiset of keys: name; event time and origin; value. Members are in byte order of
// their names. The state is empty.
type object struct {
	call    string
	members []types.Type
}

func (*object) Size() int { return 0 }

func (*object) Init(dst []byte) []byte { return dst }

func (*object) key(in *Arguments, row int) []byte {
	k := in.order(keys.Append(in.scratch[:0], in.Vals[0], row), row)
	in.scratch = keys.Append(k, in.Vals[1], row)
	return in.scratch
}

// Add implements Keeper.
func (o *object) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	_, err := increment(set, o.key(in, row))
	return state, err
}

// Remove implements Remover.
func (o *object) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	_, err := decrement(set, o.key(in, row))
	return state, err
}

// Result implements Keeper. It looks for the last entry of each name, however many a name has.
func (o *object) Result(_ []byte, set Set, out *vector.Vector) (bad, err error) {
	w := newListWriter(memberForm, o.members, out)
	var name, member, from []byte
	for {
		if name, err = firstName(set, from, name[:0]); err != nil || len(name) == 0 {
			return o.end(w, err)
		}
		from = append(from[:0], name...)
		from[len(from)-1]++ // behind all entries of the name, which ends with a zero byte
		err = set.Descend(from, func(key, _ []byte) (bool, error) {
			if len(key) < len(name)+orderBytes {
				return true, keys.ErrCorrupt
			}
			member = append(append(member[:0], name...), key[len(name)+orderBytes:]...)
			return true, nil
		})
		if err == nil {
			err = w.add(member)
		}
		if err != nil {
			return o.end(w, err)
		}
	}
}

// firstName appends the name of the first entry from a key on; nothing when there is none.
func firstName(set Set, from, dst []byte) ([]byte, error) {
	err := set.Ascend(from, func(key, _ []byte) (bool, error) {
		rest, err := keys.Skip(key)
		dst = append(dst, key[:len(key)-len(rest)]...)
		return true, err
	})
	return dst, err
}

func (o *object) end(w *listWriter, err error) (bad, fatal error) {
	switch {
	case errors.Is(err, errListTooLong):
		return w.fail(tooLong(o.call)), nil
	case err != nil:
		return nil, w.fail(err)
	}
	return w.close(), nil
}

// latest is object where rows stay: its set holds for each name the last event time, origin and value.
type latest struct{ *object }

// Add implements Keeper.
func (l latest) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key := l.key(in, row)
	rest, err := keys.Skip(key)
	if err != nil {
		return state, err
	}
	return state, l.put(set, key[:len(key)-len(rest)], rest)
}

// put makes a value that of its name, unless a later one is.
func (l latest) put(set Set, name, value []byte) error {
	if have, ok, err := set.Get(name); err != nil || ok && bytes.Compare(have, value) >= 0 {
		return err
	}
	return set.Put(name, value)
}

// Merge implements Merger.
func (l latest) Merge(state []byte, set Set, _ []byte, from Set) ([]byte, error) {
	var own []byte // what a set hands out is valid until its next call
	return state, from.Ascend(nil, func(name, value []byte) (bool, error) {
		own = append(own[:0], value...)
		return false, l.put(set, name, own)
	})
}

// Result implements Keeper.
func (l latest) Result(_ []byte, set Set, out *vector.Vector) (bad, err error) {
	w := newListWriter(memberForm, l.members, out)
	var member []byte
	err = set.Ascend(nil, func(name, value []byte) (bool, error) {
		if len(value) < orderBytes {
			return true, fmt.Errorf("%w: a member without its time", keys.ErrCorrupt)
		}
		member = append(append(member[:0], name...), value[orderBytes:]...)
		return false, w.add(member)
	})
	return l.end(w, err)
}
