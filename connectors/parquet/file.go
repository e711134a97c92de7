package parquet

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/parquet-go/parquet-go"
)

// file is one that is being written.
type file struct {
	path  string // of its name, without where it ends
	out   *os.File
	w     *parquet.GenericWriter[any]
	began time.Time
	size  int64 // of its rows, as JSON
	group int64 // of those since the last row group
	row   parquet.Row
}

// groupBytes is the size of a row group, as JSON: so much is held in memory.
const groupBytes = 32 << 20

// begin begins the file of a partition that holds the rows from an offset on.
func (s *sink) begin(partition int32, from int64) (*file, error) {
	path := filepath.Join(s.o.path, fmt.Sprintf("%s%d-%d", s.prefix, partition, from))
	out, err := os.Create(path + unfinished)
	if err != nil {
		return nil, fmt.Errorf("parquet.path: %w", err)
	}
	w := parquet.NewGenericWriter[any](out, s.schema, parquet.Compression(s.o.codec))
	return &file{path: path, out: out, w: w, began: s.env.Clock.Now()}, nil
}

func (f *file) add(row parquet.Row, size int64) error {
	if _, err := f.w.WriteRows([]parquet.Row{row}); err != nil {
		return err
	}
	f.size += size
	if f.group += size; f.group < groupBytes {
		return nil
	}
	f.group = 0
	return f.w.Flush()
}

// finish brings the file to the disk and gives it its name.
func (f *file) finish(name string) error {
	err := f.w.Close()
	if err == nil {
		err = f.out.Sync()
	}
	if err = errors.Join(err, f.out.Close()); err != nil {
		return errors.Join(fmt.Errorf("parquet.path: %w", err), os.Remove(f.path+unfinished))
	}
	if err := os.Rename(f.path+unfinished, name); err != nil {
		return fmt.Errorf("parquet.path: %w", err)
	}
	return syncDirectory(filepath.Dir(name))
}

// syncDirectory makes a new name last. Where directories cannot be synced there is nothing to do.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	_ = d.Sync()
	return d.Close()
}

// drop forgets the file.
func (f *file) drop() {
	_ = f.out.Close()
	_ = os.Remove(f.path + unfinished) // somebody else may have removed it
}
