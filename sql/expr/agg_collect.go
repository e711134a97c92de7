package expr

import (
	"errors"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
	"github.com/streamsql-go/streamsql/storage/keys"
)

// bindArray binds JSON_ARRAYAGG, ARRAY_AGG, COLLECT_LIST and COLLECT_SET: all values, NULL too, as an array.
func bindArray(a *Aggregate) error {
	elem := a.Arg[0].Type()
	t := types.TJSON
	if a.Func != "JSON_ARRAYAGG" {
		t = types.Type{Kind: types.Array, Elem: &elem}
	}
	if a.Func == "COLLECT_SET" {
		a.Distinct = true
	}
	return a.lists(t, a.String(), a.Arg, arrayForm)
}

// bindConcat binds GROUP_CONCAT: the texts of its arguments, one row's after the other's. A row with a NULL does not count.
func bindConcat(a *Aggregate) error {
	t, call := types.TVarchar, a.String()
	written := a.Arg
	a.Arg = make([]Expr, len(written))
	for i, x := range written {
		var err error
		if a.Arg[i], err = asText(x); err != nil {
			return err
		}
		if x.Type().Kind == types.Varbinary {
			t = types.TVarbinary
		}
	}
	sep := ","
	if a.Separator != nil {
		sep = *a.Separator
	}
	return a.lists(t, call, written, listForm{sep: sep, value: func(dst []byte, vals []*vector.Vector) []byte {
		for _, v := range vals {
			dst = append(dst, v.Bytes.At(0)...)
		}
		return dst
	}})
}

// lists makes a list its values in order. call and written are the call and its arguments before they were cast.
func (a *Aggregate) lists(t types.Type, call string, written []Expr, form listForm) error {
	c := &collection{call: call, form: form, distinct: a.Distinct, nullable: a.Func != "GROUP_CONCAT"}
	for _, x := range a.Arg {
		c.values = append(c.values, x.Type())
	}
	for _, o := range a.OrderBy {
		if err := scalar(o.Expr); err != nil {
			return fmt.Errorf("ORDER BY %w", err)
		}
		if a.Distinct && !slices.ContainsFunc(written, func(x Expr) bool { return x.String() == o.Expr.String() }) {
			return fmt.Errorf("ORDER BY %s with DISTINCT: one value may come from rows that differ in it; order by %s", o.Expr, joinText(written))
		}
		c.desc = append(c.desc, o.Desc)
	}
	a.keeps(t, c, c)
	return nil
}

// collection lists the values of a group's rows. Its set is a multiset of keys: what ORDER BY gives; event time and origin,
// unless equal values are listed once; the values. The state is empty.
type collection struct {
	call     string
	form     listForm
	values   []types.Type
	desc     []bool // per expression of ORDER BY
	distinct bool
	nullable bool // NULLs are listed
}

func (*collection) Size() int { return 0 }

func (*collection) Init(dst []byte) []byte { return dst }

// key is the key of a row, valid until the next call; ok false: the row does not count.
func (c *collection) key(in *Arguments, row int) (key []byte, ok bool) {
	values, order := in.Vals[:len(c.values)], in.Vals[len(c.values):]
	if !c.nullable {
		for _, v := range values {
			if v.IsNull(row) {
				return nil, false
			}
		}
	}
	k := in.scratch[:0]
	for i, v := range order {
		from := len(k)
		k = keys.Append(k, v, row)
		if c.desc[i] {
			invert(k[from:])
		}
	}
	if !c.distinct {
		k = in.order(k, row)
	}
	in.scratch = keys.AppendRow(k, values, row)
	return in.scratch, true
}

// invert turns the order of keys round: none begins another.
func invert(key []byte) {
	for i := range key {
		key[i] = ^key[i]
	}
}

// Add implements Keeper.
func (c *collection) Add(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key, ok := c.key(in, row)
	if !ok {
		return state, nil
	}
	_, err := increment(set, key)
	return state, err
}

// Merge implements Merger.
func (c *collection) Merge(state []byte, set Set, _ []byte, from Set) ([]byte, error) {
	return state, mergeMultiset(set, from)
}

// Remove implements Remover.
func (c *collection) Remove(state []byte, set Set, in *Arguments, row int) ([]byte, error) {
	key, ok := c.key(in, row)
	if !ok {
		return state, nil
	}
	_, err := decrement(set, key)
	return state, err
}

// Result implements Keeper.
func (c *collection) Result(_ []byte, set Set, out *vector.Vector) (bad, err error) {
	w := newListWriter(c.form, c.values, out)
	err = set.Ascend(nil, func(key, value []byte) (bool, error) {
		key, err := c.valuesOf(key)
		if err != nil {
			return true, err
		}
		times := uint64(1)
		if !c.distinct {
			times = occurrences(value)
		}
		for ; times > 0; times-- {
			if err := w.add(key); err != nil {
				return true, err
			}
		}
		return false, nil
	})
	switch {
	case errors.Is(err, errListTooLong):
		return w.fail(tooLong(c.call)), nil
	case err != nil:
		return nil, w.fail(err)
	}
	return w.close(), nil
}

// valuesOf is the part of a key that holds the values.
func (c *collection) valuesOf(key []byte) ([]byte, error) {
	for _, desc := range c.desc {
		var err error
		if !desc {
			if key, err = keys.Skip(key); err != nil {
				return nil, err
			}
			continue
		}
		plain := slices.Clone(key)
		invert(plain)
		rest, err := keys.Skip(plain)
		if err != nil {
			return nil, err
		}
		key = key[len(key)-len(rest):]
	}
	if c.distinct {
		return key, nil
	}
	return key[min(orderBytes, len(key)):], nil
}
