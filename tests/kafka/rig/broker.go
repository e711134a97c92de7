package rig

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"
)

// Record is what is produced and read.
type Record struct {
	Topic      string
	Partition  int32 // -1: by the key's murmur2
	Offset     int64
	Key, Value []byte
	Time       time.Time
}

// Broker is a Kafka cluster as a test sees it.
type Broker struct {
	Addr string
	cl   *kgo.Client
	adm  *kadm.Client
}

// Connect reaches the cluster. Compression is lz4.
func Connect(addr string) (*Broker, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(addr), kgo.ProducerLinger(5*time.Millisecond), kgo.MaxBufferedRecords(100_000),
		kgo.ProducerBatchCompression(kgo.Lz4Compression()), kgo.RecordPartitioner(byPartitionOrKey()))
	if err != nil {
		return nil, err
	}
	return &Broker{addr, cl, kadm.NewClient(cl)}, nil
}

// Close releases the client.
func (b *Broker) Close() { b.cl.Close() }

func byPartitionOrKey() kgo.Partitioner {
	byKey := kgo.StickyKeyPartitioner(nil).ForTopic("")
	return kgo.BasicConsistentPartitioner(func(string) func(*kgo.Record, int) int {
		return func(r *kgo.Record, n int) int {
			if r.Partition >= 0 {
				return int(r.Partition)
			}
			return byKey.Partition(r, n)
		}
	})
}

// Create makes a topic that keeps everything.
func (b *Broker) Create(ctx context.Context, topic string, partitions int32) error {
	forever := "-1"
	_, err := b.adm.CreateTopic(ctx, partitions, 1, map[string]*string{"retention.ms": &forever}, topic)
	return err
}

// Grow adds partitions up to n.
func (b *Broker) Grow(ctx context.Context, topic string, n int) error {
	r, err := b.adm.UpdatePartitions(ctx, n, topic)
	if err != nil {
		return err
	}
	return r.Error()
}

// Delete removes topics.
func (b *Broker) Delete(ctx context.Context, topics ...string) error {
	r, err := b.adm.DeleteTopics(ctx, topics...)
	if err != nil {
		return err
	}
	return r.Error()
}

// Topics lists the topics whose names start with prefix, with their partition counts.
func (b *Broker) Topics(ctx context.Context, prefix string) (map[string]int, error) {
	all, err := b.adm.ListTopics(ctx)
	out := map[string]int{}
	for name, t := range all {
		if len(name) >= len(prefix) && name[:len(prefix)] == prefix {
			out[name] = len(t.Partitions)
		}
	}
	return out, err
}

// Send produces a record; failures come out of Flush.
func (b *Broker) Send(ctx context.Context, r Record, acked func(error)) {
	b.cl.Produce(ctx, &kgo.Record{Topic: r.Topic, Partition: r.Partition, Key: r.Key, Value: r.Value, Timestamp: r.Time}, func(_ *kgo.Record, err error) { acked(err) })
}

// Load produces n records and waits until all are on the broker.
func (b *Broker) Load(ctx context.Context, n int, record func(i int) Record) error {
	failed := make(chan error, 1)
	for i := range n {
		b.Send(ctx, record(i), func(err error) {
			if err != nil {
				select {
				case failed <- err:
				default:
				}
			}
		})
		if len(failed) > 0 {
			break
		}
	}
	if err := b.cl.Flush(ctx); err != nil {
		return err
	}
	select {
	case err := <-failed:
		return fmt.Errorf("loading: %w", err)
	default:
		return nil
	}
}

// ends are the end offsets of a topic that a reader of the isolation level can reach.
func (b *Broker) ends(ctx context.Context, topic string, committed bool) (map[int32]int64, error) {
	list := b.adm.ListEndOffsets
	if committed {
		list = b.adm.ListCommittedOffsets
	}
	l, err := list(ctx, topic)
	if err != nil {
		return nil, err
	}
	out := map[int32]int64{}
	l.Each(func(o kadm.ListedOffset) {
		if o.Err != nil {
			err = o.Err
		}
		out[o.Partition] = o.Offset
	})
	return out, err
}

