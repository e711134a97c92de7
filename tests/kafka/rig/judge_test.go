package rig

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// firsts are the rows a right deduplication of ms has.
func firsts(ms []Message) (out []Record) {
	seen := map[[2]int]bool{}
	for i, m := range ms {
		k := [2]int{int(m.ID), Window(i)}
		if !seen[k] {
			seen[k] = true
			out = append(out, m.Record("o", i))
		}
	}
	return out
}

func judge(j *Judge, rows []Record) string {
	for _, r := range rows {
		j.Take(r)
	}
	if err := j.Err(); err != nil {
		return err.Error()
	}
	return ""
}

func TestDedupJudge(t *testing.T) {
	ms := Messages(PerWindow+1000, 1)
	if repeats := len(ms) - len(firsts(ms)); repeats < 9_000 || repeats > 11_000 {
		t.Fatalf("%d repeats among %d messages, want about a tenth", repeats, len(ms))
	}
	for name, c := range map[string]struct {
		change func([]Record) []Record
		want   string
	}{
		"right":    {func(r []Record) []Record { return r }, ""},
		"missing":  {func(r []Record) []Record { return r[1:] }, "1 missing, 0 wrong, 0 repeated; the first missing one is m-000000000000 in window 0"},
		"repeated": {func(r []Record) []Record { return append(r, r[7]) }, "0 missing, 0 wrong, 1 repeated"},
		"another time": {func(r []Record) []Record {
			r[3].Time = r[3].Time.Add(time.Millisecond)
			return r
		}, "1 missing, 1 wrong, 0 repeated"},
		"another value": {func(r []Record) []Record {
			r[3].Value = bytes.Replace(r[3].Value, []byte("Lorem"), []byte("lorem"), 1)
			return r
		}, "1 missing, 1 wrong, 0 repeated"},
		"not JSON": {func(r []Record) []Record { return append(r, Record{Value: []byte("x")}) }, "0 missing, 1 wrong, 0 repeated"},
	} {
		if got := judge(Dedup(ms), c.change(firsts(ms))); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestDedupJudgeFreedom: which of equal records passes is free.
func TestDedupJudgeFreedom(t *testing.T) {
	ms := []Message{{ID: 1, User: 1}, {ID: 1, User: 2}}
	for seq := range ms {
		if got := judge(Dedup(ms), []Record{ms[seq].Record("o", seq)}); got != "" {
			t.Error(seq, got)
		}
	}
}

func TestCountJudge(t *testing.T) {
	ms := []Message{{User: 5, Cents: 150}, {User: 5, Cents: 5}}
	end := Base.Add(10*time.Second - time.Millisecond)
	for value, want := range map[string]string{
		`{"user_id":5,"n":2,"total":1.55}`:   "",
		`{"user_id":5,"n":2,"total":"1.55"}`: "",
		`{"user_id":5,"n":1,"total":1.55}`:   "1 wrong",
		`{"user_id":5,"n":2,"total":1.5}`:    "1 wrong",
		`{"user_id":6,"n":2,"total":1.55}`:   "1 wrong",
	} {
		if got := judge(Count(ms), []Record{{Value: []byte(value), Time: end}}); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
	if got := judge(Count(ms), []Record{{Value: []byte(`{"user_id":5,"n":2,"total":1.55}`), Time: end.Add(time.Millisecond)}}); !strings.Contains(got, "1 wrong") {
		t.Errorf("another window: %q", got)
	}
}

func TestJoinJudge(t *testing.T) {
	ops := []Operation{{Context: 1, Kind: 0}, {Context: 2, Kind: 3}} // the second one is a noop
	version := func(seq int) Context { return Context{ID: int(ops[seq].Context), Version: 20} }
	for value, want := range map[string]string{
		`{"op_id":"o-0000000000","kind":"view","owner":"owner-20","region":"eu-3"}`: "",
		`{"op_id":"o-0000000000","kind":"view","owner":"owner-19","region":"eu-2"}`: "1 wrong",
		`{"op_id":"o-0000000000","kind":"cart","owner":"owner-20","region":"eu-3"}`: "1 wrong",
		`{"op_id":"o-0000000001","kind":"noop","owner":"owner-20","region":"eu-3"}`: "1 wrong",
	} {
		if got := judge(Join(ops, version), []Record{{Value: []byte(value)}}); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}

func TestFilterJudge(t *testing.T) {
	ms := []Message{{ID: 3, User: 4, Cents: 1234, Kind: 1}, {Kind: 3}}
	for value, want := range map[string]string{
		`{"message_id":"m-000000000003","user_id":4,"amount":12.34,"seq":0}`: "",
		`{"message_id":"m-000000000003","user_id":4,"amount":12.35,"seq":0}`: "1 wrong",
		`{"message_id":"m-000000000000","user_id":0,"amount":0.00,"seq":1}`:  "1 wrong",
	} {
		if got := judge(Filter(ms), []Record{{Value: []byte(value), Time: Base}}); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", value, got, want)
		}
	}
}
