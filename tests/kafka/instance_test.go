package kafka_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// instance is one process of a query, with a state directory that outlives it.
type instance struct {
	s      *scene
	number int
	file   string
	flags  []string
	cmd    *exec.Cmd
	done   chan struct{} // closed when the process has ended
	stdout bytes.Buffer
	log    string
}

// instance starts one. Number says which state directory it has.
func (s *scene) instance(number int, file string, flags ...string) *instance {
	s.Helper()
	i := &instance{s: s, number: number, file: file, flags: flags, log: filepath.Join(s.dir, fmt.Sprintf("log%d", len(s.all)))}
	s.all = append(s.all, i)
	i.start()
	return i
}

func (i *instance) start() {
	i.s.Helper()
	args := []string{"run", "-b", i.s.b.Addr, "--name", i.s.name, "--state-dir", i.stateDir(), "--commit-interval", "100ms", "--stats", "json", "-v"}
	i.cmd = exec.Command(binary, append(append(args, i.flags...), i.file)...)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "STREAMSQL_") { // the program reads its settings there
			i.cmd.Env = append(i.cmd.Env, kv)
		}
	}
	i.stdout.Reset()
	i.cmd.Stdout = &i.stdout
	f, err := os.OpenFile(i.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	i.s.must(err)
	i.cmd.Stderr = f
	i.s.must(i.cmd.Start())
	i.done = make(chan struct{})
	go func(cmd *exec.Cmd, done chan struct{}) {
		_ = cmd.Wait()
		f.Close()
		close(done)
	}(i.cmd, i.done)
}

func (i *instance) stateDir() string { return filepath.Join(i.s.dir, fmt.Sprintf("state%d", i.number)) }

func (i *instance) ended() bool {
	select {
	case <-i.done:
		return true
	default:
		return false
	}
}

// end is for the test's own end.
func (i *instance) end() {
	if !i.ended() {
		_ = i.cmd.Process.Kill()
		<-i.done
	}
}

// alive fails the test when the process has ended by itself.
func (i *instance) alive() {
	i.s.Helper()
	if i.ended() {
		i.s.Fatalf("instance %d ended by itself (%v):\n%s", i.number, i.cmd.ProcessState, i.tail(5))
	}
}

// kill is kill -9.
func (i *instance) kill() {
	i.s.Helper()
	i.alive()
	_ = i.cmd.Process.Kill()
	<-i.done
}

// wait waits for the process to end by itself and returns its exit code.
func (i *instance) wait(d time.Duration) int {
	i.s.Helper()
	select {
	case <-i.done:
	case <-time.After(d):
		i.dump()
		i.s.Fatalf("instance %d does not end", i.number)
	}
	return i.cmd.ProcessState.ExitCode()
}

// stop is SIGTERM: it must end with exit code 0.
func (i *instance) stop() stats {
	i.s.Helper()
	i.alive()
	_ = i.cmd.Process.Signal(syscall.SIGTERM)
	if code := i.wait(30 * time.Second); code != 0 {
		i.s.Fatalf("instance %d: exit code %d after SIGTERM:\n%s", i.number, code, i.tail(5))
	}
	return i.stats()
}

// dump ends the process and logs where each of its goroutines was.
func (i *instance) dump() {
	i.s.Helper()
	_ = i.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-i.done:
	case <-time.After(5 * time.Second):
	}
	b, _ := os.ReadFile(i.log)
	i.s.Logf("instance %d, all it wrote and where its goroutines were:\n%s", i.number, b)
}

// tail are the last lines that the instance wrote to standard error.
func (i *instance) tail(lines int) string {
	b, _ := os.ReadFile(i.log)
	all := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// stats is what an ended process says it did, from the last line of its output (--stats json).
type stats struct {
	In   int64   `json:"in"`
	Out  int64   `json:"out"`
	Late int64   `json:"late"`
	Bad  int64   `json:"bad"`
	Wall float64 `json:"wall_seconds"`
}

func (i *instance) stats() (st stats) {
	i.s.Helper()
	lines := strings.Split(strings.TrimSpace(i.stdout.String()), "\n")
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &st); err != nil {
		i.s.Fatalf("instance %d: no statistics in the last line of its output: %v: %q", i.number, err, i.stdout.String())
	}
	return st
}
