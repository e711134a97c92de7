// Package sqlite is SQLite as a second opinion: an engine that shares nothing with the one under test answers plain SQL over
// all rows at once. What depends on event time is written out in that SQL.
package sqlite

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver

	"github.com/streamsql-go/streamsql/sql/types"
)

// DB is a database in memory.
type DB struct{ db *sql.DB }

// Open makes an empty one.
func Open() (*DB, error) {
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // every connection would have a memory of its own
	return &DB{db}, nil
}

// Close frees it.
func (d *DB) Close() error { return d.db.Close() }

// Exec runs statements.
func (d *DB) Exec(text string) error {
	_, err := d.db.Exec(text)
	return err
}

// Load creates a table without types and fills it.
func (d *DB) Load(table string, columns []string, rows [][]any) error {
	if err := d.Exec(fmt.Sprintf("CREATE TABLE %s (%s)", table, strings.Join(columns, ", "))); err != nil {
		return err
	}
	tx, err := d.db.Begin()
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing to do after a commit
	st, err := tx.Prepare(fmt.Sprintf("INSERT INTO %s VALUES (?%s)", table, strings.Repeat(", ?", len(columns)-1)))
	if err != nil {
		return err
	}
	for _, r := range rows {
		if _, err := st.Exec(r...); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// Rows is the answer to a query: each row as Row writes it, sorted.
func (d *DB) Rows(text string) ([]string, error) {
	rows, err := d.db.Query(text)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	for rows.Next() {
		values, into := make([]any, len(cols)), make([]any, len(cols))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		texts := make([]string, len(cols))
		for i, v := range values {
			if texts[i] = fmt.Sprint(v); v == nil {
				texts[i] = "NULL"
			}
		}
		out = append(out, join(texts))
	}
	slices.Sort(out)
	return out, rows.Err()
}

func join(texts []string) string { return strings.Join(texts, " | ") }

// Row writes a row of the engine under test as Rows writes one: times as text with milliseconds, also where they are zero.
func Row(values []types.Value) string {
	texts := make([]string, len(values))
	for i, v := range values {
		if texts[i] = v.Text(); v.Kind == types.Timestamp && v.I%types.MicrosPerMilli == 0 {
			texts[i] = time.UnixMicro(v.I).UTC().Format("2006-01-02 15:04:05.000")
		}
	}
	return join(texts)
}

// Difference compares two sorted lists of rows as multisets: "" when they are equal, else what is missing and what is extra, at most
// ten of them.
func Difference(want, got []string) string {
	var lines []string
	i, j := 0, 0
	for i < len(want) || j < len(got) {
		switch {
		case j == len(got) || i < len(want) && want[i] < got[j]:
			lines = append(lines, "missing: "+want[i])
			i++
		case i == len(want) || want[i] > got[j]:
			lines = append(lines, "extra: "+got[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	if len(lines) == 0 {
		return ""
	}
	all := fmt.Sprintf("%d rows are wanted, %d came; %d differ", len(want), len(got), len(lines))
	return all + "\n" + strings.Join(lines[:min(len(lines), 10)], "\n")
}
