package kafka_test

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// ownBroker is a broker that a test may stop and kill.
type ownBroker struct {
	*testing.T
	dir string
}

func (o *ownBroker) do(command string) string {
	o.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "./broker.sh", command, o.dir)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		o.Fatalf("broker.sh %s: %v\n%s", command, err, stderr.String())
	}
	return strings.TrimSpace(string(out))
}

// TestBrokerOutage: the broker is killed in mid-run and comes back after some seconds, then stopped and started properly.
func TestBrokerOutage(t *testing.T) {
	newScene(t) // skips without a broker: then there may be none to start either
	o := &ownBroker{t, t.TempDir()}
	addr := o.do("start")
	t.Cleanup(func() { o.do("kill") })
	s := newSceneAt(t, addr)
	ms := rig.Messages(200_000, 8)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	// A partition must not turn idle while the loader cannot reach the broker: what it holds back would be late by the rules.
	file := s.file(script(dedup, "idle_timeout='10m'"))
	a, b := s.instance(0, file, "--shuffle", "topic"), s.instance(1, file, "--shuffle", "topic")
	l := s.stream(len(ms), 8_000, func(i int) rig.Record { return ms[i].Record(topic, i) })
	for _, command := range []string{"kill", "stop"} {
		w.look(3 * time.Second)
		o.do(command)
		time.Sleep(4 * time.Second)
		o.do("start")
	}
	l.finished(s)
	w.complete(a, b)
	w.look(time.Second)
	s.nothingLeftOut(stopAll(a, b))
	w.final()
}
