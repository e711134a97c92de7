package exec

import (
	"encoding/json"
	"strconv"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/exec/task"
	"github.com/streamsql-go/streamsql/exec/wire"
	"github.com/streamsql-go/streamsql/planner/plan"
)

// maxMetadata is the broker's default limit (offset.metadata.max.bytes).
const maxMetadata = 4096

// offsets are the positions that an epoch commits for its tasks. The metadata of a partition holds the records of all
// stateless tasks that read it, by fragment: several fragments may read one topic.
func (j *Job) offsets(dirty []*task.Task) (map[connectors.Partition]connectors.Offset, error) {
	out := map[connectors.Partition]connectors.Offset{}
	for _, t := range dirty {
		for _, p := range t.Inputs() {
			if _, done := out[p]; done {
				continue
			}
			o, err := j.offset(p)
			if err != nil {
				return nil, err
			}
			out[p] = o
		}
	}
	return out, nil
}

func (j *Job) offset(p connectors.Partition) (connectors.Offset, error) {
	o := connectors.Offset{At: -1}
	records := map[string]json.RawMessage{}
	for _, t := range j.parts[p] {
		if at, ok := t.Position(p); ok && (o.At < 0 || at < o.At) {
			o.At = at
		}
		if t.State() == nil && t.LastMeta() != nil {
			records[strconv.Itoa(t.ID.Fragment)] = t.LastMeta()
		}
	}
	if len(records) == 0 {
		return o, nil
	}
	b, err := json.Marshal(records)
	if len(b) > maxMetadata {
		j.once("metadata", "the record of a task is larger than most brokers allow in an offset's metadata", "bytes", len(b), "limit", maxMetadata)
	}
	o.Metadata = string(b)
	return o, err
}

// metadata is a stateless task's record, from the offsets of the partitions it reads.
func (j *Job) metadata(f *plan.Fragment, id wire.TaskID, committed map[connectors.Partition]connectors.Offset) []byte {
	for _, in := range f.Inputs {
		topic, _ := j.topicOf(in)
		c, ok := committed[connectors.Partition{Topic: topic, Partition: int32(id.Partition)}]
		if !ok || c.At < 0 || c.Metadata == "" {
			continue
		}
		var records map[string]json.RawMessage
		if err := json.Unmarshal([]byte(c.Metadata), &records); err != nil {
			continue // of another program: the position alone counts
		}
		if r := records[strconv.Itoa(f.ID)]; r != nil {
			return r
		}
	}
	return nil
}
