package expr

import (
	"math"

	"github.com/streamsql-go/streamsql/sql/types"
)

func trigonometryFunctions() []Function {
	list := []Function{
		angle("SIN", "Sine of an angle in radians.", "SIN(0)", "0", math.Sin),
		angle("COS", "Cosine of an angle in radians.", "COS(0)", "1", math.Cos),
		angle("TAN", "Tangent of an angle in radians.", "TAN(0)", "0", math.Tan),
		angle("COT", "Cotangent of an angle in radians; fails at 0.", "ROUND(COT(12), 8)", "-1.57267341", func(x float64) float64 { return 1 / math.Tan(x) }),
		angle("ASIN", "Arc sine; NULL outside -1 to 1.", "ROUND(ASIN(1), 6)", "1.570796", math.Asin),
		angle("ACOS", "Arc cosine; NULL outside -1 to 1.", "ACOS(1)", "0", math.Acos),
		angle("DEGREES", "Radians as degrees.", "DEGREES(PI())", "180", func(x float64) float64 { return x * (180 / math.Pi) }),
		angle("RADIANS", "Degrees as radians.", "ROUND(RADIANS(180), 6)", "3.141593", func(x float64) float64 { return x * (math.Pi / 180) }),
	}
	atan := Function{Name: "ATAN", Min: 1, Max: 2, Signature: "ATAN(x) -> DOUBLE", Doc: "Arc tangent. ATAN(y, x) is the angle of the point (x, y).",
		Example: "ROUND(ATAN(1), 6)", Result: "0.785398", bind: simple(types.TDouble, func(r *row) error {
			if len(r.args) == 2 {
				return retFinite(r, math.Atan2(r.float(0), r.float(1)))
			}
			return retFinite(r, math.Atan(r.float(0)))
		}, asDouble)}
	atan2 := atan
	atan2.Name, atan2.Min, atan2.Signature = "ATAN2", 2, "ATAN2(y, x) -> DOUBLE"
	atan2.Doc, atan2.Example, atan2.Result = "The angle of the point (x, y) in radians.", "ROUND(ATAN2(-2, 2), 6)", "-0.785398"
	return family("number", append(list, atan, atan2))
}

func angle(name, doc, example, result string, f func(float64) float64) Function {
	return Function{Name: name, Min: 1, Max: 1, Signature: name + "(x) -> DOUBLE", Doc: doc, Example: example, Result: result,
		bind: simple(types.TDouble, func(r *row) error {
			y := f(r.float(0))
			if math.IsNaN(y) {
				return r.retNull()
			}
			return retFinite(r, y)
		}, asDouble)}
}
