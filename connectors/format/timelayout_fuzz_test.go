package format

import (
	"bytes"
	"testing"

	"github.com/streamsql-go/streamsql/tests/trial"
)

// No format string and no text makes the reader panic or leave the calendar. A zero byte parts the two.
func FuzzTimeLayout(f *testing.F) {
	trial.Fuzz(f, func(t testing.TB, input []byte) {
		layout, text, _ := bytes.Cut(input, []byte{0})
		l, err := newTimeLayout(string(layout))
		if err != nil {
			return
		}
		const yearZero, year10000 = -62_167_219_200 * second, 253_402_300_800 * second
		if us, err := l.parse(text); err == nil && (us < yearZero || us >= year10000) {
			t.Fatalf("%q by %q is %d", text, layout, us)
		}
	}, "%d.%m.%Y %H:%i:%s\x0014.11.2023 22:13:20", "%W, %D %M %Y %l:%i%p\x00Tuesday, 14th November 2023 12:00am", "%Y/%j %T.%f\x002023/318 22:13:20.5")
}
