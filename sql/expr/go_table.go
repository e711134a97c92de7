package expr

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// GoTable is a Go function that makes rows of one.
type GoTable struct {
	Name string // as SQL spells it
	Doc  string // one line
	// Func is the function: func(…) R or func(…) (R, error), with the parameters of a GoFunction. R is []T, iter.Seq[T] or iter.Seq2[T, error]. T is a structure,
	// whose fields are columns, or any other Go type with a SQL type: one column. A []Value is a row of the columns that Row names.
	Func any
	// Params are SQL types where those that follow from the Go types are not meant; Row is the type of a row, a STRUCT of several columns. nil: those.
	Params []types.Type
	Row    *types.Type
	// Changes says that the same arguments may give other rows.
	Changes bool
}

// maxYield bounds the rows that a table function makes of one: they are in memory together, and a sequence may be endless.
const maxYield = 1 << 20

// AddTable adds a table function. Errors: as those of AddFunction.
func (l *Library) AddTable(g GoTable) error {
	f, err := newGoTable(g)
	if err != nil {
		return fmt.Errorf("table function %s: %w", g.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.free(f.Name); err != nil {
		return err
	}
	if l.tables == nil {
		l.tables = map[string]*Function{}
	}
	l.tables[f.Name] = f
	return nil
}

// goTable is how a table function is called and what its rows are.
type goTable struct {
	goCall
	columns []types.Field // with an empty name where it is the only one
	row     reflect.Type
	fields  []int // of row, which is a structure: those that are columns
}

var goRow = reflect.TypeFor[[]types.Value]()

func newGoTable(g GoTable) (*Function, error) {
	t := &goTable{goCall: goCall{name: strings.ToUpper(g.Name), fn: reflect.ValueOf(g.Func)}}
	if !t.fn.IsValid() || t.fn.Kind() != reflect.Func || t.fn.IsNil() {
		return nil, fmt.Errorf("%T is not a function", g.Func)
	}
	if err := t.takes(g.Params); err != nil {
		return nil, err
	}
	if n := t.fn.Type().NumOut(); n != 1 && !t.failing {
		return nil, fmt.Errorf("it returns %d values: return rows, or rows and an error", n)
	}
	var ok bool
	if t.row, ok = rowOf(t.fn.Type().Out(0)); !ok {
		return nil, fmt.Errorf("it returns %s: return a slice, an iter.Seq[T] or an iter.Seq2[T, error] of rows", t.fn.Type().Out(0))
	}
	typ, err := t.rowType(g.Row)
	if err != nil {
		return nil, fmt.Errorf("rows: %w", err)
	}
	f := t.function(g.Doc, "TABLE("+columnList(t.columns)+")", g.Changes)
	f.table = t
	f.bind = func(f *Function, args []Expr) (Expr, error) {
		cast, err := t.casts(f, args)
		return &call{fn: f, args: cast, typ: arrayOf(typ), kernel: noValue}, err
	}
	return f, nil
}

// noValue is the kernel of a table function, which has rows: it is evaluated by tableRows.
func noValue(r *row) error { return fmt.Errorf("%s is a table function: it stands in FROM", r.fn.Name) }

// rowOf is the type of the rows that a result of a Go type holds.
func rowOf(t reflect.Type) (reflect.Type, bool) {
	if t.Kind() == reflect.Slice {
		return t.Elem(), true
	}
	if !t.CanSeq2() || t.Kind() != reflect.Func {
		ok := t.Kind() == reflect.Func && t.CanSeq()
		if !ok || t.In(0).NumIn() != 1 {
			return nil, false
		}
		return t.In(0).In(0), true
	}
	return t.In(0).In(0), t.In(0).In(1) == goError
}

// rowType is the type of a row: what a signature says, or what follows from the Go type. It sets the columns.
func (t *goTable) rowType(given *types.Type) (types.Type, error) {
	if t.row == goRow {
		if given == nil || given.Kind != types.Struct {
			return types.Type{}, fmt.Errorf("[]Value does not say which columns it has: give a signature that ends in -> STRUCT<name type, …>")
		}
		t.columns = given.Fields
		return *given, nil
	}
	var typ types.Type
	var err error
	if given != nil {
		typ, err = *given, holds(t.row, *given)
	} else {
		typ, err = goType(t.row)
	}
	if err != nil {
		return typ, err
	}
	t.columns = []types.Field{{Type: typ}}
	if typ.Kind == types.Struct {
		t.columns, t.fields = typ.Fields, columnFields(deref(t.row))
	}
	return typ, nil
}

func deref(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

func columnList(columns []types.Field) string {
	var out []string
	for _, c := range columns {
		out = append(out, strings.TrimSpace(c.Name+" "+c.Type.String()))
	}
	return strings.Join(out, ", ")
}

// tableRows evaluates the call of a table function. It belongs to one goroutine.
type tableRows struct {
	table *goTable
	args  []Expr
	ops   []operand
	rows  []int32
	cols  []*vector.Vector
}

func newTableRows(c *call) *tableRows {
	t := &tableRows{table: c.fn.table, args: c.args}
	for _, f := range t.table.columns {
		t.cols = append(t.cols, vector.New(f.Type, 0))
	}
	return t
}

// Eval calls the function for each row. A NULL where it takes none has no rows, without a call.
func (t *tableRows) Eval(ctx *Ctx, b *vector.Batch) ([]int32, []*vector.Vector) {
	t.ops, t.rows = t.ops[:0], t.rows[:0]
	for _, a := range t.args {
		t.ops = append(t.ops, ctx.operand(a, b))
	}
	for _, c := range t.cols {
		c.Reset()
	}
	for i := range b.N {
		if ctx.failed[i] != nil || t.withoutCall(i) {
			continue
		}
		if err := t.call(i); err != nil {
			ctx.Fail(i, err)
		}
	}
	return t.rows, t.cols
}

func (t *tableRows) withoutCall(i int) bool {
	for k, o := range t.ops {
		if o.null(i) && !t.table.input(k).nullable {
			return true
		}
	}
	return false
}

// call appends the rows for row i. Those before an error are left: whoever reads them leaves out the rows of one that failed.
func (t *tableRows) call(i int) (err error) {
	in, err := t.table.arguments(t.ops, i)
	if err != nil {
		return err
	}
	result, err := t.table.invoke(in)
	if err != nil {
		return err
	}
	if result.Kind() == reflect.Slice {
		for k := range min(result.Len(), maxYield+1) {
			if err := t.append(i, k, result.Index(k)); err != nil {
				return err
			}
		}
		return nil
	}
	if result.IsNil() {
		return nil
	}
	defer recovered(t.table.name, &err) // the body of a sequence runs while it is read
	if result.Type().CanSeq2() {
		return t.pairs(i, result)
	}
	n := 0
	for x := range result.Seq() {
		if err := t.append(i, n, x); err != nil {
			return err
		}
		n++
	}
	return nil
}

// pairs reads a sequence of rows and errors.
func (t *tableRows) pairs(i int, result reflect.Value) error {
	n := 0
	for x, failed := range result.Seq2() {
		if err, _ := failed.Interface().(error); err != nil {
			return err
		}
		if err := t.append(i, n, x); err != nil {
			return err
		}
		n++
	}
	return nil
}

// append appends row number n of row i. All columns stay of one length, whatever fails.
func (t *tableRows) append(i, n int, x reflect.Value) error {
	if n >= maxYield {
		return fmt.Errorf("%s makes more than %d rows of one", t.table.name, maxYield)
	}
	t.rows = append(t.rows, int32(i))
	if x.Kind() == reflect.Pointer && t.table.fields != nil {
		if x.IsNil() {
			for _, c := range t.cols {
				c.AppendNull()
			}
			return nil
		}
		x = x.Elem()
	}
	var failed error
	for k, c := range t.cols {
		err := t.column(c, x, k)
		if err != nil {
			c.AppendNull()
			failed = fmt.Errorf("%s, column %d: %w", t.table.name, k+1, err)
		}
	}
	return failed
}

func (t *tableRows) column(out *vector.Vector, x reflect.Value, k int) error {
	switch {
	case t.table.row == goRow:
		if x.Len() != len(t.cols) {
			return fmt.Errorf("a row of %d values for %d columns", x.Len(), len(t.cols))
		}
		return appendValue(out, x.Index(k).Interface().(types.Value))
	case t.table.fields != nil:
		x = x.Field(t.table.fields[k])
	}
	return appendGo(out, x)
}
