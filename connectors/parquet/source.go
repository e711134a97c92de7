package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/connectors/format/json"
	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// The headers of a record say where its row stood.
const (
	headerPath = "file.path"
	headerRow  = "file.row"
)

// source is the feed of Parquet files, in the order of their names. Files do not change: what was read of one is known by its rows.
type source struct {
	o    options
	cols []types.Column
	env  endpoint.Env
	read map[string]int64 // rows, by path
}

var _ connectors.Resumer = (*source)(nil)

func newSource(r endpoint.Relation, env endpoint.Env) (endpoint.Source, error) {
	o, err := check(r)
	return endpoint.Source{Feed: &source{o: o, cols: r.Columns, env: env, read: map[string]int64{}}}, err
}

// Seen implements connectors.Resumer.
func (s *source) Seen(records []connectors.Record) {
	for i := range records {
		var path string
		var row int64
		for _, h := range records[i].Headers {
			switch h.Key {
			case headerPath:
				path = string(h.Value)
			case headerRow:
				row, _ = strconv.ParseInt(string(h.Value), 10, 64)
			}
		}
		s.read[path] = max(s.read[path], row+1)
	}
}

// Run implements connectors.Feed.
func (s *source) Run(ctx context.Context, write func([]connectors.Record) error) error {
	paths, err := s.paths()
	if err != nil {
		return err
	}
	for _, path := range paths {
		if err := s.file(ctx, path, write); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

func (s *source) paths() ([]string, error) {
	pattern := s.o.path
	i, err := os.Stat(pattern)
	switch {
	case err == nil && i.IsDir():
		pattern = filepath.Join(pattern, "*"+suffix)
	case err == nil:
		return []string{pattern}, nil
	case !errors.Is(err, fs.ErrNotExist) || !strings.ContainsAny(pattern, "*?["):
		return nil, fmt.Errorf("parquet.path: %w", err)
	}
	paths, err := filepath.Glob(pattern)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("no file matches '%s'", pattern)
	}
	if err != nil {
		return nil, fmt.Errorf("parquet.path: %w", err)
	}
	slices.Sort(paths)
	return paths, nil
}

// file hands over the rows of a file that were not read yet.
func (s *source) file(ctx context.Context, path string, write func([]connectors.Record) error) error {
	in, err := os.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	i, err := in.Stat()
	if err != nil {
		return err
	}
	f, err := parquet.OpenFile(in, i.Size())
	if err != nil {
		return fmt.Errorf("this is no Parquet file, or it is not whole: %w", err)
	}
	columns, err := s.columns(f)
	if err != nil {
		return err
	}
	b := &batch{path: []byte(path), columns: columns, leaves: len(f.Schema().Columns()), now: s.env.Clock.Now().UnixMilli(), write: write}
	row := int64(0)
	for _, g := range f.RowGroups() {
		from := max(0, s.read[path]-row)
		if from < g.NumRows() {
			if err := b.rows(ctx, g, from, row+from); err != nil {
				return err
			}
		}
		row += g.NumRows()
	}
	if err := b.flush(); err != nil {
		return err
	}
	s.read[path] = row
	return nil
}

// column is a column of the relation in a file.
type column struct {
	part
	label []byte // its name in the record
}

// columns are the ways to read the relation's columns in a file.
func (s *source) columns(f *parquet.File) ([]column, error) {
	out := make([]column, len(s.cols))
	for i, c := range s.cols {
		found := lookup(f.Root(), c.Name)
		if found == nil {
			var names []string
			for _, x := range f.Root().Columns() {
				names = append(names, x.Name())
			}
			return nil, fmt.Errorf("it has no column %s: it has %s", c.Name, strings.Join(names, ", "))
		}
		p, err := newPart(found, c.Type)
		if err != nil {
			return nil, fmt.Errorf("column %s: %w", c.Name, err)
		}
		out[i] = column{part: p, label: append(json.AppendString(nil, []byte(c.Name)), ':')}
	}
	return out, nil
}

// lookup finds a column by name: exactly, or but for case.
func lookup(root *parquet.Column, name string) *parquet.Column {
	var found *parquet.Column
	for _, c := range root.Columns() {
		if c.Name() == name {
			return c
		}
		if found == nil && strings.EqualFold(c.Name(), name) {
			found = c
		}
	}
	return found
}

const mostRecords = 1000

// batch is rows on their way.
type batch struct {
	path    []byte
	columns []column
	leaves  int
	now     int64
	records []connectors.Record
	write   func([]connectors.Record) error
}

// rows hands over those of a row group from one on; number is its number in the file.
func (b *batch) rows(ctx context.Context, g parquet.RowGroup, from, number int64) error {
	r := g.Rows()
	defer r.Close()
	if err := r.SeekToRow(from); err != nil {
		return err
	}
	buf := make([]parquet.Row, 128)
	w := make(window, b.leaves)
	for {
		n, err := r.ReadRows(buf)
		for i := range n {
			buf[i].Range(func(leaf int, values []parquet.Value) bool {
				w[leaf] = values
				return true
			})
			b.records = append(b.records, connectors.Record{Value: b.object(w), Timestamp: b.now, Headers: []vector.Header{
				{Key: headerPath, Value: b.path}, {Key: headerRow, Value: strconv.AppendInt(nil, number, 10)},
			}})
			number++
		}
		if len(b.records) >= mostRecords {
			if err := b.flush(); err != nil {
				return err
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("row %d: %w", number, err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
	}
}

func (b *batch) object(w window) []byte {
	dst := []byte{'{'}
	for i := range b.columns {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, b.columns[i].label...)
		dst = b.columns[i].append(dst, w)
	}
	return append(dst, '}')
}

func (b *batch) flush() error {
	if len(b.records) == 0 {
		return nil
	}
	err := b.write(b.records)
	b.records = b.records[:0]
	return err
}
