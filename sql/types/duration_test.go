package types

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestDuration(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "0s": 0, "5s": 5_000_000, "500ms": 500_000, "1m30s": 90_000_000, "1.5h": 5_400_000_000, "10 SECONDS": 10_000_000,
		"1d": 86_400_000_000, "1w": 604_800_000_000, "250us": 250, " 2 h ": 7_200_000_000, "1.000001s": 1_000_001,
		"-5s": -5_000_000, "1.5s": 1_500_000, "0.25ms": 250, "0.25m": 15_000_000, "1.50000000000s": 1_500_000, "1m0.5s": 60_500_000, "2 Weeks": 1_209_600_000_000, "3µs": 3,
	} {
		got, err := ParseDuration(in)
		if err != nil || got != want {
			t.Errorf("%q: %d %v, want %d", in, got, err, want)
		}
	}
	for _, in := range []string{"", "5", "s", "5 parsecs", "1..5s", "99999999999999999999s", "9999999999999999w", "5s6", "-", "1.s", ".5s", "0.5us", "1.0000001s", "0.000000001m", "5s -1s", "1.2.3s"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q: %d, want an error", in, got)
		}
	}
}

func TestFormatDuration(t *testing.T) {
	for in, want := range map[int64]string{0: "0s", 90_000_000: "1m30s", 500_000: "500ms", 86_400_000_000: "1d", 1_001: "1ms1us", -5_000_000: "-5s"} {
		if got := FormatDuration(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
		if back, err := ParseDuration(want); err != nil || back != in {
			t.Errorf("%s reads as %d, %v", want, back, err)
		}
	}
}

func TestGoDuration(t *testing.T) {
	if got, err := ParseGoDuration("1.5s"); err != nil || got != 1500*time.Millisecond {
		t.Errorf("1.5s: %v, %v", got, err)
	}
	if got, err := ParseGoDuration("300000d"); err == nil {
		t.Errorf("800 years: %v", got)
	}
}

func TestDurationUnit(t *testing.T) {
	for in, want := range map[string]int64{"ms": 1000, "MS": 1000, "second": 1_000_000, "SECONDS": 1_000_000, "d": 86_400_000_000, "month": 0, "": 0, "mss": 0} {
		if got := DurationUnit(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
}

func TestDurationsReadBack(t *testing.T) {
	for in, want := range map[string]int64{"500ms": 500e3, "10s": 10e6, "1m30s": 90e6, "2h": 7200e6, "1d": 86400e6, "1w": 604800e6, "0": 0, "0s": 0, "-5s": -5e6, "1h2m3s4ms5us": 3723004005} {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "-", "10", "s", "1y", "99999999999999w", "1s-"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q was read as %d", in, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.Int64Range(-1<<50, 1<<50).Draw(t, "d")
		if back, err := ParseDuration(FormatDuration(d)); err != nil || back != d {
			t.Fatalf("%d: %s: %d, %v", d, FormatDuration(d), back, err)
		}
	})
}
