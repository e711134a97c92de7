package grammar

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/tests/story"
	"github.com/streamsql-go/streamsql/tests/trial"
)

// word is what a change moves about: a string, a comment, a name, a number, an operator, or blanks.
var word = regexp.MustCompile("(?s)--@[^\n]*\n|--[^\n]*|/\\*.*?\\*/|'(?:[^'\\\\]|''|\\\\.)*'|`[^`]*`|[\\p{L}_][\\p{L}\\p{N}_]*|\\p{N}+(?:\\.\\p{N}+)?|\\s+|<=>|<=|>=|<>|->>|->|\\|\\||.")

// played is the part of a story that only a test file has.
var played = regexp.MustCompile(`(?ms)^(?:ASSERT|CRASH|RESTART|ADVANCE|INSERT INTO \w+ (?:RAW |\([^)]*\) VALUES)).*?;$`)

// specimens are texts that are right: the examples and the stories, each story by itself.
func specimens(t testing.TB) (scripts []string, vocabulary []string) {
	t.Helper()
	read := func(file string) string {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	glob := func(pattern string) []string {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		return files
	}
	const nexmark = "../../examples/queries/nexmark/"
	for _, f := range glob("../../examples/queries/*.sql") {
		scripts = append(scripts, read(f))
	}
	for _, f := range glob(nexmark + "q*.sql") {
		scripts = append(scripts, read(nexmark+"kafka.sql")+read(f))
	}
	for _, f := range glob("../stories/*.sql") {
		_, rest, _ := strings.Cut(read(f), "--@test:")
		for _, s := range strings.Split(rest, "\n--@test:") {
			scripts = append(scripts, "--@test:"+s)
		}
	}
	seen := map[string]bool{}
	for _, s := range scripts {
		for _, w := range word.FindAllString(s, -1) {
			if !seen[w] && strings.TrimSpace(w) != "" && !strings.HasPrefix(w, "--") {
				seen[w] = true
				vocabulary = append(vocabulary, w)
			}
		}
	}
	return scripts, vocabulary
}

// class tells what may stand for a word without breaking the grammar.
func class(w string) string {
	switch c := w[0]; {
	case c >= '0' && c <= '9':
		return "number"
	case c == '\'':
		return "text"
	case c == '`' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z':
		return "name"
	}
	return "sign"
}

// mutant changes one or two words of a text, mostly for others of their class.
func (r random) mutant(text string, vocabulary []string) string {
	words := word.FindAllString(text, -1)
	place := func() int { // of something that can be changed
		for {
			if i := r.Intn(len(words)); strings.TrimSpace(words[i]) != "" && !strings.HasPrefix(words[i], "--") {
				return i
			}
		}
	}
	alike := func(i int) int {
		for range 50 {
			if j := place(); class(words[i]) == class(words[j]) {
				return j
			}
		}
		return i
	}
	for range 1 + r.Intn(2) {
		i, j := place(), place()
		switch r.Intn(12) {
		case 0:
			words[i] = " "
		case 1:
			words[i] += " " + words[i]
		case 2:
			words[i], words[j] = words[j], words[i]
		case 3:
			words[i] = words[j]
		case 4:
			words[i] = oneOf(r, vocabulary...)
		case 5:
			words[i] += " " + oneOf(r, vocabulary...) + " "
		default:
			words[i] = words[alike(i)]
		}
	}
	return strings.Join(words, "")
}

// TestMutants: whatever is changed in the examples and the stories, the parser and the planner answer with plans or with errors that
// have a place, and never panic. MUTANTS_RUNS (5,000) is how many are tried, MUTANTS_SEED the first seed.
func TestMutants(t *testing.T) {
	scripts, vocabulary := specimens(t)
	for i, s := range scripts {
		scripts[i] = played.ReplaceAllString(s, "")
	}
	var planned atomic.Int64
	runs := trial.Seeds(t, "MUTANTS", 5000, func(seed int64) string {
		r := random{rand.New(rand.NewSource(seed))}
		all, why := check(r.mutant(oneOf(r, scripts...), vocabulary))
		if all {
			planned.Add(1)
		}
		return why
	})
	if planned.Load() < runs/20 {
		t.Errorf("%d of %d were planned: the changes break too much", planned.Load(), runs)
	}
}

// check plans a text, and says whether all of it could be and what is wrong with how it was refused.
func check(text string) (planned bool, why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("panics: %v\n%s\n%s", p, text, debug.Stack())
		}
	}()
	_, errs := streamsql.Explain("mutant.sql", text, "app", nil)
	for _, e := range errs {
		switch {
		case e.Msg == "" || e.Span.Start < 0 || e.Span.Start > e.Span.End || e.Span.End > len(text):
			why = fmt.Sprintf("error %q at %v of %d bytes\n%s", e.Msg, e.Span, len(text), text)
		case strings.Contains(e.Msg, "internal error"):
			why = fmt.Sprintf("%v\n%s", e, text)
		}
	}
	return len(errs) == 0, why
}

// TestMutantStories runs changed stories that can be planned: no operator panics over what the planner lets through, and every query
// comes to rest. What they assert need not hold any more. STORIES_RUNS (1,000) is how many are tried, STORIES_SEED the first seed.
func TestMutantStories(t *testing.T) {
	scripts, vocabulary := specimens(t)
	trial.Seeds(t, "STORIES", 1000, func(seed int64) string {
		r := random{rand.New(rand.NewSource(seed))}
		original := oneOf(r, scripts...)
		if !strings.HasPrefix(original, "--@test:") || len(original) > 4000 || strings.Contains(original, "ADVANCE TIME") {
			return "" // the clock could be sent far away
		}
		return runMutant(manyPartitions.ReplaceAllString(r.mutant(original, vocabulary), "partitions=7"))
	})
}

// manyPartitions would take long for nothing: each has tasks.
var manyPartitions = regexp.MustCompile(`partitions\s*=\s*\d\d+`)

func runMutant(text string) (why string) {
	defer func() {
		if p := recover(); p != nil {
			why = fmt.Sprintf("panics: %v\n%s\n%s", p, text, debug.Stack())
		}
	}()
	report, err := story.Run(context.Background(), "mutant.sql", text, []story.Regime{story.Plain()})
	if err != nil {
		return "" // of a directive
	}
	for _, r := range report.Failed() {
		for _, bad := range []string{"does not come to rest", "internal error"} {
			if strings.Contains(r.Failure, bad) {
				why = r.Failure + "\n" + text
			}
		}
	}
	return why
}

// FuzzPlan: no text makes the parser or the planner panic.
func FuzzPlan(f *testing.F) {
	scripts, _ := specimens(f)
	trial.Fuzz(f, func(t testing.TB, text []byte) {
		_, errs := streamsql.Explain("fuzz.sql", string(text), "app", nil)
		for _, e := range errs {
			if e.Msg == "" || e.Error() == "" {
				t.Fatalf("error without a message at %v", e.Span)
			}
		}
	}, scripts...)
}
