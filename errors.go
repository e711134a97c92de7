package streamsql

import (
	"errors"
	"runtime/debug"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// SQLError is a mistake in SQL text, with its place. errors.As finds it.
type SQLError = ast.Error

// ErrClosed is returned by an engine that was closed.
var ErrClosed = errors.New("the engine is closed: open another one")

// IsSQL says whether an error is about the text of a statement.
func IsSQL(err error) bool {
	var e *SQLError
	return errors.As(err, &e)
}

func stack() string { return string(debug.Stack()) }
