package storage

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STORAGE_TEST_LOCK"); dir != "" { // the child of TestLockOfADeadProcessIsFree
		if _, err := LockExact(dir); err != nil {
			println(err.Error())
			os.Exit(1)
		}
		os.Stdout.WriteString("locked\n")
		select {}
	}
	os.Exit(m.Run())
}

func TestLockDirTakesTheFirstFreeSlot(t *testing.T) {
	base := t.TempDir()
	dir0, a, err := LockDir(base)
	if err != nil || dir0 != filepath.Join(base, "0") {
		t.Fatal(dir0, err)
	}
	dir1, b, err := LockDir(base)
	if err != nil || dir1 != filepath.Join(base, "1") {
		t.Fatal(dir1, err)
	}
	if a.InstanceID() == b.InstanceID() || len(a.InstanceID()) != 16 {
		t.Errorf("instance ids %q and %q", a.InstanceID(), b.InstanceID())
	}
	id := a.InstanceID()
	if err := a.Release(); err != nil {
		t.Fatal(err)
	}
	dir, again, err := LockDir(base)
	if err != nil || dir != dir0 || again.InstanceID() != id {
		t.Errorf("%s with instance %q, %v; want %s with %q", dir, again.InstanceID(), err, dir0, id)
	}
	b.Release()
	again.Release()
}

func TestLockedErrorNamesPathAndHolder(t *testing.T) {
	dir := t.TempDir()
	l, err := LockExact(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Release()
	_, err = LockExact(dir)
	if !errors.Is(err, ErrLocked) || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), strconv.Itoa(os.Getpid())) {
		t.Error(err)
	}
}

func TestLockOfADeadProcessIsFree(t *testing.T) {
	dir := t.TempDir()
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "STORAGE_TEST_LOCK="+dir)
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	if line != "locked\n" {
		t.Fatalf("the child says %q", line)
	}
	var held *LockedError
	if _, err := LockExact(dir); !errors.As(err, &held) || held.Holder != strconv.Itoa(child.Process.Pid) {
		t.Errorf("while the child lives: %v", err)
	}
	child.Process.Kill()
	child.Wait()
	l, err := LockExact(dir)
	if err != nil {
		t.Fatal(err)
	}
	l.Release()
}
