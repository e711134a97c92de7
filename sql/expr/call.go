package expr

import (
	"bytes"
	"cmp"
	"errors"
	"unicode/utf8"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// call is a function called row by row: the one adapter for the long tail. Its kernel reads arguments and appends its
// result through row, without a value per row on the heap.
type call struct {
	fn     *Function
	args   []Expr
	typ    types.Type
	kernel func(r *row) error
	nulls  nullMode
}

// nullMode says what a NULL argument does.
type nullMode uint8

const (
	nullInNullOut nullMode = iota // any NULL argument makes the result NULL; the kernel does not see it
	kernelSeesNull
)

// row is one call of a kernel. The kernel appends exactly one value to out, or returns an error.
type row struct {
	fn   *Function
	ctx  *Ctx
	s    *slot
	out  *vector.Vector
	args []operand
	i    int
}

func (r *row) at(arg int) int            { return r.i & r.args[arg].mask }
func (r *row) null(arg int) bool         { return r.args[arg].null(r.i) }
func (r *row) text(arg int) []byte       { return r.args[arg].v.Bytes.At(r.at(arg)) }
func (r *row) int(arg int) int64         { return r.args[arg].v.Ints[r.at(arg)] }
func (r *row) float(arg int) float64     { return r.args[arg].v.Floats[r.at(arg)] }
func (r *row) dec(arg int) types.Int128  { return r.args[arg].v.Decs[r.at(arg)] }
func (r *row) value(arg int) types.Value { return r.args[arg].v.Value(r.at(arg)) }

func (r *row) retNull() error {
	r.out.AppendNull()
	return nil
}

func (r *row) retInt(v int64) error {
	r.out.AppendInt(v)
	return nil
}

func (r *row) retBool(v bool) error {
	r.out.AppendInt(bit(v))
	return nil
}

func (r *row) retText(v []byte) error {
	r.out.AppendBytes(v)
	return nil
}

var errNotUTF8 = errors.New("the bytes are not UTF-8")

// build is where a text result is appended; done ends it.
func (r *row) build() *[]byte { return &r.out.Bytes.Data }

func (r *row) done() error {
	r.out.CloseBytes()
	return nil
}

// doneText is done for bytes from an offset of build, which must be a text.
func (r *row) doneText(from int) error {
	if !utf8.Valid(r.out.Bytes.Data[from:]) {
		return errNotUTF8
	}
	return r.done()
}

func (c *call) Type() types.Type { return c.typ }
func (c *call) Inputs() []Expr   { return c.args }
func (c *call) String() string   { return callText(c.fn.Name, c.args) }
func (c *call) WithInputs(in []Expr) Expr {
	d := *c
	d.args = in
	return &d
}

func (c *call) Eval(ctx *Ctx, b *vector.Batch) *vector.Vector {
	s := ctx.slot(c)
	s.args = s.args[:0]
	for _, a := range c.args {
		s.args = append(s.args, ctx.operand(a, b))
	}
	out := s.empty(c.typ)
	r := s.row
	if r == nil {
		r = &row{}
		s.row = r
	}
	*r = row{fn: c.fn, ctx: ctx, s: s, out: out, args: s.args}
rows:
	for i := range b.N {
		if len(ctx.failed) > 0 && ctx.failed[i] != nil { // an argument could not be computed
			out.AppendNull()
			continue
		}
		if c.nulls == nullInNullOut {
			for _, o := range s.args {
				if o.null(i) {
					out.AppendNull()
					continue rows
				}
			}
		}
		r.i = i
		at := len(out.Bytes.Data)
		if err := c.kernel(r); err != nil {
			out.Bytes.Data = out.Bytes.Data[:at]
			out.AppendNull()
			ctx.Fail(i, err)
		}
	}
	return out
}

// compareRows compares row i of x with row j of y, neither NULL, both of type t.
func compareRows(t types.Type, x *vector.Vector, i int, y *vector.Vector, j int) int {
	switch t.Physical() {
	case types.PhysFloat:
		return types.CompareFloat(x.Floats[i], y.Floats[j])
	case types.PhysDec:
		return x.Decs[i].Cmp(y.Decs[j])
	case types.PhysBytes:
		return bytes.Compare(x.Bytes.At(i), y.Bytes.At(j))
	}
	if t.Kind == types.Uint {
		return cmp.Compare(uint64(x.Ints[i]), uint64(y.Ints[j]))
	}
	return cmp.Compare(x.Ints[i], y.Ints[j])
}

// param converts an argument at bind time.
type param func(Expr) (Expr, error)

// simple binds a function of fixed argument conversions and result type; the last conversion serves all further arguments.
func simple(t types.Type, kernel func(*row) error, params ...param) func(*Function, []Expr) (Expr, error) {
	return bindCall(t, nullInNullOut, kernel, params)
}

// seesNull is simple for a kernel that handles NULL arguments itself.
func seesNull(t types.Type, kernel func(*row) error, params ...param) func(*Function, []Expr) (Expr, error) {
	return bindCall(t, kernelSeesNull, kernel, params)
}

func bindCall(t types.Type, nulls nullMode, kernel func(*row) error, params []param) func(*Function, []Expr) (Expr, error) {
	return func(f *Function, args []Expr) (Expr, error) {
		args, err := convert(args, params)
		if err != nil {
			return nil, err
		}
		if nulls == nullInNullOut {
			for _, a := range args {
				if isNull(a) {
					return NullOf(t), nil
				}
			}
		}
		return &call{fn: f, args: args, typ: t, kernel: kernel, nulls: nulls}, nil
	}
}

func convert(args []Expr, params []param) ([]Expr, error) {
	if len(params) == 0 { // as they are
		return args, nil
	}
	out := make([]Expr, len(args))
	for i, a := range args {
		x, err := params[min(i, len(params)-1)](a)
		if err != nil {
			return nil, err
		}
		out[i] = x
	}
	return out, nil
}

func asInt(x Expr) (Expr, error) {
	if _, err := asNumber(x); err != nil {
		return nil, err
	}
	return coerce(x, types.TBigInt)
}

func asDouble(x Expr) (Expr, error) {
	if _, err := asNumber(x); err != nil {
		return nil, err
	}
	return coerce(x, types.TDouble)
}
