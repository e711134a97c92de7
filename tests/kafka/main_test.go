package kafka_test

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// binary is the program under test, built once.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	if os.Getenv("STREAMSQL_TEST_KAFKA") == "" {
		return m.Run() // every test says why it is skipped
	}
	if binary = os.Getenv("STREAMSQL_TEST_BINARY"); binary == "" {
		dir, err := os.MkdirTemp("", "streamsql-binary-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "streamsql")
		build := exec.Command("go", "build", "-o", binary, "../../cmd/streamsql")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building streamsql: %v\n%s", err, out)
			return 1
		}
	}
	return m.Run()
}

// scene is one test's corner of a broker: topics, groups and transactional ids begin with its name.
type scene struct {
	*testing.T
	ctx  context.Context
	b    *rig.Broker
	name string
	dir  string
	rng  *rand.Rand
	all  []*instance
}

func newScene(t *testing.T) *scene {
	t.Helper()
	addr := os.Getenv("STREAMSQL_TEST_KAFKA")
	if addr == "" {
		t.Skip("STREAMSQL_TEST_KAFKA (host:port) is not set: run make test-kafka, which starts a broker")
	}
	return newSceneAt(t, addr)
}

func newSceneAt(t *testing.T, addr string) *scene {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute+soak())
	t.Cleanup(cancel)
	b, err := rig.Connect(addr)
	if err != nil {
		t.Fatal(err)
	}
	seed := time.Now().UnixNano()
	name := fmt.Sprintf("%s-%x", strings.ToLower(strings.TrimPrefix(t.Name(), "Test")), seed&0xffffffff)
	s := &scene{T: t, ctx: ctx, b: b, name: strings.ReplaceAll(name, "/", "-"), dir: t.TempDir(), rng: rand.New(rand.NewSource(seed))}
	t.Cleanup(s.clean)
	return s
}

// clean ends what is left and deletes the topics.
func (s *scene) clean() {
	for _, i := range s.all {
		i.end()
	}
	if s.Failed() {
		for _, i := range s.all {
			s.Logf("last lines of instance %d:\n%s", i.number, i.tail(12))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if topics, err := s.b.Topics(ctx, s.name); err == nil {
		for t := range topics {
			_ = s.b.Delete(ctx, t)
		}
	}
	s.b.Close()
}

func (s *scene) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// topic creates one and returns its full name.
func (s *scene) topic(name string, partitions int32) string {
	s.Helper()
	full := s.name + "." + name
	s.must(s.b.Create(s.ctx, full, partitions))
	return full
}

// file writes a script in which @name stands for the full name of a topic.
func (s *scene) file(sql string) string {
	s.Helper()
	path := filepath.Join(s.dir, fmt.Sprintf("q%d.sql", s.rng.Int63()))
	s.must(os.WriteFile(path, []byte(strings.ReplaceAll(sql, "@", s.name+".")), 0o600))
	return path
}

// soak is how long the crash tests go on, 0 for the quick form.
func soak() time.Duration {
	d, _ := time.ParseDuration(os.Getenv("STREAMSQL_SOAK"))
	return d
}

const messages = `CREATE STREAM m (message_id VARCHAR, user_id BIGINT, amount DECIMAL(12,2), kind VARCHAR, seq BIGINT) WITH (topic='@messages'%s);
`

const dedup = `CREATE STREAM sink WITH (topic='@out') AS SELECT DISTINCT ON (message_id) * FROM m WINDOW TUMBLING(10s);
`

// script is a query over the messages; options are further options of their stream.
func script(query string, options ...string) string {
	more := ""
	for _, o := range options {
		more += ", " + o
	}
	return fmt.Sprintf(messages, more) + query
}
