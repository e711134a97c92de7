package expr

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// randomPattern is an expression of a few characters with many places that only some text fits.
func randomPattern(r *rand.Rand, depth int) string {
	atom := []string{"a", "b", "ab", "ba=", "^", "$", ".", "[^a]", `\b`, "(?i:B)", `\A`, `\x{FFFD}`, "é", `\Qa`, ""}
	if depth == 0 {
		return atom[r.IntN(len(atom))]
	}
	x, y := randomPattern(r, depth-1), randomPattern(r, depth-1)
	switch r.IntN(8) {
	case 0:
		return "(" + x + "|" + y + ")"
	case 1:
		return "(?:" + x + ")" + []string{"*", "+", "?", "{2}", "{0,2}", "+?"}[r.IntN(6)] + y
	case 2:
		return "(" + x + ")" + y
	case 3:
		return x + "|" + y
	case 4:
		return "(?m)" + x + y
	default:
		return x + y
	}
}

// TestPatternFindsWhatRegexpFinds: with what patterns know beforehand they match what package regexp matches.
func TestPatternFindsWhatRegexpFinds(t *testing.T) {
	split, needy, found := 0, 0, 0
	for seed := range uint64(20_000) {
		r := rand.New(rand.NewPCG(seed, 7))
		text := randomPattern(r, 1+r.IntN(4))
		re, err := regexp.Compile(text)
		p, wrong := newPattern(text)
		if (err == nil) != (wrong == nil) {
			t.Fatalf("%q: %v, want %v", text, wrong, err)
		}
		if err != nil {
			continue
		}
		if p.later != nil {
			split++
		}
		if len(p.needs) > 0 {
			needy++
		}
		for range 10 {
			var s []byte
			for range r.IntN(8) {
				s = append(s, []string{"a", "b", "ab", "ba=", "B", "\n", "\xff", "é", "x"}[r.IntN(9)]...)
			}
			want := re.FindSubmatchIndex(s)
			if want != nil {
				found++
			}
			if got := p.FindSubmatchIndex(s); !slices.Equal(got, want) {
				t.Fatalf("%q in %q: groups at %v, want %v", text, s, got, want)
			}
			if got := p.FindIndex(s); !slices.Equal(got, re.FindIndex(s)) || p.Match(s) != (want != nil) {
				t.Fatalf("%q in %q: found %v, want %v", text, s, got, want)
			}
		}
	}
	if split < 500 || needy < 500 || found < 5000 {
		t.Errorf("of the patterns %d were split and %d need a text; %d matches", split, needy, found)
	}
}

// BenchmarkPattern is what Nexmark's query 21 looks for, in an address that has it and in one that has not.
func BenchmarkPattern(b *testing.B) {
	for _, tail := range []string{"&channel_id=2147483", "item.htm?query=1"} {
		s := []byte("https://www.nexmark.com/" + strings.Repeat("abcd_", 6) + "/item.htm?query=1" + tail)
		for _, text := range []string{"(&|^)channel_id=([^&]*)", "channel_id=([0-9]+)"} {
			b.Run(fmt.Sprintf("%s in %s", text, tail), func(b *testing.B) {
				p, err := newPattern(text)
				if err != nil {
					b.Fatal(err)
				}
				b.ReportAllocs()
				for range b.N {
					p.FindIndex(s)
				}
			})
		}
	}
}
