package streamsql

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/partition"
	"github.com/streamsql-go/streamsql/exec"
	"github.com/streamsql-go/streamsql/exec/latest"
	"github.com/streamsql-go/streamsql/planner/plan"
	"github.com/streamsql-go/streamsql/sql/catalog"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// pulls says whether a SELECT asks for what tables hold now: it reads tables that queries keep, and says neither an end nor
// EMIT CHANGES.
func pulls(p *plan.Query, until Until) bool { return until == Endless && p.Holds() }

// pullAtOnce answers a pull query over one table that keeps nothing itself, without a job: from the newest records of the table's keys, and only from the
// partitions where the keys that it asks for lie. False: it is of another kind.
func (e *Engine) pullAtOnce(ctx context.Context, p *plan.Query, take func(*vector.Batch)) (bool, error) {
	if !exec.Evaluable(p) || p.Sink.P.Changes != plan.Upserts {
		return false, nil
	}
	rel := p.Sources[0]
	wanted, known, err := places(p)
	if err != nil {
		return false, err
	}
	requests, err := e.holdings(ctx, rel, wanted, known)
	if err != nil {
		return false, err
	}
	run := exec.NewEvaluation(exec.Config{App: e.opts.Name, Clock: e.opts.Clock, Logger: e.opts.Logger.With("query", p.Name), OnRows: func(b *vector.Batch) error {
		take(b)
		return ctx.Err()
	}}, p)
	for _, r := range requests {
		visit := func(rs []connectors.Record) error { return run.Records(ctx, r.Partition.Partition, rs) }
		if readsHeaders(p) { // they are not kept
			err = e.cluster.Read(ctx, r.Partition, r.Start, r.End, visit)
		} else {
			err = e.tables.Visit(ctx, r, visit)
		}
		if err != nil {
			return false, err
		}
	}
	return true, nil
}

// holdings are the partitions of a table that are to be read; where the keys that are wanted are known, only theirs.
func (e *Engine) holdings(ctx context.Context, rel *catalog.Relation, wanted [][]byte, known bool) ([]latest.Request, error) {
	infos, err := e.cluster.Topics(ctx, rel.Topic)
	if err != nil {
		return nil, err
	}
	info, ok := infos[rel.Topic]
	if !ok {
		return nil, fmt.Errorf("topic %s of %s does not exist", rel.Topic, rel.Name)
	}
	at := map[int32][][]byte{}
	hash := partition.Of(rel.Partitioner.String())
	for _, k := range wanted {
		n := hash(k, info.Partitions)
		at[n] = append(at[n], k)
	}
	var ps []connectors.Partition
	for n := range info.Partitions {
		if !known || at[n] != nil {
			ps = append(ps, connectors.Partition{Topic: rel.Topic, Partition: n})
		}
	}
	if len(ps) == 0 {
		return nil, nil
	}
	starts, ends, err := connectors.Extent(ctx, e.cluster, ps...)
	if err != nil {
		return nil, err
	}
	out := make([]latest.Request, len(ps))
	for i, p := range ps {
		out[i] = latest.Request{Partition: p, ID: info.ID, Start: starts[p], End: ends[p], Keys: at[p.Partition]}
	}
	return out, nil
}

// places are the Kafka keys that a query's conditions leave, as they are written; known is false where those are any.
func places(p *plan.Query) (wanted [][]byte, known bool, err error) {
	keys, known := p.Keys()
	if !known {
		return nil, false, nil
	}
	rel := p.Sources[0]
	var fields []format.Column
	var cols []*vector.Vector
	for _, k := range rel.Key {
		c := rel.Columns[k]
		fields = append(fields, format.Column{Name: c.Name, Type: c.Type, TimestampFormat: rel.TimestampFormat})
		cols = append(cols, vector.New(c.Type, len(keys)))
	}
	spec := formatSpec(rel)
	spec.Columns = fields
	codec, err := format.NewKeyCodec(rel.KeyFormat, spec)
	if err != nil {
		return nil, false, err
	}
	for i, key := range keys {
		for c, v := range key {
			cols[c].Append(v)
		}
		k, ok := codec.AppendKey(nil, cols, i)
		if !ok {
			return nil, false, errors.New("a key of NULL")
		}
		wanted = append(wanted, k)
	}
	return wanted, true, nil
}

// readsHeaders says whether a query reads headers of records.
func readsHeaders(p *plan.Query) bool {
	reads := false
	plan.Walk(p.Root, func(n plan.Node) {
		if s, ok := n.(*plan.Scan); ok {
			reads = reads || s.Carry&plan.CarryHeaders != 0 || slices.ContainsFunc(s.Columns, func(c plan.ScanColumn) bool {
				return c.Hidden == plan.HiddenHeader || c.Hidden == plan.HiddenHeaders || c.Hidden == plan.HeaderColumn
			})
		}
	})
	return reads
}
