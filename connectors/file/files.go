package file

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/endpoint"
	"github.com/streamsql-go/streamsql/sql/vector"
)

// The headers of a record say where it stood. The id goes with the file when it is renamed.
const (
	headerPath   = "file.path"
	headerID     = "file.id"
	headerOffset = "file.offset"
)

// place is how far a file was read: in bytes, and how often it had been cut off and begun anew before.
type place struct {
	generation int
	offset     int64
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.generation, o.generation), cmp.Compare(p.offset, o.offset))
}

// files is the feed of the files that match a path.
type files struct {
	o     Options
	env   endpoint.Env
	known map[string]place // by identity
	tails map[string]*tail // by path: those that are open
	batch []connectors.Record
	size  int
	write func([]connectors.Record) error
}

var _ connectors.Resumer = (*files)(nil)

func newFiles(o Options, env endpoint.Env) *files {
	return &files{o: o, env: env, known: map[string]place{}}
}

// Seen implements connectors.Resumer.
func (f *files) Seen(records []connectors.Record) {
	for i := range records {
		var id string
		var at place
		for _, h := range records[i].Headers {
			switch h.Key {
			case headerID:
				var generation string
				id, generation, _ = strings.Cut(string(h.Value), "+")
				at.generation, _ = strconv.Atoi(generation)
			case headerOffset:
				at.offset, _ = strconv.ParseInt(string(h.Value), 10, 64)
			}
		}
		if id != "" && at.compare(f.known[id]) > 0 {
			f.known[id] = at
		}
	}
}

// pollEvery is how long a follower waits for more.
const pollEvery = 250 * time.Millisecond

// Run implements connectors.Feed.
func (f *files) Run(ctx context.Context, write func([]connectors.Record) error) error {
	if i, err := os.Stat(f.o.Path); err == nil && !i.Mode().IsRegular() && !i.IsDir() && !f.o.Follow {
		return NewFeed(f.o, nil, f.env.Clock.Now).Run(ctx, write) // a pipe, which may be silent
	}
	f.write, f.tails = write, map[string]*tail{}
	defer func() {
		for _, t := range f.tails {
			t.close()
		}
	}()
	for waited := false; ; waited = true {
		paths, err := f.paths()
		if err != nil {
			return err
		}
		if len(paths) == 0 && !waited {
			f.env.Logger.Info("no file is there yet", "file.path", f.o.Path)
		}
		if err := f.read(ctx, paths); err != nil || !f.o.Follow {
			return err
		}
		if err := f.env.Clock.Sleep(ctx, pollEvery); err != nil {
			return err
		}
	}
}

// paths are the files to read, by name.
func (f *files) paths() ([]string, error) {
	paths, err := filepath.Glob(f.o.Path)
	if err != nil {
		return nil, fmt.Errorf("file.path: %w", err)
	}
	if i, err := os.Stat(f.o.Path); err == nil { // a name with the signs of a pattern in it
		if i.IsDir() {
			return nil, fmt.Errorf("file.path: %s is a directory: '%s' reads the files in it", f.o.Path, filepath.Join(f.o.Path, "*"))
		}
		paths = []string{f.o.Path}
	}
	if len(paths) == 0 && !f.o.Follow {
		if strings.ContainsAny(f.o.Path, "*?[") {
			return nil, fmt.Errorf("file.path: no file matches '%s'", f.o.Path)
		}
		if _, err := os.Open(f.o.Path); err != nil {
			return nil, fmt.Errorf("file.path: %w", err)
		}
	}
	paths = slices.DeleteFunc(paths, func(p string) bool { i, err := os.Stat(p); return err == nil && i.IsDir() })
	slices.Sort(paths)
	return paths, nil
}

// read reads what there is in the files of these paths. Those that are open and not among them any more are read to their end and closed.
func (f *files) read(ctx context.Context, paths []string) error {
	for path, t := range f.tails {
		if !slices.Contains(paths, path) {
			if err := f.leave(ctx, t); err != nil {
				return err
			}
		}
	}
	for _, path := range paths {
		t, err := f.tail(ctx, path)
		if err != nil {
			return err
		}
		if t == nil {
			continue
		}
		if err := f.drain(ctx, t); err != nil {
			return err
		}
		if !f.o.Follow {
			t.close()
			delete(f.tails, path)
		}
	}
	return f.flush()
}

// tail is the open file of a path, opened where it was read to; nil when its first line is still being written. One that another file has
// taken the place of is read to its end first.
func (f *files) tail(ctx context.Context, path string) (*tail, error) {
	id, size, err := identity(path, f.o.Follow)
	switch {
	case os.IsNotExist(err) && f.o.Follow:
		return nil, nil // gone between the two looks
	case err != nil:
		return nil, fmt.Errorf("file.path: %w", err)
	}
	if t := f.tails[path]; t != nil {
		if t.id == id && size >= t.read() {
			return t, nil
		}
		if t.id != id {
			if err := f.leave(ctx, t); err != nil {
				return nil, err
			}
		} else {
			t.close()
		}
		delete(f.tails, path)
	}
	if id == "" || f.open(id) {
		return nil, nil
	}
	at := f.known[id]
	if !f.o.gzipped(path) && size < at.offset {
		at = place{at.generation + 1, 0} // cut off
		f.env.Logger.Info("a file was cut off; it is read from its beginning", "path", path)
	}
	t, err := openTail(path, id, at, f.o)
	if err != nil {
		return nil, fmt.Errorf("file.path: %w", err)
	}
	f.tails[path] = t
	return t, nil
}

// open says whether a file is read already, under another name.
func (f *files) open(id string) bool {
	for _, t := range f.tails {
		if t.id == id {
			return true
		}
	}
	return false
}

// leave reads a file that is not at its path any more to its end, the last line without an end too, and closes it. Where
// it goes on under another name there is nothing more to read.
func (f *files) leave(ctx context.Context, t *tail) error {
	moved := f.o.Follow && slices.ContainsFunc(f.matching(), func(path string) bool {
		id, _, err := identity(path, true)
		return err == nil && id == t.id
	})
	if !moved {
		t.reader.Ends()
	}
	if err := f.drain(ctx, t); err != nil {
		return err
	}
	t.close()
	delete(f.tails, t.path)
	return nil
}

func (f *files) matching() []string {
	paths, _ := f.paths()
	return paths
}

// drain hands over what can be read of a file now.
func (f *files) drain(ctx context.Context, t *tail) error {
	for {
		value, err := t.next()
		if err != nil {
			return t.ended(err)
		}
		f.known[t.id] = t.place()
		f.batch = append(f.batch, connectors.Record{Value: value, Timestamp: f.env.Clock.Now().UnixMilli(), Headers: []vector.Header{
			{Key: headerPath, Value: t.name}, {Key: headerID, Value: t.label}, {Key: headerOffset, Value: strconv.AppendInt(nil, t.place().offset, 10)},
		}})
		if f.size += len(value); len(f.batch) >= mostRecords || f.size >= mostBytes {
			if err := f.flush(); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
	}
}

func (f *files) flush() error {
	if len(f.batch) == 0 {
		return nil
	}
	err := f.write(f.batch)
	f.batch, f.size = f.batch[:0], 0
	return err
}
