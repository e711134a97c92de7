package main

import (
	"flag"
	"net"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata")

// TestMain lets the test binary stand for the command in scripts.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"streamsql": main})
}

// TestScripts runs testdata/*.txtar: each is a user's session with files, commands and what they must print.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata", UpdateScripts: *update, RequireExplicitExec: true, RequireUniqueNames: true,
		Setup: func(e *testscript.Env) error {
			e.Setenv("XDG_STATE_HOME", e.WorkDir+"/state")
			e.Setenv("CLOSED", closedPort(t))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and compares its exit code: exits 3 streamsql check bad.sql.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code command [argument…]")
	}
	script := `"$@"; code=$?; test "$code" = ` + args[0] + ` || { echo "exit code $code, not ` + args[0] + `" >&2; exit 1; }`
	err := ts.Exec("sh", append([]string{"-c", script, "sh"}, args[1:]...)...)
	if err != nil {
		ts.Fatalf("%s%v", ts.ReadFile("stderr"), err)
	}
}

// closedPort is an address on which nobody listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "64MB": 64 << 20, "64 mb": 64 << 20, "1.5GiB": 3 << 29, "2k": 2 << 10, "10B": 10,
	} {
		if got, err := size(text); err != nil || got != want {
			t.Errorf("%s: %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"", "MB", "-1MB", "0", "1XB", "1MBK", "NaN", "9999999TB", "Inf"} {
		if got, err := size(text); err == nil {
			t.Errorf("%q is taken for %d", text, got)
		}
	}
}

func TestSignalsAreNotFailures(t *testing.T) {
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	a := &app{stderr: null}
	if got := a.report(usagef("x")); got != exitUsage {
		t.Errorf("usage: %d", got)
	}
	if got := a.report(failure{exitSQL}); got != exitSQL {
		t.Errorf("reported: %d", got)
	}
	if got := a.report(os.ErrNotExist); got != exitFailure {
		t.Errorf("failure: %d", got)
	}
}
