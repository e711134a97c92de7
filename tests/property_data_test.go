package tests

import (
	"fmt"
	"math/rand"
	"sort"
	"strings"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/partition"
)

// epoch is 2030-01-01T00:00:00Z, where the clock of a lab stands at first; event times of random data lie after it.
const epochMillis = 1893456000000

// sourceSpec is one random source.
type sourceSpec struct {
	name       string
	table      bool
	prompt     bool // rows reach the broker as soon as those of a table, of which a stream is made
	keyed      bool // the Kafka key is declared and decides the partition
	partitions int32
	disorder   int64 // milliseconds
	idle       int64 // idle_timeout, milliseconds; 0: longer than anything takes
	delay      int64 // of a table: how much later than its event time a row may reach the broker, milliseconds; 0: within WITHIN 1s
	history    int64 // of a table, milliseconds; 0: longer than anything takes
	columns    string
	rows       int
}

func (s sourceSpec) ddl() string {
	kind, key := "STREAM", ""
	cols := s.columns
	if s.table {
		kind = "TABLE"
		cols += ", PRIMARY KEY (id)"
	}
	if s.keyed {
		key = ", key='id'"
	}
	if s.history > 0 {
		key += fmt.Sprintf(", history='%dms'", s.history)
	}
	idle := s.idle
	if idle == 0 {
		idle = 60_000
	}
	return fmt.Sprintf("CREATE %s %s (%s) WITH (topic='%s', partitions=%d, disorder='%dms', idle_timeout='%dms'%s);\n", kind, s.name, cols, s.name, s.partitions, s.disorder, idle, key)
}

// event is something that happens to a partition at an instant (milliseconds after the epoch): a record, or the end of a
// producer's transaction.
type event struct {
	at   int64
	rec  connectors.Record
	txn  int // 0: none
	ends bool
	fate bool // of ends: committed
}

type random struct{ *rand.Rand }

func (r random) pick(xs ...int64) int64 { return xs[r.Intn(len(xs))] }

func (r random) chance(percent int) bool { return r.Intn(100) < percent }

// data makes the events of a source. Stream rows reach the broker at or after their event time, table rows (and prompt ones) within 900 ms
// of it (so that WITHIN 1s covers them) unless they have a delay; some partitions are silent, some rows late, repeated, NULL or broken.
func (r random) data(s sourceSpec, span int64, txn *int) []event {
	silent := int32(-1)
	if s.partitions > 1 && r.chance(30) {
		silent = r.Int31n(s.partitions)
	}
	burst := r.chance(40)
	var out []event
	for range s.rows {
		ts := r.Int63n(span)
		if burst && r.chance(60) {
			ts = span/4 + r.Int63n(700)
		}
		e := r.record(s, ts)
		if e.rec.Partition == silent {
			if s.keyed {
				continue
			}
			e.rec.Partition = (silent + 1) % s.partitions
		}
		out = append(out, e)
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].at < out[j].at })
	if r.chance(40) {
		out = r.transactions(out, txn)
	}
	return out
}

func (r random) record(s sourceSpec, ts int64) event {
	e := event{at: ts}
	id := fmt.Sprintf("k%d", r.Intn(6))
	fields := []string{fmt.Sprintf(`"v":%d`, r.Intn(100)-30), fmt.Sprintf(`"g":"g%d"`, r.Intn(4))}
	if s.table || s.prompt {
		e.at += r.Int63n(max(s.delay, 900))
	} else {
		e.at += r.Int63n(s.disorder + 1)
		if r.chance(12) {
			e.at += r.Int63n(2*s.disorder + 3000)
		}
	}
	if s.columns == ordersColumns {
		fields = append(fields, fmt.Sprintf(`"asof":%d`, epochMillis+max(0, ts-r.Int63n(5000))))
	}
	if s.columns == taggedColumns && r.chance(85) {
		fields = append(fields, `"tags":`+r.one("null", "[]", `["x0"]`, `["x1",null]`, `["x2","x1","x2"]`))
	}
	e.rec = connectors.Record{Topic: s.name, Partition: r.Int31n(s.partitions), Timestamp: epochMillis + ts, Key: []byte(id)}
	if s.keyed {
		e.rec.Partition = partition.Murmur2([]byte(id), s.partitions)
	} else if !s.table && r.chance(50) {
		e.rec.Key = nil
	}
	switch {
	case s.keyed && s.table && r.chance(15):
		return e // a tombstone
	case !s.keyed && r.chance(4):
		id = "null"
	default:
		id = `"` + id + `"`
	}
	e.rec.Value = []byte(`{"id":` + id + "," + strings.Join(fields, ",") + "}")
	if !s.keyed && r.chance(2) {
		e.rec.Value = e.rec.Value[:len(e.rec.Value)-2]
	}
	return e
}

// transactions puts runs of records into transactions that end some time later, one in five aborted.
func (r random) transactions(in []event, txn *int) []event {
	var out []event
	open := 0
	var until int64
	end := func() {
		out = append(out, event{at: until, txn: open, ends: true, fate: r.chance(80)})
		open = 0
	}
	for _, e := range in {
		if open > 0 && e.at > until {
			end()
		}
		if open == 0 && r.chance(30) {
			*txn++
			open, until = *txn, e.at+r.Int63n(2500)
		}
		if open > 0 && r.chance(75) {
			e.txn = open
		}
		out = append(out, e)
	}
	if open > 0 {
		end()
	}
	return out
}