// Count is how many records a topic holds, of one that was written without transactions and not compacted.
func (b *Broker) Count(ctx context.Context, topic string) (n int64, err error) {
	ends, err := b.ends(ctx, topic, false)
	for _, end := range ends {
		n += end
	}
	return n, err
}

// Settled says whether no transaction is open on a topic.
func (b *Broker) Settled(ctx context.Context, topic string) (bool, error) {
	all, err := b.ends(ctx, topic, false)
	if err != nil {
		return false, err
	}
	stable, err := b.ends(ctx, topic, true)
	for p, end := range all {
		if stable[p] != end {
			return false, err
		}
	}
	return true, err
}

// Transactions describes those of ids with a prefix, and what is open in the topics with it: for the log of a test that waits in vain.
func (b *Broker) Transactions(ctx context.Context, prefix string) (lines []string, err error) {
	topics, err := b.Topics(ctx, prefix)
	if err != nil {
		return nil, err
	}
	known, err := b.adm.DescribeTransactions(ctx)
	for _, t := range known.Sorted() {
		if strings.HasPrefix(t.TxnID, prefix) {
			lines = append(lines, fmt.Sprintf("%+v", t))
		}
	}
	set := kadm.TopicsSet{}
	for t, n := range topics {
		for p := range n {
			set.Add(t, int32(p))
		}
	}
	producers, more := b.adm.DescribeProducers(ctx, set)
	producers.EachProducer(func(p kadm.DescribedProducer) {
		if p.CurrentTxnStartOffset >= 0 {
			lines = append(lines, fmt.Sprintf("open: %+v", p))
		}
	})
	return lines, errors.Join(err, more)
}

// Reader reads a topic from its beginning as a read_committed consumer.
type Reader struct {
	b     *Broker
	cl    *kgo.Client
	topic string
	at    map[int32]int64
}

// Reader opens one.
func (b *Broker) Reader(topic string) (*Reader, error) {
	cl, err := kgo.NewClient(kgo.SeedBrokers(b.Addr), kgo.ConsumeTopics(topic), kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords(), kgo.FetchMaxWait(100*time.Millisecond))
	return &Reader{b: b, cl: cl, topic: topic, at: map[int32]int64{}}, err
}

// Close releases the client.
func (r *Reader) Close() { r.cl.Close() }

// Poll hands over the records that come within d.
func (r *Reader) Poll(ctx context.Context, d time.Duration, take func(Record)) error {
	wait, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	f := r.cl.PollRecords(wait, 50_000)
	for _, e := range f.Errors() {
		if wait.Err() == nil {
			return fmt.Errorf("reading %s/%d: %w", e.Topic, e.Partition, e.Err)
		}
	}
	f.EachRecord(func(k *kgo.Record) {
		r.at[k.Partition] = k.Offset + 1
		if !k.Attrs.IsControl() {
			take(Record{k.Topic, k.Partition, k.Offset, k.Key, k.Value, k.Timestamp})
		}
	})
	return ctx.Err()
}

// Rest hands over everything up to the end of what is committed now.
func (r *Reader) Rest(ctx context.Context, take func(Record)) error {
	ends, err := r.b.ends(ctx, r.topic, true)
	if err != nil {
		return err
	}
	for {
		left := false
		for p, end := range ends {
			left = left || r.at[p] < end
		}
		if !left {
			return nil
		}
		if err := r.Poll(ctx, time.Second, take); err != nil {
			return err
		}
	}
}

// ReadAll hands over all committed records of a topic.
func (b *Broker) ReadAll(ctx context.Context, topic string, take func(Record)) error {
	r, err := b.Reader(topic)
	if err != nil {
		return err
	}
	defer r.Close()
	return r.Rest(ctx, take)
}

// String names a record's place.
func (r Record) String() string {
	return r.Topic + "/" + strconv.Itoa(int(r.Partition)) + " at offset " + strconv.FormatInt(r.Offset, 10)
}
