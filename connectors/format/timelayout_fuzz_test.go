package format

import "testing"

// No format string and no text makes the reader panic or leave the calendar.
func FuzzTimeLayout(f *testing.F) {
	f.Add("%d.%m.%Y %H:%i:%s", []byte("14.11.2023 22:13:20"))
	f.Add("%W, %D %M %Y %l:%i%p", []byte("Tuesday, 14th November 2023 12:00am"))
	f.Add("%Y/%j %T.%f", []byte("2023/318 22:13:20.5"))
	f.Fuzz(func(t *testing.T, layout string, text []byte) {
		l, err := newTimeLayout(layout)
		if err != nil {
			return
		}
		const yearZero, year10000 = -62_167_219_200 * second, 253_402_300_800 * second
		if us, err := l.parse(text); err == nil && (us < yearZero || us >= year10000) {
			t.Fatalf("%q by %q is %d", text, layout, us)
		}
	})
}
