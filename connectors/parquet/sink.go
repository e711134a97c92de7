package parquet

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/format"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// unfinished ends the names of files that are being written.
const unfinished = ".unfinished"

// sink writes files, one at a time for each partition of the outbox.
type sink struct {
	o       options
	env     endpoint.Env
	prefix  string // of the names of its files
	schema  *parquet.Schema
	shred   *shredder
	decoder format.Decoder
	row     *vector.Batch
	parts   map[int32]*output
}

var _ endpoint.Sink = (*sink)(nil)

// output is what a partition is written to.
type output struct {
	file *file // nil: none is begun
	next int64 // behind the last record that was taken
	safe int64 // behind the last one that is in a file that is whole
}

func newSink(r endpoint.Relation, env endpoint.Env) (endpoint.Sink, error) {
	o, err := check(r)
	if err != nil {
		return nil, err
	}
	s := &sink{o: o, env: env, prefix: r.Name + "-" + env.Outbox + "-", parts: map[int32]*output{}}
	if s.schema, err = newSchema(r.Name, r.Columns); err != nil {
		return nil, err
	}
	if s.shred, err = newShredder(r.Columns); err != nil {
		return nil, err
	}
	if s.decoder, err = json.NewDecoder(r.Spec.Columns); err != nil {
		return nil, err
	}
	kinds := make([]types.Type, len(r.Columns))
	for i, c := range r.Columns {
		kinds[i] = c.Type
	}
	s.row = vector.NewBatch(kinds, 1)
	if err := os.MkdirAll(o.path, 0o755); err != nil {
		return nil, fmt.Errorf("parquet.path: %w", err)
	}
	return s, nil
}

// Begin implements endpoint.Sink: behind the files that are there, whoever wrote them. What another instance has begun is removed, so
// that one which does not know yet that the partition is not its own any more cannot finish it.
func (s *sink) Begin(_ context.Context, partition int32, committed int64) (int64, error) {
	at := max(committed, 0)
	entries, err := os.ReadDir(s.o.path)
	if err != nil {
		return 0, fmt.Errorf("parquet.path: %w", err)
	}
	mine := s.prefix + strconv.Itoa(int(partition)) + "-"
	for _, e := range entries {
		rest, ok := strings.CutPrefix(e.Name(), mine)
		if !ok {
			continue
		}
		if strings.HasSuffix(rest, unfinished) {
			if err := os.Remove(filepath.Join(s.o.path, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return 0, err
			}
			continue
		}
		span, whole := strings.CutSuffix(rest, suffix)
		_, to, _ := strings.Cut(span, "-")
		if end, err := strconv.ParseInt(to, 10, 64); err == nil && whole {
			at = max(at, end)
		}
	}
	s.parts[partition] = &output{next: at, safe: at}
	return at, nil
}

// Deliver implements endpoint.Sink.
func (s *sink) Deliver(_ context.Context, partition int32, records []connectors.Record) error {
	p := s.parts[partition]
	for i := range records {
		r := &records[i]
		if r.Offset < p.next {
			continue
		}
		if p.file == nil {
			var err error
			if p.file, err = s.begin(partition, r.Offset); err != nil {
				return err
			}
		}
		if err := s.add(p.file, r); err != nil {
			return fmt.Errorf("record %d/%d: %w", partition, r.Offset, err)
		}
		if p.next = r.Offset + 1; p.file.size >= s.o.size {
			if err := s.finish(p); err != nil {
				return err
			}
		}
	}
	return nil
}

// add writes a record as a row.
func (s *sink) add(f *file, r *connectors.Record) error {
	s.row.Reset()
	if err := s.decoder.Decode(r.Value, s.row.Cols); err != nil {
		return err
	}
	row, err := s.shred.row(f.row[:0], s.row.Cols, 0)
	if err != nil {
		return err
	}
	f.row = row
	return f.add(row, int64(len(r.Value)))
}

// Settle implements endpoint.Sink: files that are old enough are finished.
func (s *sink) Settle(_ context.Context, all bool) (map[int32]int64, error) {
	now := s.env.Clock.Now()
	safe := make(map[int32]int64, len(s.parts))
	for id, p := range s.parts {
		if p.file != nil && (all || now.Sub(p.file.began) >= s.o.age) {
			if err := s.finish(p); err != nil {
				return nil, err
			}
		}
		safe[id] = p.safe
	}
	return safe, nil
}

// finish gives a file its name.
func (s *sink) finish(p *output) error {
	f := p.file
	p.file = nil
	if err := f.finish(fmt.Sprintf("%s-%d%s", f.path, p.next, suffix)); err != nil {
		return err
	}
	p.safe = p.next
	return nil
}

// Leave implements endpoint.Sink.
func (s *sink) Leave(partition int32) {
	if p := s.parts[partition]; p != nil && p.file != nil {
		p.file.drop()
	}
	delete(s.parts, partition)
}

// Close implements endpoint.Sink.
func (s *sink) Close() error {
	for p := range s.parts {
		s.Leave(p)
	}
	return nil
}
