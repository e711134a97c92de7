package complete

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/parser"
)

// corpus are the statements of the stories and examples that parse.
func corpus(t *testing.T) []string {
	t.Helper()
	var out []string
	for _, pattern := range []string{"../../tests/stories/*.sql", "../../examples/queries/*/*.sql"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %v", pattern, err)
		}
		for _, f := range files {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			statements, _ := parser.Split(string(text))
			for _, s := range statements {
				first := firstWord(s)
				if _, err := parser.Parse("", s); err == nil && slices.Contains(begins, first) && !strings.Contains(s, " RAW (") {
					out = append(out, s)
				}
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

var begins = []string{"SELECT", "WITH", "CREATE", "INSERT", "DROP", "EXPLAIN", "SHOW"}

func firstWord(s string) string {
	for _, t := range parser.Scan(s) {
		if t.Kind == parser.Word {
			return strings.ToUpper(t.Text)
		}
	}
	return ""
}

// aggregates is a world of nothing but a few functions.
func aggregates() World {
	var w World
	for _, n := range strings.Fields("COUNT SUM AVG GROUP_CONCAT ARRAY_AGG MIN MAX") {
		w.Functions = append(w.Functions, FunctionInfo{Name: n, Aggregate: true})
	}
	return w
}

// tail is the end of a long text.
func tail(s string) string { return s[max(0, len(s)-150):] }

// TestNextWord: in what users write, the keyword that comes next is among the proposals. What is rare need not be.
func TestNextWord(t *testing.T) {
	keywords := set(`SELECT FROM WHERE GROUP BY HAVING WINDOW TUMBLING HOPPING SESSION SLIDING CUMULATE EMIT CHANGES FINAL JOIN LEFT RIGHT FULL ON
		USING AND OR IS NULL LIMIT ORDER WITH AS VALUES INTO STREAM TABLE VIEW DISTINCT CASE WHEN THEN ELSE END OVER PARTITION WATERMARK PRIMARY KEY UNION QUALIFY`)
	seen, missed := map[string]int{}, map[string]int{}
	example := map[string]string{}
	w := aggregates()
	for _, s := range corpus(t) {
		toks := parser.Scan(s)
		for i, tok := range toks {
			word := strings.ToUpper(tok.Text)
			if tok.Kind != parser.Word || !keywords[word] || i+1 < len(toks) && toks[i+1].Punct("=") {
				continue
			}
			seen[word]++
			r := At(s, tok.Start, w)
			if !slices.ContainsFunc(r.Candidates, func(c Candidate) bool {
				text := strings.ToUpper(c.Text)
				return text == word || strings.HasPrefix(text, word+" ") || strings.HasPrefix(text, word+"(")
			}) {
				missed[word]++
				example[word] = s[:tok.Start] + "⟨" + s[tok.Start:]
			}
		}
	}
	for word, n := range missed {
		if n*20 > seen[word] {
			t.Errorf("%s is missing %d times of %d:\n%s", word, n, seen[word], example[word])
		}
	}
}

// TestNoNonsense: a proposed keyword is one that the parser goes on from: its error, as the text ends there, is behind the word.
func TestNoNonsense(t *testing.T) {
	bad, all := 0, 0
	w := aggregates()
	for i, s := range corpus(t) {
		if testing.Short() && i%9 != 0 {
			continue
		}
		for _, tok := range parser.Scan(s) {
			r := At(s, tok.Start, w)
			for _, c := range r.Candidates {
				if c.Kind != Keyword && c.Kind != Window {
					continue
				}
				all++
				text := s[:r.Start] + " " + c.Text
				_, err := parser.Parse("", text+" "+closers(text))
				var at *ast.Error
				if errors.As(err, &at) && at.Span.Start == r.Start+1 {
					if bad++; bad <= 25 {
						t.Logf("%q is proposed at the end of\n%s\n%v", c.Text, tail(s[:r.Start]), at.Msg)
					}
				}
			}
		}
	}
	if bad*400 > all {
		t.Errorf("%d of %d proposals are nonsense", bad, all)
	}
}

// closers are the brackets that are open at the end of a text.
func closers(text string) string {
	var open []byte
	for _, t := range parser.Scan(text) {
		switch {
		case t.Punct("("):
			open = append(open, ')')
		case t.Punct("["):
			open = append(open, ']')
		case (t.Punct(")") || t.Punct("]")) && len(open) > 0:
			open = open[:len(open)-1]
		}
	}
	slices.Reverse(open)
	return string(open)
}
