package diagnosis

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/types"
)

// Of finds what is to be said of a running query.
func Of(e Evidence) Diagnosis {
	if e.Stats.Tasks == 0 {
		return Diagnosis{NoTasks, "waiting for its share of the partitions"}
	}
	for _, ask := range []func(Evidence) (Diagnosis, bool){silence, unreadable, withheld, stopped} {
		if d, ok := ask(e); ok {
			return d
		}
	}
	return Diagnosis{Flowing, fmt.Sprintf("%d in, %d out%s; %s", e.Stats.In, e.Stats.Out, Dropped(e.Stats), watermark(e))}
}

// silence: no record was read.
func silence(e Evidence) (Diagnosis, bool) {
	if e.Stats.In > 0 {
		return Diagnosis{}, false
	}
	if e.Logs == nil {
		return Diagnosis{NothingCame, "nothing arrived yet: the topics are empty, or start is 'latest' and nothing new came"}, true
	}
	var older, ahead int64
	var empty, from []string
	for _, rel := range streamsOf(e.Query) {
		logs := e.Logs[rel.Topic]
		if len(logs) == 0 {
			return Diagnosis{TopicMissing, fmt.Sprintf("the topic %s of %s is not there: create it, or mend topic = '…'; SHOW TOPICS lists those that are", rel.Topic, rel.Name)}, true
		}
		before, behind := e.split(rel, logs)
		older, ahead = older+before, ahead+behind
		if before+behind > 0 {
			from = append(from, rel.Topic)
		} else {
			empty = append(empty, rel.Topic)
		}
	}
	switch {
	case ahead > 0:
		return Diagnosis{NothingCame, fmt.Sprintf("%d records of %s are there and the first of them are on their way", ahead, strings.Join(from, ", "))}, true
	case older > 0:
		return Diagnosis{StartIsLatest, fmt.Sprintf("nothing new was written to %s since the query began there; %d older records lie before its start: to read them, start it anew under another name with start = 'earliest' (SET for a SELECT, else WITH of the source)", strings.Join(from, ", "), older)}, true
	case len(empty) == 1:
		return Diagnosis{NothingCame, "nothing arrived: the topic " + empty[0] + " is empty"}, true
	}
	return Diagnosis{NothingCame, "nothing arrived: the topics " + strings.Join(empty, ", ") + " are empty"}, true
}

// split counts the records of a topic before and behind where this instance stands. Partitions that others read do not count.
func (e Evidence) split(rel *catalog.Relation, logs []Log) (before, behind int64) {
	for _, s := range e.Stats.Detail.Sources {
		if e.Query.Source(s.Source) != rel {
			continue
		}
		for _, l := range logs {
			if int(l.Partition.Partition) == s.Partition {
				at := min(max(s.Position, l.Start), l.End)
				before, behind = before+at-l.Start, behind+l.End-at
			}
		}
	}
	return before, behind
}

// streamsOf are the relations of which rows are wanted first: those that are not only tables of stream–table joins.
func streamsOf(q *plan.Query) []*catalog.Relation {
	tables := map[int]bool{}
	plan.Walk(q.Root, func(n plan.Node) {
		if j, ok := n.(*plan.TableJoin); ok {
			plan.Walk(j.Table, func(n plan.Node) {
				if s, ok := n.(*plan.Scan); ok {
					tables[s.Source] = true
				}
			})
		}
	})
	var out []*catalog.Relation
	for i, rel := range q.Sources {
		if !tables[i] || len(tables) == len(q.Sources) {
			out = append(out, rel)
		}
	}
	return out
}

// unreadable: whatever came was bad.
func unreadable(e Evidence) (Diagnosis, bool) {
	if e.Stats.Out > 0 {
		return Diagnosis{}, false
	}
	for i, rel := range e.Query.Sources {
		read, bad := int64(0), int64(0)
		for _, s := range e.Stats.Detail.Sources {
			if s.Source == i {
				read, bad = read+s.In, bad+s.Bad
			}
		}
		if read > 0 && bad == read {
			return Diagnosis{Bad, fmt.Sprintf("all %d records of %s were bad for format '%s': the log shows the first ones, INFER FROM TOPIC %s proposes what reads them", bad, rel.Topic, rel.Format, rel.Topic)}, true
		}
	}
	return Diagnosis{}, false
}

// longWait is how much longer than WITHIN a row waits for its table before that is worth to be told in place of the rows that come.
const longWait = 5 * types.MicrosPerSecond

// scans are the sources below a node, behind shuffles too.
func scans(n plan.Node) []*plan.Scan {
	var out []*plan.Scan
	plan.Walk(n, func(n plan.Node) {
		switch n := n.(type) {
		case *plan.Scan:
			out = append(out, n)
		case *plan.Receive:
			out = append(out, scans(n.Shuffle)...)
		}
	})
	return out
}

// withheld: rows wait for a table.
func withheld(e Evidence) (Diagnosis, bool) {
	if len(e.Stats.Detail.Awaited) == 0 {
		return Diagnosis{}, false
	}
	a := e.Stats.Detail.Awaited[0]
	var names []string
	newest := types.Never
	for _, s := range scans(a.Join.Table) {
		names = append(names, s.Relation.Name)
	}
	for _, s := range e.Stats.Detail.Sources {
		if s.Table {
			newest = max(newest, s.Newest)
		}
	}
	waited := max(e.Now-a.Oldest, 0) / types.MicrosPerSecond * types.MicrosPerSecond
	if e.Stats.Out > 0 && waited < a.Join.Within+longWait {
		return Diagnosis{}, false // rows come: some wait at any moment
	}
	text := fmt.Sprintf("%d rows wait until the table %s is known to have come as far", a.Rows, strings.Join(names, ", "))
	if newest > types.Never {
		text += ", its newest record is of " + Instant(newest)
	}
	if waited > 0 {
		text += fmt.Sprintf("; the first waits for %s", types.FormatDuration(waited))
	}
	if a.Join.Latest {
		return Diagnosis{AwaitsTable, text + " (AS OF LATEST: until it is loaded)"}, true
	}
	return Diagnosis{AwaitsTable, fmt.Sprintf("%s (WITHIN %s)", text, types.FormatDuration(a.Join.Within))}, true
}

// Dropped lists what did not go through, by reason; it begins with a comma unless it is empty.
func Dropped(s exec.Stats) string {
	text := ""
	for _, d := range []struct {
		n    int64
		what string
	}{
		{s.Late + s.LateAfterIdle, "late"}, {s.Bad + s.BadExpr, "bad"}, {s.LateTable, "table rows came after rows they were for"},
		{s.OldRow, "table rows older than the newest of their key"}, {s.Lost, "gone before they were read"},
	} {
		if d.n > 0 {
			text += fmt.Sprintf(", %d %s", d.n, d.what)
		}
	}
	return text
}

// watermark says how far time is, and what holds it when something does.
func watermark(e Evidence) string {
	text := "the watermark is " + Instant(e.Stats.Watermark)
	if e.Stats.Holding != "" {
		text += ", held by " + e.Stats.Holding
	}
	return text
}

// Instant is an event time as text, "-" for none.
func Instant(micros int64) string {
	if micros <= types.Never || micros >= types.Forever {
		return "-"
	}
	return time.UnixMicro(micros).UTC().Format("2006-01-02 15:04:05.000")
}
