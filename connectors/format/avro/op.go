package avro

import (
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/sql/types"
)

// op is how a value of one type on the wire becomes a value of one column.
type op uint8

const (
	opImpossible op = iota // a value makes the record bad
	opInt                  // an integer, by the rules of numbers
	opBool
	opFloat
	opDouble
	opText     // text, by the rules of text
	opRaw      // bytes as they are
	opDecimal  // into a DECIMAL
	opMicros   // a date or time into a temporal column
	opSymbol   // an enum's symbol
	opUUID     // 16 bytes as text
	opDigits   // a decimal, by the rules of numbers
	opTime     // a date or time as text
	opJSON     // anything as a JSON document
	opFit      // a document that the column's type has in another form
	opDocument // text that is a JSON document
)

// choose is the op for values of a type in a column. mixed: the type is one of several in a union, and a document keeps which.
func choose(n *node, c *format.Cell, mixed bool) (op, error) {
	if o := chooseNested(n, c, mixed); o != opImpossible {
		return o, nil
	}
	o := opImpossible
	if !c.Type.Nested() {
		o = chooseScalar(n, c.Type)
	}
	if o == opImpossible {
		return o, c.Bad(format.WrongType, "the schema has %s here, which is not a %s%s", n, c.Type, instead(n))
	}
	return o, nil
}

func instead(n *node) string {
	if n.logical == duration {
		return "; declare the column VARBINARY for its 12 bytes"
	}
	return ""
}

func chooseNested(n *node, c *format.Cell, mixed bool) op {
	switch {
	case n.logical == duration:
		return opImpossible
	case c.Type.Nested() && n.kind == text && !mixed:
		return opDocument
	case c.Type.Kind == types.JSON,
		c.Type.Kind == types.Varchar && (n.kind == mapping || n.kind == record || n.kind == array):
		return opJSON
	case c.Type.Kind == types.Array && n.kind == array,
		(c.Type.Kind == types.Map || c.Type.Kind == types.Struct) && (n.kind == mapping || n.kind == record):
		if t, err := n.sqlType(nil); err == nil && t.Equal(c.Type) {
			return opJSON
		}
		return opFit
	}
	return opImpossible
}

func chooseScalar(n *node, t types.Type) op {
	switch n.kind {
	case boolean:
		return only(opBool, t, types.Boolean, types.Varchar)
	case integer:
		return chooseInteger(n, t)
	case float, double:
		if t.Kind == types.Varbinary {
			return opImpossible
		}
		return map[kind]op{float: opFloat, double: opDouble}[n.kind]
	case text:
		return opText
	case enum:
		return opSymbol
	case octets, fixed:
		return chooseBytes(n, t)
	}
	return opImpossible
}

func only(o op, t types.Type, kinds ...types.Kind) op {
	for _, k := range kinds {
		if t.Kind == k {
			return o
		}
	}
	return opImpossible
}

func chooseInteger(n *node, t types.Type) op {
	switch t.Kind {
	case types.Int, types.Uint, types.Double, types.Decimal:
		return opInt
	case types.Varbinary:
		return opImpossible
	}
	switch n.logical {
	case plain:
		return opInt
	case timeMillis, timeMicros:
		if t.Kind == types.Time {
			return opMicros
		}
	default:
		if t.Kind == types.Date || t.Kind == types.Timestamp {
			return opMicros
		}
	}
	return only(opTime, t, types.Varchar)
}

func chooseBytes(n *node, t types.Type) op {
	switch {
	case t.Kind == types.Varbinary:
		return opRaw
	case n.logical == decimal && t.Kind == types.Decimal:
		return opDecimal
	case n.logical == decimal:
		return only(opDigits, t, types.Int, types.Uint, types.Double, types.Varchar)
	case n.logical == uuid:
		return only(opUUID, t, types.Varchar)
	case n.logical == plain:
		return only(opText, t, types.Varchar)
	}
	return opImpossible
}
