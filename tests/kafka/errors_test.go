package kafka_test

import (
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/streamsql-go/streamsql/tests/kafka/rig"
)

// fails waits for an instance to end with exit code 1 and a text that holds all of parts.
func (i *instance) fails(parts ...string) {
	i.s.Helper()
	if code := i.wait(30 * time.Second); code != 1 {
		i.s.Errorf("exit code %d, want 1", code)
	}
	text := i.tail(1)
	for _, p := range parts {
		if !strings.Contains(text, p) {
			i.s.Errorf("the last line of standard error does not say %q:\n%s", p, i.tail(5))
		}
	}
}

func TestMissingTopic(t *testing.T) {
	s := newScene(t)
	s.instance(0, s.file(script(dedup)), "--shuffle", "topic").
		fails("topic "+s.name+".messages of m does not exist", "create it", "partitions=")
}

// TestBrokerAway: nothing listens there.
func TestBrokerAway(t *testing.T) {
	s := newScene(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	s.must(err)
	addr := l.Addr().String()
	l.Close()
	away := *s
	b := *s.b
	b.Addr = addr
	away.b = &b
	i := away.instance(0, s.file(script(dedup)))
	s.all = append(s.all, i)
	i.fails("no broker answers at "+addr, "is it running")
}

// TestSecondLocalInstance: local shuffles serve one instance; the other ends and leaves the first alone.
func TestSecondLocalInstance(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(20_000, 9)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	file := s.file(script(dedup))
	first := s.instance(0, file, "--shuffle", "local")
	s.load(ms, topic, 0, 10_000)
	w.quiet(first)
	s.instance(1, file, "--shuffle", "local").fails("--shuffle topic", "stop the other")
	s.load(ms, topic, 10_000, len(ms))
	w.complete(first)
	s.nothingLeftOut(stopAll(first))
	w.final()
}

// TestChangedPlan: another query under the same name, beside the old one and after it, is refused and changes nothing.
func TestChangedPlan(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(20_000, 10)
	topic := s.topic("messages", 4)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	old := s.file(script(dedup))
	changed := s.file(script(strings.Replace(dedup, "TUMBLING(10s)", "TUMBLING(20s)", 1)))
	i := s.instance(0, old, "--shuffle", "topic")
	s.load(ms, topic, 0, 10_000)
	w.quiet(i)
	s.instance(1, changed, "--shuffle", "topic").fails("query sink", "another plan", "another name")
	i.stop()
	s.instance(0, changed, "--shuffle", "topic").fails("query sink", "another plan", "another name")
	i.start()
	s.load(ms, topic, 10_000, len(ms))
	w.complete(i)
	i.stop()
	w.final()
}

// TestGrownSource: more partitions stop the query, which would else read only some of them. Its state lies behind a shuffle,
// so that it goes on with all of them when it is started again (semantics S8).
func TestGrownSource(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(20_000, 11)
	topic := s.topic("messages", 2)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	i := s.instance(0, s.file(script(dedup, "idle_timeout='10m'")), "--shuffle", "topic")
	s.load(ms, topic, 0, 10_000)
	w.quiet(i)
	s.must(s.b.Grow(s.ctx, topic, 3))
	i.fails(topic, "3 partitions", "start the query again")
	i.start()
	s.load(ms, topic, 10_000, len(ms)) // by their keys over three partitions
	w.complete(i)
	s.nothingLeftOut(stopAll(i))
	w.final()
}

// TestRecreatedTopic: the offsets of a topic that was deleted and created again mean other records.
func TestRecreatedTopic(t *testing.T) {
	s := newScene(t)
	ms := rig.Messages(2_000, 12)
	topic := s.topic("messages", 2)
	s.topic("out", 3)
	w := s.watch(s.name+".out", rig.Dedup(ms))
	i := s.instance(0, s.file(script(dedup)), "--shuffle", "topic")
	s.load(ms, topic, 0, len(ms))
	w.complete(i)
	i.stop()
	s.must(s.b.Delete(s.ctx, topic))
	for s.b.Create(s.ctx, topic, 2) != nil { // deletion takes a moment
		time.Sleep(100 * time.Millisecond)
		s.must(s.ctx.Err())
	}
	i.start()
	i.fails("topic "+topic, "created again", "new name")
	w.final()
}

// TestSharedStateDirectory: two processes with one directory.
func TestSharedStateDirectory(t *testing.T) {
	s := newScene(t)
	s.topic("messages", 2)
	s.topic("out", 2)
	file := s.file(script(dedup))
	first := s.instance(0, file, "--shuffle", "topic")
	for { // until it holds its directory
		if entries, _ := os.ReadDir(first.stateDir()); len(entries) > 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
		first.alive()
	}
	second := s.instance(0, file, "--shuffle", "topic")
	if code := second.wait(20 * time.Second); code == 0 || !strings.Contains(second.tail(1), first.stateDir()) {
		t.Errorf("exit code %d, and it says %s", code, second.tail(1))
	}
	first.stop()
}
