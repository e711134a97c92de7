package streamsql

import (
	"fmt"
	"strings"
	"time"

	"github.com/streamsql-go/streamsql/sql/ast"
	"github.com/streamsql-go/streamsql/sql/types"
)

// settings are what SET can change while the engine runs.
type settings struct {
	start          string
	commitInterval time.Duration
	using          string // what a SELECT without FROM reads, by USE
}

// settings are those of now; they are copied under the lock.
func (e *Engine) settings() settings {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mu.settings
}

// set is SET name = value. It holds for what starts from now on.
func (e *Engine) set(st *ast.Set) (outcome, error) {
	change, err := parseSetting(st)
	if err != nil {
		return outcome{}, err
	}
	e.mu.Lock()
	change(&e.mu.settings)
	e.mu.Unlock()
	return outcome{message: st.Name + " set"}, nil
}

// use is USE name.
func (e *Engine) use(st *ast.Use) (outcome, error) {
	rel, ok := e.catalog.Get(st.Name.Name)
	if !ok {
		return outcome{}, e.unknown(st.Name)
	}
	e.mu.Lock()
	e.mu.settings.using = rel.Name
	e.mu.Unlock()
	return outcome{message: "a SELECT without FROM reads " + rel.Name}, nil
}

// parseSetting checks a SET and says what it changes.
func parseSetting(st *ast.Set) (func(*settings), error) {
	switch strings.ToLower(st.Name) {
	case "start":
		start := strings.ToLower(st.Value)
		if err := checkStart(start); err != nil {
			return nil, ast.Errorf(st.Pos(), "%v", err)
		}
		return func(s *settings) { s.start = start }, nil
	case "commit_interval":
		us, err := types.ParseDuration(st.Value)
		if err == nil && us <= 0 {
			err = fmt.Errorf("%q is no time between commits", st.Value)
		}
		if err != nil {
			return nil, ast.Errorf(st.Pos(), "commit_interval: %v", err).WithHint("use a duration above zero such as '100ms'")
		}
		return func(s *settings) { s.commitInterval = time.Duration(us) * time.Microsecond }, nil
	}
	return nil, ast.Errorf(st.Pos(), "setting %s cannot be changed here", st.Name).WithHint("SHOW SETTINGS lists them; start and commit_interval can be set")
}

// checkStart refuses a start that is none.
func checkStart(start string) error {
	if start != "earliest" && start != "latest" {
		return fmt.Errorf("start '%s': use 'earliest' or 'latest'", start)
	}
	return nil
}

// showSettings is SHOW SETTINGS.
func (e *Engine) showSettings() *Rows {
	o, now := e.opts, e.settings()
	rows := [][]string{
		{"name", o.Name}, {"brokers", strings.Join(o.Brokers, ",")}, {"embedded_broker", e.Address()}, {"state_dir", e.dir},
		{"shuffle", string(o.Shuffle)}, {"commit_interval", now.commitInterval.String()},
		{"memory", fmt.Sprint(o.Memory)}, {"start", now.start},
	}
	return texts([]string{"name", "value"}, rows...)
}
