package streamsql

import (
	"context"
	"fmt"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/sql/ast"
)

// print is PRINT topic: records as they are.
func (e *Engine) print(ctx context.Context, st *ast.Print) (outcome, error) {
	infos, err := e.cluster.Topics(ctx, st.Topic.Name)
	if err != nil {
		return outcome{}, err
	}
	info, ok := infos[st.Topic.Name]
	if !ok {
		return outcome{}, ast.Errorf(st.Topic.Pos(), "topic %s does not exist", st.Topic.Name).WithHint("SHOW TOPICS lists them")
	}
	if !st.FromBeginning {
		return outcome{}, ast.Unsupported(st.Pos(), "PRINT of records still to come", "PRINT … FROM BEGINNING shows what is there, SELECT what comes")
	}
	limit := st.Limit
	if limit < 0 {
		limit = 1000
	}
	var ps []connectors.Partition
	for p := range info.Partitions {
		ps = append(ps, connectors.Partition{Topic: st.Topic.Name, Partition: p})
	}
	starts, err := e.cluster.Starts(ctx, ps...)
	if err != nil {
		return outcome{}, err
	}
	ends, err := e.cluster.Ends(ctx, ps...)
	if err != nil {
		return outcome{}, err
	}
	var rows [][]string
	for _, p := range ps {
		err := e.cluster.Read(ctx, p, starts[p], min(ends[p], starts[p]+limit), func(rs []connectors.Record) error {
			for _, x := range rs {
				rows = append(rows, []string{fmt.Sprint(x.Partition), fmt.Sprint(x.Offset), Instant(x.Timestamp * 1000), shown(x.Key), shown(x.Value)})
			}
			return nil
		})
		if err != nil {
			return outcome{}, err
		}
	}
	rows = rows[:min(int64(len(rows)), limit)]
	return outcome{rows: texts([]string{"partition", "offset", "timestamp", "key", "value"}, rows...)}, nil
}

func shown(b []byte) string {
	if b == nil {
		return "NULL"
	}
	return strings.ToValidUTF8(string(b), "\uFFFD")
}
