package avro

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/streamsql-go/streamsql/connectors/format"
)

// cursor reads Avro's binary encoding. After a mistake it reads nothing more: zeros and empty bytes.
type cursor struct {
	data []byte
	at   int
	why  string // the mistake; "": none
}

func (c *cursor) fail(why string) {
	if c.why == "" {
		c.why = why
	}
}

// err is the mistake as a bad record.
func (c *cursor) err() error {
	if c.why == "" {
		return nil
	}
	return &format.BadRecord{Reason: format.Malformed, Err: fmt.Errorf("not valid Avro of its schema at byte %d of %d: %s", c.at, len(c.data), c.why)}
}

const endsEarly = "it ends too early"

// long reads an int or long: zigzag, seven bits a byte.
func (c *cursor) long() int64 {
	if c.at < len(c.data) && c.data[c.at] < 0x80 && c.why == "" {
		b := c.data[c.at]
		c.at++
		return int64(b>>1) ^ -int64(b&1)
	}
	return c.longer()
}

func (c *cursor) longer() int64 {
	if c.why != "" {
		return 0
	}
	u, n := binary.Uvarint(c.data[c.at:])
	switch {
	case n == 0:
		c.fail(endsEarly)
		return 0
	case n < 0:
		c.fail("a number is longer than 64 bits")
		return 0
	}
	c.at += n
	return int64(u>>1) ^ -int64(u&1)
}

// take reads n bytes. They are part of the data.
func (c *cursor) take(n int) []byte {
	if c.why != "" || n > len(c.data)-c.at {
		c.fail(endsEarly)
		return nil
	}
	b := c.data[c.at : c.at+n]
	c.at += n
	return b
}

// bytes reads a length and so many bytes.
func (c *cursor) bytes() []byte {
	n := c.long()
	if n < 0 {
		c.fail("a length is below zero")
		return nil
	}
	if n > int64(len(c.data)-c.at) {
		c.fail(endsEarly)
		return nil
	}
	return c.take(int(n))
}

func (c *cursor) boolean() bool {
	b := c.take(1)
	if len(b) == 1 && b[0] > 1 {
		c.fail("a boolean is neither 0 nor 1")
	}
	return len(b) == 1 && b[0] == 1
}

func (c *cursor) float() float64 {
	if b := c.take(4); len(b) == 4 {
		return float64(math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return 0
}

func (c *cursor) double() float64 {
	if b := c.take(8); len(b) == 8 {
		return math.Float64frombits(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// choice reads the place of a union's branch, or of an enum's symbol, among n.
func (c *cursor) choice(n int) int {
	i := c.long()
	if i < 0 || i >= int64(n) {
		if c.why == "" {
			c.fail(fmt.Sprintf("choice %d of %d", i, n))
		}
		return 0
	}
	return int(i)
}

// block reads how many items the next block of an array or map has; 0: there is none. The size in bytes that a block may have
// is not relied on: whether a record is good does not depend on which of its fields are wanted.
func (c *cursor) block() int64 {
	n := c.long()
	if n >= 0 {
		return n
	}
	if size := c.long(); size < 0 || size > int64(len(c.data)-c.at) || n == math.MinInt64 {
		c.fail("a block's size is impossible")
		return 0
	}
	return -n
}

const (
	// maxDepth is how deep values may lie in each other: in a type that contains itself, the data says how deep.
	maxDepth = 1000
	// mostEmpty is how many items without a byte an array may have: a few bytes could claim any number of them.
	mostEmpty = 1 << 16
)

// skip passes over a value.
func (c *cursor) skip(n *node, depth int) {
	if depth > maxDepth {
		c.fail("values lie too deep in each other")
	}
	if c.why != "" {
		return
	}
	switch n.kind {
	case boolean:
		c.boolean()
	case integer:
		c.long()
	case float:
		c.take(4)
	case double:
		c.take(8)
	case octets, text:
		c.bytes()
	case fixed:
		c.take(n.size)
	case enum:
		c.choice(len(n.symbols))
	case union:
		c.skip(n.branches[c.choice(len(n.branches))], depth+1)
	case record:
		for i := range n.fields {
			c.skip(n.fields[i].node, depth+1)
		}
	case array, mapping:
		c.skipBlocks(n, depth)
	}
}

func (c *cursor) skipBlocks(n *node, depth int) {
	var e empties
	for items := c.block(); items > 0 && c.why == ""; items = c.block() {
		for ; items > 0 && c.why == ""; items-- {
			from := c.at
			if n.kind == mapping {
				c.bytes()
			}
			c.skip(n.items, depth+1)
			e.count(c, from)
		}
	}
}

// empties counts the items of an array that took no byte.
type empties int

func (e *empties) count(c *cursor, from int) {
	if c.at == from {
		if *e++; *e > mostEmpty {
			c.fail("too many empty items")
		}
	}
}
