package format

import "github.com/streamsql-go/streamsql/sql/types"

// Reads says whether values of one type may be read into a column of another, by the rules of Cell: whether there are values
// that can. JSON, which is what a schema's unions of several types are, may hold anything.
func Reads(from, to types.Type) bool {
	if from.Kind == types.JSON || to.Kind == types.JSON || from.Kind == to.Kind {
		return !from.Nested() || !to.Nested() || sameInside(from, to)
	}
	switch from.Kind {
	case types.Boolean:
		return to.Kind == types.Varchar
	case types.Int, types.Uint, types.Decimal, types.Double:
		return to.Numeric() && to.Kind != types.Boolean || to.Kind == types.Varchar || from.Kind != types.Decimal && (to.Kind == types.Boolean || to.Temporal())
	case types.Varchar:
		return true // its text may be a number, a time, a document
	case types.Varbinary:
		return to.Kind == types.Varchar
	case types.Date, types.Timestamp:
		return to.Kind == types.Date || to.Kind == types.Timestamp || to.Kind == types.Varchar || to.Kind == types.Int || to.Kind == types.Uint
	case types.Time:
		return to.Kind == types.Varchar || to.Kind == types.Int || to.Kind == types.Uint
	case types.Array:
		return to.Kind == types.Varchar
	case types.Map, types.Struct:
		return to.Kind == types.Map || to.Kind == types.Struct || to.Kind == types.Varchar
	}
	return false
}

// sameInside holds the fields of a STRUCT against those of another; of other nested types nothing is held.
func sameInside(from, to types.Type) bool {
	if from.Kind != types.Struct || to.Kind != types.Struct {
		return true
	}
	for _, want := range to.Fields {
		for _, have := range from.Fields {
			if have.Name == want.Name && !Reads(have.Type, want.Type) {
				return false
			}
		}
	}
	return true
}
