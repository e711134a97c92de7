package kafka

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/streamsql-go/streamsql/connectors"
)

// balancer is the group protocol "streamsql": the consumer protocol's messages with user data both ways. It is eager:
// every member gives its partitions up and joins again, and those that stay come back. One balancer serves one session.
type balancer struct {
	self memberData // without what is owned

	mu         sync.Mutex
	generation int32
	owned      []task
	verdict    verdict
	last       map[string][]task // by member name, if this member was the leader: for static members that came back
}

func newBalancer(o connectors.SessionOptions) *balancer {
	return &balancer{self: describe(o), generation: -1}
}

func (*balancer) ProtocolName() string { return "streamsql" }

func (*balancer) IsCooperative() bool { return false }

// JoinGroupMetadata is called before each join, with nothing for an eager member to have: what it owned last is ours.
func (b *balancer) JoinGroupMetadata([]string, map[string][]int32, int32) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	d := b.self
	d.generation, d.owned = b.generation, b.owned
	m := kmsg.NewConsumerMemberMetadata()
	m.Version = 0
	m.Topics = d.topics
	m.UserData = d.encode()
	return m.AppendTo(nil)
}

// ParseSyncAssignment also takes the verdict.
func (b *balancer) ParseSyncAssignment(raw []byte) (map[string][]int32, error) {
	var a kmsg.ConsumerMemberAssignment
	if len(raw) == 0 {
		return nil, nil
	}
	if err := a.ReadFrom(raw); err != nil {
		return nil, fmt.Errorf("assignment of the group's leader: %w", err)
	}
	if len(a.UserData) != 2 || a.UserData[0] != dataVersion {
		return nil, errMemberData
	}
	out := make(map[string][]int32, len(a.Topics))
	for _, t := range a.Topics {
		out[t.Topic] = t.Partitions
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.verdict = verdict(a.UserData[1])
	b.owned = b.owned[:0:0]
	for _, t := range b.self.tasks() {
		if ps := b.self.partitionsOf(t); len(ps) > 0 && slices.Contains(out[ps[0].Topic], t.p) {
			b.owned = append(b.owned, t)
		}
	}
	return out, nil
}

// joined tells the generation that the last assignment belongs to, and returns the leader's verdict.
func (b *balancer) joined(generation int32) verdict {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.generation = generation
	return b.verdict
}

func (b *balancer) MemberBalancer(in []kmsg.JoinGroupResponseMember) (kgo.GroupMemberBalancer, map[string]struct{}, error) {
	members := make([]member, 0, len(in))
	for _, m := range in {
		var meta kmsg.ConsumerMemberMetadata
		if err := meta.ReadFrom(m.ProtocolMetadata); err != nil {
			return nil, nil, fmt.Errorf("metadata of member %s: %w", m.MemberID, err)
		}
		d, err := decodeMember(meta.UserData)
		if err != nil {
			return nil, nil, err
		}
		name := m.MemberID
		if m.InstanceID != nil {
			name = *m.InstanceID
		}
		members = append(members, member{id: m.MemberID, name: name, data: d})
	}
	slices.SortFunc(members, func(x, y member) int {
		if x.name != y.name {
			return strings.Compare(x.name, y.name)
		}
		return strings.Compare(x.id, y.id)
	})
	// No topics: the partition counts are the plan's, so the client must not watch for new partitions and rebalance.
	return plan{b, members}, map[string]struct{}{}, nil
}

// plan is one balancing by the leader.
type plan struct {
	b       *balancer
	members []member
}

func (p plan) Balance(map[string]int32) kgo.IntoSyncAssignment {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	for i, m := range p.members { // a static member that came back forgot what it owned; the leader did not
		if len(m.data.owned) == 0 {
			p.members[i].data.owned = p.b.last[m.name]
		}
	}
	shares := assign(p.members)
	p.b.last = make(map[string][]task, len(shares))
	out := make(synced, len(shares))
	for i, m := range p.members {
		p.b.last[m.name] = shares[i].tasks
		out[i] = kmsg.NewSyncGroupRequestGroupAssignment()
		out[i].MemberID = m.id
		out[i].MemberAssignment = encodeShare(m.data, shares[i])
	}
	return out
}

type synced []kmsg.SyncGroupRequestGroupAssignment

func (s synced) IntoSyncAssignment() []kmsg.SyncGroupRequestGroupAssignment { return s }

func encodeShare(d memberData, s share) []byte {
	byTopic := make(map[string][]int32)
	for _, t := range s.tasks {
		for _, p := range d.partitionsOf(t) {
			byTopic[p.Topic] = append(byTopic[p.Topic], p.Partition)
		}
	}
	a := kmsg.NewConsumerMemberAssignment()
	a.UserData = []byte{dataVersion, byte(s.verdict)}
	for _, topic := range d.topics {
		if ps := byTopic[topic]; len(ps) > 0 {
			t := kmsg.NewConsumerMemberAssignmentTopic()
			t.Topic, t.Partitions = topic, ps
			a.Topics = append(a.Topics, t)
		}
	}
	return a.AppendTo(nil)
}
