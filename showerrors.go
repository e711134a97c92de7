package streamsql

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// shownErrors is how many bad records of a source are kept.
const shownErrors = 10

// badRecords are the last records of each source that a query could not use on this instance.
type badRecords struct {
	sync.Mutex
	of map[string][]task.BadRecord // by source, the oldest first
}

// add keeps a record; one that is read again takes its place.
func (b *badRecords) add(r task.BadRecord) {
	b.Lock()
	defer b.Unlock()
	if b.of == nil {
		b.of = map[string][]task.BadRecord{}
	}
	list := slices.DeleteFunc(b.of[r.Source], func(o task.BadRecord) bool {
		return o.Topic == r.Topic && o.Partition == r.Partition && o.Offset == r.Offset
	})
	if list = append(list, r); len(list) > shownErrors {
		list = slices.Delete(list, 0, 1)
	}
	b.of[r.Source] = list
}

func (b *badRecords) last(source string) []task.BadRecord {
	b.Lock()
	defer b.Unlock()
	return slices.Clone(b.of[source])
}

// showErrors is SHOW ERRORS [query]: how many records of each source could not be used, and the last of them.
func (e *Engine) showErrors(st *ast.Show) (*Rows, error) {
	var rows [][]string
	found := st.Name == nil
	for _, q := range e.Queries() {
		if st.Name != nil && !strings.EqualFold(q.Name(), st.Name.Name) {
			continue
		}
		found = true
		total := q.Stats().BadBySource
		for _, s := range q.plan.Sources {
			last := q.bad.last(s.Name)
			if total[s.Name] > 0 && len(last) == 0 { // those of another instance, or of an earlier run
				rows = append(rows, []string{q.Name(), s.Name, fmt.Sprint(total[s.Name]), s.Topic, "", "", "", "", "", "", ""})
			}
			for _, r := range last {
				rows = append(rows, []string{q.Name(), s.Name, fmt.Sprint(max(total[s.Name], int64(len(last)))), r.Topic, fmt.Sprint(r.Partition), fmt.Sprint(r.Offset),
					Instant(r.Timestamp * 1000), r.Reason, r.Error, shown(r.Key), shown(r.Value)})
			}
		}
	}
	if !found {
		return nil, ast.Errorf(st.Name.Pos(), "no query named %s", st.Name.Name).WithHint("SHOW QUERIES lists them")
	}
	return texts([]string{"query", "source", "bad_records", "topic", "partition", "offset", "timestamp", "reason", "error", "key", "value"}, rows...), nil
}
