package generate

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/random"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

func newKind(t types.Type, x call) (kind, error) {
	switch x.name {
	case "sequence":
		return newSequence(t, x.args)
	case "id":
		return newID(t, x.args)
	case "ref":
		return newRef(t, x.args)
	case "uniform":
		return newUniform(t, x.args)
	case "choice":
		return newChoice(t, x.args)
	case "words":
		return newWords(t, x.args)
	case "time":
		return newTime(t, x.args)
	}
	return nil, fmt.Errorf("unknown rule '%s': known are sequence, id(prefix,width), ref(prefix,n), uniform(a,b), choice(x,y,…), words(n), time, repeat(percent), null(percent)", x.name)
}

func notFor(rule string, t types.Type, what string) error {
	return fmt.Errorf("%s makes %s, but the column is %s", rule, what, t)
}

func count(rule, arg string, most uint64) (uint64, error) {
	n, err := strconv.ParseUint(arg, 10, 64)
	if err != nil || n == 0 || n > most {
		return 0, fmt.Errorf("%s: '%s' is not a number from 1 to %d", rule, arg, most)
	}
	return n, nil
}

func newSequence(t types.Type, args []string) (kind, error) {
	from := int64(1)
	if len(args) > 1 {
		return nil, fmt.Errorf("write sequence or sequence(first)")
	}
	if len(args) == 1 {
		var err error
		if from, err = strconv.ParseInt(args[0], 10, 64); err != nil {
			return nil, fmt.Errorf("sequence: '%s' is not a whole number", args[0])
		}
	}
	switch {
	case t.Kind == types.Int || t.Kind == types.Uint:
		lo, width := integers(t)
		return func(v *vector.Vector, _ *random.Source, n uint64, _ int64) { // around again at the end of the type
			v.AppendInt(wrap(from+int64(n), lo, width))
		}, nil
	case t.Kind == types.Double:
		return func(v *vector.Vector, _ *random.Source, n uint64, _ int64) { v.AppendFloat(float64(from + int64(n))) }, nil
	case t.Kind == types.Decimal:
		return func(v *vector.Vector, _ *random.Source, n uint64, _ int64) {
			d, ok := types.Rescale(types.FromInt64(from+int64(n)), 0, t.Scale)
			if !ok || !types.FitsDecimal(d, int(t.Precision)) {
				v.AppendNull()
				return
			}
			v.AppendDec(d)
		}, nil
	case t.Text():
		return func(v *vector.Vector, _ *random.Source, n uint64, _ int64) {
			v.Bytes.Data = strconv.AppendInt(v.Bytes.Data, from+int64(n), 10)
			v.CloseBytes()
		}, nil
	}
	return nil, notFor("sequence", t, "numbers")
}

// integers is the smallest value of an integer type and how many it has, 0 for 2^64.
func integers(t types.Type) (lo int64, width uint64) {
	if t.Kind == types.Uint {
		return 0, types.UintMax(t.Bits) + 1
	}
	lo, hi := types.IntRange(t.Bits)
	return lo, uint64(hi-lo) + 1
}

func wrap(x, lo int64, width uint64) int64 {
	if width == 0 {
		return x
	}
	m := uint64(x-lo) % width
	if x < lo {
		m = (width - uint64(lo-x)%width) % width
	}
	return lo + int64(m)
}

func newID(t types.Type, args []string) (kind, error) {
	if !t.Text() {
		return nil, notFor("id", t, "text")
	}
	if len(args) == 0 || len(args) > 2 {
		return nil, fmt.Errorf("write id(prefix,width)")
	}
	width := uint64(1)
	if len(args) == 2 {
		var err error
		if width, err = count("id", args[1], 20); err != nil {
			return nil, err
		}
	}
	prefix := args[0]
	return func(v *vector.Vector, _ *random.Source, n uint64, _ int64) { appendID(v, prefix, n+1, int(width)) }, nil
}

func appendID(v *vector.Vector, prefix string, n uint64, width int) {
	b := append(v.Bytes.Data, prefix...)
	digits := 1
	for x := n; x >= 10; x /= 10 {
		digits++
	}
	for ; digits < width; digits++ {
		b = append(b, '0')
	}
	v.Bytes.Data = strconv.AppendUint(b, n, 10)
	v.CloseBytes()
}

func newRef(t types.Type, args []string) (kind, error) {
	if !t.Text() {
		return nil, notFor("ref", t, "text")
	}
	if len(args) != 2 {
		return nil, fmt.Errorf("write ref(prefix,n)")
	}
	n, err := count("ref", args[1], math.MaxInt64)
	if err != nil {
		return nil, err
	}
	return refTo(args[0], n), nil
}

