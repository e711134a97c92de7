package expr

import "github.com/streamsql-go/streamsql/sql/types"

// Comparison is Left <= Right, Left < Right (Strict), or an equality of the two.
type Comparison struct {
	Left, Right   Expr
	Equal, Strict bool
}

// AsComparison takes a comparison apart; ok false for <> and for what is none.
func AsComparison(e Expr) (c Comparison, ok bool) {
	x, ok := e.(*compare)
	if !ok {
		return Comparison{}, false
	}
	switch x.op {
	case "=":
		return Comparison{Left: x.x, Right: x.y, Equal: true}, true
	case "<", "<=":
		return Comparison{Left: x.x, Right: x.y, Strict: x.op == "<"}, true
	case ">", ">=":
		return Comparison{Left: x.y, Right: x.x, Strict: x.op == ">"}, true
	}
	return Comparison{}, false
}

// AsShifted reads e as base + offset, where base is a timestamp and offset a constant in microseconds: timestamps with
// intervals added and taken away. An e that is no such sum is its own base. ok false: an interval is not constant.
func AsShifted(e Expr) (base Expr, offset int64, ok bool) {
	for {
		switch x := e.(type) {
		case *cast:
			from, to := x.x.Type(), x.Type()
			if from.Kind != types.Timestamp || to.Kind != types.Timestamp || to.Precision < from.Precision {
				return e, offset, true
			}
			e = x.x
		case *call:
			iv, shift := shiftOf(x)
			if !shift {
				return e, offset, true
			}
			us, constant := iv.Micros()
			if !constant {
				return nil, 0, false
			}
			if x.fn.Name == "DATE_SUB" {
				us = -us
			}
			offset += us
			e = x.args[0]
		default:
			return e, offset, true
		}
	}
}

// shiftOf is the interval of timestamp + INTERVAL or timestamp - INTERVAL.
func shiftOf(c *call) (*Interval, bool) {
	if c.fn.Name != "DATE_ADD" && c.fn.Name != "DATE_SUB" || len(c.args) != 2 || c.args[0].Type().Kind != types.Timestamp {
		return nil, false
	}
	iv, ok := c.args[1].(*Interval)
	return iv, ok
}
