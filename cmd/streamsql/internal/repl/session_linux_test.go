package repl

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/streamsql-go/streamsql"
)

// terminal is a pseudo-terminal with a prompt behind it.
type terminal struct {
	t      *testing.T
	master *os.File
	mu     sync.Mutex
	seen   bytes.Buffer
	done   chan error
	home   string
}

func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fd := int(master.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 40, Col: 120}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// begin starts a prompt on a terminal of a kind.
func begin(t *testing.T, kind string, start string) *terminal {
	t.Helper()
	e, err := streamsql.Open(t.Context(), streamsql.Options{StateDir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	master, slave := openTerminal(t)
	x := &terminal{t: t, master: master, done: make(chan error, 1), home: t.TempDir()}
	if start != "" {
		if err := os.WriteFile(filepath.Join(x.home, "rc"), []byte(start), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := map[string]string{"TERM": kind, "NO_COLOR": "1", "HOME": x.home, "EDITOR": "sed -i s/first/second/"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		x.done <- Run(ctx, Options{Engine: e, In: slave, Out: slave, Err: slave, Getenv: func(n string) string { return env[n] }, Log: slog.New(slog.DiscardHandler),
			History: filepath.Join(x.home, "history"), Start: filepath.Join(x.home, "rc"), Figures: func([]*streamsql.Query, time.Time) string { return "figures" }})
	}()
	go func() {
		buf := make([]byte, 4096)
		for {
			n, err := master.Read(buf)
			x.mu.Lock()
			x.seen.Write(buf[:n])
			x.mu.Unlock()
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		cancel()
		_ = slave.Close()
		_ = master.Close()
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return x
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, keys); err != nil {
		x.t.Fatal(err)
	}
}

var escapes = regexp.MustCompile(`\x1b\[[0-9;?]*[A-Za-z]`)

// screen is what was written since the last look, without escape sequences.
func (x *terminal) screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return strings.ReplaceAll(escapes.ReplaceAllString(x.seen.String(), ""), "\r", "")
}

// expect waits until all texts were written, in order, and forgets them.
func (x *terminal) expect(texts ...string) {
	x.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		seen, rest, ok := x.screen(), "", true
		rest = seen
		for _, want := range texts {
			var found bool
			if _, rest, found = strings.Cut(rest, want); !found {
				ok = false
				break
			}
		}
		if ok {
			x.mu.Lock()
			x.seen.Reset()
			x.mu.Unlock()
			return
		}
		if time.Now().After(deadline) {
			x.t.Fatalf("%q is not on the screen:\n%s", texts, seen)
		}
	}
}

// interrupt is Ctrl-C while a statement runs: this terminal is not the one that controls the test.
func (x *terminal) interrupt() {
	if err := syscall.Kill(os.Getpid(), syscall.SIGINT); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) ends() {
	x.t.Helper()
	select {
	case err := <-x.done:
		if err != nil {
			x.t.Fatal(err)
		}
	case <-time.After(30 * time.Second):
		x.t.Fatal("the prompt goes on")
	}
}

const setup = "CREATE STREAM s (id VARCHAR,\n\tn INT) WITH (topic = 's', partitions = 1); -- a; b\n\nINSERT INTO s (id, n) VALUES ('日本', 1), ('b', 22);\n"

// TestSession: what a person does with a prompt.
func TestSession(t *testing.T) {
	x := begin(t, "xterm", "\\timing on\nCREATE VIEW seven AS SELECT * FROM nothing;\n")
	x.expect("timing is on", "rc:2:36: unknown stream", first)
	x.press("\\timing off\r")
	x.expect("timing is off")

	x.press(pasteStart + setup + "SELECT id" + pasteEnd)
	x.expect("sql> CREATE STREAM s (id VARCHAR,\n", "  ->     n INT)", "STREAM s created\n", "sql> INSERT", "2 rows written to s\n", "sql> SELECT id")
	x.press("\x1b[1~\x1b[4~, n FROM s LIMIT 2;\r")
	x.expect(" id   |  n\n", " 日本 |  1\n", " b    | 22\n", "figures", first)

	x.press("\x12insert") // Ctrl-R over an entry
	x.expect("INSERT INTO s (id, n) VALUES ('日本', 1), ('b', 22);")
	x.press("\r")
	x.expect("2 rows written to s")
	x.press("\x1b[A\x1b[A\x1b[A") // the CREATE, of two lines
	x.expect("CREATE STREAM s (id VARCHAR,↵")
	x.press("\x03")
	x.expect("^C")

	x.press("SELECT n FROM s LIMIT 1\\G")
	x.press("\r")
	x.expect("-[ 1 ]\n", "n | 1\n")
	x.press("sel\tn fr\ts;\x01\x05")
	x.expect("select n from s;")
	x.press("\r")
	x.expect("▶ in 4")
	x.interrupt()
	x.expect("figures\n", first)

	x.press("SELECT idd FROM s;\r")
	x.expect("unknown column idd", "^^^", "did you mean id?")
	x.press("\x03")
	x.expect("Ctrl-C again, or Ctrl-D, ends")
	x.press("\x03")
	x.ends()
}

// TestCommands: the commands that are not SQL.
func TestCommands(t *testing.T) {
	x := begin(t, "xterm", setup)
	x.expect("2 rows written to s", first)
	for _, step := range []struct {
		keys string
		want []string
	}{
		{"\\d", []string{"name", "s    | s"}}, {".schema s", []string{"sql  | CREATE STREAM s"}}, {"\\dt x", []string{"name | topic"}},
		{"\\? concat", []string{"CONCAT(x, …)"}}, {"\\? format", []string{"serialisation of the value"}}, {"\\tming", []string{`did you mean \timing?`}},
		{"\\?", []string{`\watch`, ".timer"}}, {"\\set lim 1", []string{first}}, {"\\set", []string{"lim = '1'"}},
		{".mode markdown", []string{first}}, {"SELECT id, n FROM s LIMIT ${lim};", []string{"| id | n |\n", "| --- | --: |\n", "| 日本 | 1 |\n"}},
		{"\\format xml", []string{"use table, vertical"}}, {"\\x", []string{first}}, {"SELECT n FROM s LIMIT 1;", []string{"n | 1"}}, {"\\x off", []string{first}},
		{"\\live", []string{"live is on"}}, {"\\rate x", []string{"rows a second"}}, {"\\last", []string{" n\n---\n 1\n"}},
		{"SELECT 'first' AS w FROM s LIMIT 1;", []string{" first\n"}}, {"\\e", []string{"SELECT 'second'", " second\n"}},
		{"\\o " + x.home + "/out.csv", []string{first}}, {"SELECT id FROM s LIMIT 2;", []string{"figures"}}, {"\\o", []string{first}},
		{"\\history 1", []string{"SELECT id FROM s LIMIT 2;"}}, {"\\i " + x.home + "/rc", []string{"stream s exists already", "was not run to its end"}},
		{"\\fomat", []string{`did you mean \format?`}}, {"\\echo 'yes'", []string{"yes\n"}},
	} {
		x.press(step.keys + "\r")
		x.expect(append([]string{step.keys + "\n"}, step.want...)...)
	}
	x.press("\\watch 0.2 SHOW STREAMS;\r")
	x.expect("every 200ms", "s    | s", "every 200ms")
	x.interrupt()
	x.expect(first)
	x.press("\\q\r")
	x.ends()
	out, err := os.ReadFile(x.home + "/out.csv")
	if err != nil || string(out) != "id\n日本\nb\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestLiveTable: groups change in place, and stay when it ends.
func TestLiveTable(t *testing.T) {
	x := begin(t, "xterm", setup+"\\live on\n")
	x.expect("live is on", first)
	x.press("SELECT id, COUNT(*) AS times FROM s GROUP BY id;\r")
	x.expect(" id   | times\n", " b    |     1\n", " 日本 |     1\n", "▶ in 2")
	x.interrupt()
	x.expect(" b    |     1\n", "figures")
	x.press("\x04")
	x.ends()
}

// TestDumbTerminal: no escape sequence is written, and everything works that can.
func TestDumbTerminal(t *testing.T) {
	x := begin(t, "dumb", "")
	x.expect(first)
	x.press(strings.ReplaceAll(setup, "\t", " "))
	x.expect("STREAM s created", "2 rows written")
	x.press("SELECT n FROM s;\n")
	x.expect(" n\n", " 22\n")
	x.interrupt()
	x.expect("figures", first)
	x.mu.Lock()
	if bytes.ContainsRune(x.seen.Bytes(), '\x1b') {
		t.Error("there are escape sequences")
	}
	x.mu.Unlock()
	x.press("\\q\n")
	x.ends()
}
