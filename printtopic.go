package streamsql

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// print is PRINT topic: records as they are.
func (e *Engine) print(ctx context.Context, st *ast.Print, a ask) (outcome, error) {
	infos, err := e.cluster.Topics(ctx, st.Topic.Name)
	if err != nil {
		return outcome{}, err
	}
	info, ok := infos[st.Topic.Name]
	if !ok {
		return outcome{}, ast.Errorf(st.Topic.Pos(), "topic %s does not exist", st.Topic.Name).WithHint("SHOW TOPICS lists them")
	}
	ps := connectors.PartitionsOf(st.Topic.Name, info.Partitions)
	if !st.FromBeginning {
		if a.until != Endless || a.ends && st.Limit < 0 {
			return outcome{}, ast.Errorf(st.Pos(), "this PRINT would never end").WithHint("give it a LIMIT in an endless run, or PRINT … FROM BEGINNING for what is there")
		}
		return e.follow(ctx, st, ps)
	}
	limit := st.Limit
	if limit < 0 {
		limit = 1000
	}
	starts, ends, err := connectors.Extent(ctx, e.cluster, ps...)
	if err != nil {
		return outcome{}, err
	}
	var rows [][]string
	for _, p := range ps {
		err := e.cluster.Read(ctx, p, starts[p], min(ends[p], starts[p]+limit), func(rs []connectors.Record) error {
			for _, x := range rs {
				rows = append(rows, printed(&x))
			}
			return nil
		})
		if err != nil {
			return outcome{}, err
		}
	}
	rows = rows[:min(int64(len(rows)), limit)]
	return outcome{rows: texts(printColumns, rows...)}, nil
}

var printColumns = []string{"partition", "offset", "timestamp", "key", "value"}

func printed(r *connectors.Record) []string {
	return []string{fmt.Sprint(r.Partition), fmt.Sprint(r.Offset), Instant(r.Timestamp * 1000), shown(r.Key), shown(r.Value)}
}

// followEvery is how often a topic is looked at for more.
const followEvery = 100 * time.Millisecond

// follow shows the records that come from now on.
func (e *Engine) follow(ctx context.Context, st *ast.Print, ps []connectors.Partition) (outcome, error) {
	at, err := e.cluster.Ends(ctx, ps...)
	if err != nil {
		return outcome{}, err
	}
	r := texts(printColumns)
	r.limit = st.Limit
	r.ctx, r.stop = context.WithCancelCause(ctx)
	r.feed = func(yield func(*vector.Batch) bool) error {
		for {
			ends, err := e.cluster.Ends(r.ctx, ps...)
			if err != nil {
				return err
			}
			for _, p := range ps {
				if more, err := e.printNew(r, p, at[p], ends[p], yield); err != nil || !more {
					return err
				}
				at[p] = max(at[p], ends[p])
			}
			select {
			case <-r.ctx.Done():
				return context.Cause(r.ctx)
			case <-e.ctx.Done():
				return ErrClosed
			case <-time.NewTimer(followEvery).C:
			}
		}
	}
	return outcome{rows: r}, nil
}

// printNew yields the records of [from, to); more is false when nobody wants any.
func (e *Engine) printNew(r *Rows, p connectors.Partition, from, to int64, yield func(*vector.Batch) bool) (more bool, err error) {
	more = true
	err = e.cluster.Read(r.ctx, p, from, to, func(rs []connectors.Record) error {
		kinds := make([]types.Type, len(printColumns))
		for i := range kinds {
			kinds[i] = types.TVarchar
		}
		b := vector.NewBatch(kinds, len(rs))
		for i := range rs {
			for c, text := range printed(&rs[i]) {
				b.Cols[c].Append(types.NewString(text))
			}
			b.Time = append(b.Time, rs[i].Timestamp*1000)
			b.N++
		}
		if b.N > 0 && !yield(b) {
			more = false
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return more, err
}

var errEnough = errors.New("nobody reads on")

func shown(b []byte) string {
	if b == nil {
		return "NULL"
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
