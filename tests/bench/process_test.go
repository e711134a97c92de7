package bench

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// measured is what a process took.
type measured struct {
	records, rows int
	wall, cpu     time.Duration
	peak          int64 // resident bytes; 0 where there is no /proc
}

type running struct {
	*testing.B
	broker         *rig.Broker
	in             *inputs
	prefix, binary string
	out            string // the topic the job writes, and its application's name: new for each run
}

// run runs a job's process to its end, and judges what it wrote.
func (r *running) run(ctx context.Context, j job) measured {
	r.Helper()
	r.out = fmt.Sprintf("%sout-%s-%x", r.prefix, strings.ReplaceAll(j.name, " ", "-"), time.Now().UnixNano()&0xffffff)
	if err := r.broker.Create(ctx, r.out, 4); err != nil {
		r.Fatal(err)
	}
	defer r.remove(ctx, r.out)
	total := 0
	for _, t := range j.from {
		total += r.in.counts[t]
	}
	m := r.measure(r.command(j))
	m.records = total
	judge := func(rig.Record) {}
	var right *rig.Judge
	if j.judge != nil {
		right = j.judge(r.in)
		judge = right.Take
	}
	if err := r.broker.ReadAll(ctx, r.out, func(x rig.Record) { m.rows++; judge(x) }); err != nil {
		r.Fatal(err)
	}
	switch {
	case right != nil && right.Err() != nil:
		r.Fatal(right.Err())
	case right == nil && m.rows != total:
		r.Fatalf("%d rows, want %d", m.rows, total)
	}
	return m
}

func (r *running) command(j job) *exec.Cmd {
	r.Helper()
	if j.sql == "" {
		cmd := exec.Command(os.Args[0])
		var topics []string
		for _, t := range j.from {
			topics = append(topics, r.prefix+t)
		}
		cmd.Env = append(os.Environ(), "STREAMSQL_BENCH_RAW="+strings.Join(topics, ","), "STREAMSQL_BENCH_OUT="+r.out)
		return cmd
	}
	dir := r.TempDir()
	file := filepath.Join(dir, "job.sql")
	if err := os.WriteFile(file, []byte(strings.NewReplacer("@out", r.out, "@", r.prefix).Replace(j.sql)), 0o600); err != nil {
		r.Fatal(err)
	}
	cmd := exec.Command(r.binary, "run", "-b", r.broker.Addr, "--name", r.out, "--state-dir", filepath.Join(dir, "state"),
		"--until", "end", "--shuffle", j.shuffle, file)
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "STREAMSQL_") {
			cmd.Env = append(cmd.Env, kv)
		}
	}
	return cmd
}

func (r *running) measure(cmd *exec.Cmd) (m measured) {
	r.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	if err := cmd.Start(); err != nil {
		r.Fatal(err)
	}
	ended := make(chan struct{})
	watched := make(chan int64)
	go func() { watched <- peak(cmd.Process.Pid, ended) }()
	err := cmd.Wait()
	close(ended)
	m.peak = <-watched
	if err != nil {
		r.Fatalf("%v:\n%s", err, stderr.String())
	}
	m.wall = time.Since(start)
	m.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return m
}

// peak follows VmHWM of a process. Its resource usage would not do: Linux counts in it what the parent had at the fork.
func peak(pid int, ended <-chan struct{}) (most int64) {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, ok := strings.Cut(string(status), "VmHWM:"); ok {
			if kb, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64); err == nil {
				most = max(most, kb<<10)
			}
		}
		select {
		case <-ended:
			return most
		case <-tick.C:
		}
	}
}

// remove deletes topics that a job left on the broker. Some may be gone already.
func (r *running) remove(ctx context.Context, prefix string) {
	topics, err := r.broker.Topics(ctx, prefix)
	if err != nil {
		r.Error(err)
	}
	for t := range topics {
		_ = r.broker.Delete(ctx, t)
	}
}