func refTo(prefix string, of uint64) kind {
	return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) { appendID(v, prefix, r.Below(of)+1, 1) }
}

func newUniform(t types.Type, args []string) (kind, error) {
	if !t.Numeric() || t.Kind == types.Boolean {
		return nil, notFor("uniform", t, "numbers")
	}
	if len(args) != 2 {
		return nil, fmt.Errorf("write uniform(from,to)")
	}
	ends, err := values(t, args)
	if err != nil {
		return nil, err
	}
	if types.Compare(ends.Value(0), ends.Value(1)) > 0 {
		return nil, fmt.Errorf("uniform: %s is above %s", args[0], args[1])
	}
	switch t.Kind {
	case types.Double:
		a, b := ends.Floats[0], ends.Floats[1]
		return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
			f := a + r.Unit()*(b-a)
			if t.Bits == 32 {
				f = float64(float32(f))
			}
			v.AppendFloat(f)
		}, nil
	case types.Decimal:
		a := ends.Decs[0]
		span, ok := ends.Decs[1].Sub(a)
		steps, fits := span.Int64()
		if !ok || !fits {
			return nil, fmt.Errorf("uniform: %s to %s is too wide for %s", args[0], args[1], t)
		}
		return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
			d, _ := a.Add(types.FromUint64(r.Below(uint64(steps) + 1)))
			v.AppendDec(d)
		}, nil
	}
	return evenly(ends.Ints[0], uint64(ends.Ints[1]-ends.Ints[0])), nil
}

// evenly is one of from…from+steps.
func evenly(from int64, steps uint64) kind {
	return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
		if steps == math.MaxUint64 {
			v.AppendInt(int64(r.Next()))
			return
		}
		v.AppendInt(from + int64(r.Below(steps+1)))
	}
}

func newChoice(t types.Type, args []string) (kind, error) {
	if t.Nested() || t.Physical() == types.PhysNone {
		return nil, notFor("choice", t, "scalars")
	}
	if len(args) == 0 {
		return nil, fmt.Errorf("write choice(x,y,…)")
	}
	of, err := values(t, args)
	if err != nil {
		return nil, err
	}
	return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
		v.AppendFrom(of, int(r.Below(uint64(len(args)))))
	}, nil
}

// values reads texts as values of a type.
func values(t types.Type, texts []string) (*vector.Vector, error) {
	cell, err := format.NewCell(format.Column{Name: "value", Type: t})
	if err != nil {
		return nil, err
	}
	v := vector.New(t, len(texts))
	for _, s := range texts {
		if err := cell.Text(v, []byte(s)); err != nil {
			return nil, fmt.Errorf("'%s' is not a value of %s", s, t)
		}
	}
	return v, nil
}

var lorem = strings.Fields(`lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore et
	dolore magna aliqua enim ad minim veniam quis nostrud exercitation ullamco laboris nisi aliquip ex ea commodo consequat`)

func newWords(t types.Type, args []string) (kind, error) {
	if t.Kind != types.Varchar {
		return nil, notFor("words", t, "text")
	}
	if len(args) != 1 {
		return nil, fmt.Errorf("write words(n)")
	}
	n, err := count("words", args[0], 100_000)
	if err != nil {
		return nil, err
	}
	return func(v *vector.Vector, r *random.Source, _ uint64, _ int64) {
		for i := range n {
			if i > 0 {
				v.Bytes.Data = append(v.Bytes.Data, ' ')
			}
			v.Bytes.Data = append(v.Bytes.Data, lorem[r.Below(uint64(len(lorem)))]...)
		}
		v.CloseBytes()
	}, nil
}

func newTime(t types.Type, args []string) (kind, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("time takes nothing in parentheses")
	}
	var of func(us int64) int64
	switch {
	case t.Kind == types.Timestamp:
		of = func(us int64) int64 { return types.RoundMicros(us, t.Precision) }
	case t.Kind == types.Date:
		of = func(us int64) int64 { return types.FloorDiv(us, types.MicrosPerDay) }
	case t.Kind == types.Time:
		of = func(us int64) int64 {
			return types.RoundMicros(us-types.FloorDiv(us, types.MicrosPerDay)*types.MicrosPerDay, t.Precision)
		}
	case (t.Kind == types.Int || t.Kind == types.Uint) && t.Bits == 64:
		of = func(us int64) int64 { return types.FloorDiv(us, types.MicrosPerMilli) }
	default:
		return nil, notFor("time", t, "TIMESTAMP, DATE, TIME or BIGINT")
	}
	return func(v *vector.Vector, _ *random.Source, _ uint64, us int64) { v.AppendInt(of(us)) }, nil
}
