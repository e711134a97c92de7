// Package rig is what tests and benchmarks against a real broker have in common: inputs that are functions of a count and a
// seed, loading them, reading outputs as a read_committed consumer does, and judging those row by row.
package rig

import (
	"fmt"
	"math/rand"
	"strconv"
	"time"
)

// Base is the event time of the first record.
var Base = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// PerWindow is how many messages fall into 10 s of event time: one per 0.1 ms.
const PerWindow = 100_000

var kinds = [...]string{"view", "cart", "buy", "noop"}

const pad = "Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt ut labor"

// Message is a record of the deduplication and count inputs, keyed by its user.
type Message struct {
	ID, User, Cents int32
	Kind            uint8
}

// Messages are n messages: 10 % repeat one of the last 2,000 ids, under another key and so mostly in another partition. The
// first n of a longer list with the same seed are the same.
func Messages(n int, seed int64) []Message {
	rng := rand.New(rand.NewSource(seed))
	out := make([]Message, n)
	next := int32(0)
	for i := range out {
		id := next
		if back := 1 + rng.Intn(2000); i > 10 && rng.Intn(10) == 0 {
			id = out[i-1-(back-1)%i].ID
		} else {
			next++
		}
		out[i] = Message{ID: id, User: int32(rng.Intn(100_000)), Cents: int32(rng.Intn(100_000)), Kind: uint8(rng.Intn(len(kinds)))}
	}
	return out
}

// MessageID is the column message_id.
func (m Message) MessageID() string { return fmt.Sprintf("m-%012d", m.ID) }

// KindName is the column kind.
func (m Message) KindName() string { return kinds[m.Kind] }

// Window is the number of the 10 s window the message at place seq lies in.
func Window(seq int) int { return seq / PerWindow }

// At is the event time of the message at place seq.
func At(seq int) time.Time { return Base.Add(time.Duration(seq/10) * time.Millisecond) }

// Record is the message at place seq as a Kafka record: 230 bytes of JSON.
func (m Message) Record(topic string, seq int) Record {
	v := make([]byte, 0, 256)
	v = fmt.Appendf(v, `{"message_id":"%s","user_id":%d,"amount":%d.%02d,"kind":"%s","seq":%d,"note":"%s"}`,
		m.MessageID(), m.User, m.Cents/100, m.Cents%100, m.KindName(), seq, pad)
	return Record{Topic: topic, Partition: -1, Key: strconv.AppendInt(nil, int64(m.User), 10), Value: v, Time: At(seq)}
}

// Context is a row of the join's table.
type Context struct {
	ID, Version int
}

// Owner and Region are its other columns.
func (c Context) Owner() string  { return fmt.Sprintf("owner-%d", c.Version%5000) }
func (c Context) Region() string { return fmt.Sprintf("eu-%d", c.Version%17) }

// Record is the row as a record whose key is its id or, foreign, another column.
func (c Context) Record(topic string, at time.Time, key string) Record {
	v := fmt.Appendf(nil, `{"id":"c-%08d","owner":"%s","region":"%s","version":%d,"note":"%s"}`, c.ID, c.Owner(), c.Region(), c.Version, pad)
	return Record{Topic: topic, Partition: -1, Key: []byte(key), Value: v, Time: at}
}

// Key is its id as a Kafka key.
func (c Context) Key() string { return fmt.Sprintf("c-%08d", c.ID) }

// Operation is a record of the join's stream: it refers to a context.
type Operation struct {
	Context int32
	Kind    uint8
}

// Operations are n operations over the given number of contexts.
func Operations(n, contexts int, seed int64) []Operation {
	rng := rand.New(rand.NewSource(seed))
	out := make([]Operation, n)
	for i := range out {
		out[i] = Operation{int32(rng.Intn(contexts)), uint8(rng.Intn(len(kinds)))}
	}
	return out
}

// KindName is the column kind.
func (o Operation) KindName() string { return kinds[o.Kind] }

// Record is the operation at place seq.
func (o Operation) Record(topic string, seq int, at time.Time) Record {
	v := fmt.Appendf(nil, `{"op_id":"o-%010d","ctx_id":"c-%08d","kind":"%s","seq":%d,"note":"%s"}`, seq, o.Context, o.KindName(), seq, pad)
	return Record{Topic: topic, Partition: -1, Key: fmt.Appendf(nil, "o-%010d", seq), Value: v, Time: at}
}
