package connectors

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrFenced is wrapped by errors of a Session that lost its place for good: another holder of its transactional id or
// group instance id came, or the broker gave its transaction up. Close the session and open a new one.
var ErrFenced = errors.New("session was fenced")

// ErrUnreachable is wrapped by errors of a Session or Cluster that pass when the brokers are back: nobody answers, or the
// one that answers has no leader or coordinator yet. What was under way is lost like after a crash.
var ErrUnreachable = errors.New("the brokers cannot be reached")

// ErrRefused is wrapped by an ErrAborted whose cause does not pass by trying again: the broker refuses a record for what it
// is (too large, a timestamp out of its range), or the right to write it.
var ErrRefused = errors.New("the broker refuses a record")

// ErrOffsetGone is returned by Session.Poll and Cluster.Read when the wanted position is not in the log: retention,
// DeleteRecords, a topic that was created again, or an unclean leader election.
type ErrOffsetGone struct {
	Partition  Partition
	Wanted     int64
	Start, End int64 // the log as it is now: [Start, End)
}

func (e *ErrOffsetGone) Error() string {
	return fmt.Sprintf("offset %d of topic %s partition %d is gone: the log now holds [%d, %d); records were lost to this query "+
		"(retention, or the topic was truncated): restore them, or start anew under another name, or allow the loss with on_data_loss='continue'",
		e.Wanted, e.Partition.Topic, e.Partition.Partition, e.Start, e.End)
}

// PartitionsError says that a topic that exists has another number of partitions than asked for.
type PartitionsError struct {
	Topic     string
	Want, Got int32
}

func (e *PartitionsError) Error() string {
	return fmt.Sprintf("topic %s has %d partitions, but %d are needed: delete it, or declare partitions = %d",
		e.Topic, e.Got, e.Want, e.Got)
}

// CheckPartitions compares specs with what the cluster says exists. Topics that got does not hold, and specs without a
// partition count, are passed over. All differences are reported, joined, each as a *PartitionsError.
func CheckPartitions(specs []TopicSpec, got map[string]TopicInfo) error {
	var errs []error
	for _, s := range specs {
		if info, ok := got[s.Name]; ok && s.Partitions > 0 && info.Partitions != s.Partitions {
			errs = append(errs, &PartitionsError{Topic: s.Name, Want: s.Partitions, Got: info.Partitions})
		}
	}
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
