package catalog

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"slices"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// Many says whether the relation reads several topics: a list, or those that match a pattern.
func (r *Relation) Many() bool { return r.Part == 0 && (len(r.Topics) > 0 || r.TopicPattern != "") }

// Matches says whether the relation's pattern is that of a topic.
func (r *Relation) Matches(topic string) bool {
	if r.TopicPattern == "" {
		return false
	}
	p, err := fullMatch(r.TopicPattern)
	return err == nil && p.MatchString(topic)
}

func fullMatch(pattern string) (*regexp.Regexp, error) {
	return regexp.Compile("^(?:" + pattern + ")$")
}

// PartBase is the least Part. What a part is known by in stored state must not change when the relation gets another topic, so it is no index, but a
// number made of the topic's name, beyond all indices.
const PartBase = 1 << 30

// PartOf is the part of a relation with several topics that reads one of them.
func (r *Relation) PartOf(topic string) *Relation {
	c := *r
	c.Topic, c.Topics, c.Part = topic, nil, PartNumber(topic)
	return &c
}

// PartNumber is a number of 31 bits, at least PartBase, made of a name.
func PartNumber(name string) int {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // a hash takes everything
	return PartBase + int(h.Sum64()%PartBase)
}

// setTopics takes one topic, or several with commas between them.
func setTopics(d *definition, v string) error {
	if !strings.Contains(v, ",") {
		return setTopic(d, strings.TrimSpace(v))
	}
	for name := range strings.SplitSeq(v, ",") {
		name = strings.TrimSpace(name)
		if err := topicName(name); err != nil {
			return err
		}
		if slices.Contains(d.r.Topics, name) {
			return fmt.Errorf("topic %s is named twice", name)
		}
		d.r.Topics = append(d.r.Topics, name)
	}
	slices.Sort(d.r.Topics)
	d.r.Topic = strings.Join(d.r.Topics, ", ")
	return nil
}

func setTopicPattern(d *definition, v string) error {
	if _, err := fullMatch(v); err != nil {
		return fmt.Errorf("%q is not a regular expression: %w", v, err)
	}
	d.r.TopicPattern, d.r.Topic = v, v
	return nil
}

// several refuses what a relation with several topics cannot be.
func (d *definition) several(c *ast.Create) error {
	if !d.r.Many() {
		return nil
	}
	option := "topic"
	if d.r.TopicPattern != "" {
		option = "topic_pattern"
	}
	at := optionSpan(c, option)
	switch {
	case d.given["topic"] && d.given["topic_pattern"]:
		return ast.Errorf(at, "topic and topic_pattern are given: a relation reads one or the other")
	case d.target:
		return ast.Errorf(at, "%s is written by its query, into one topic", d.r.Name)
	case d.r.Kind != ast.Stream:
		return ast.Unsupported(at, "a table of several topics", "the rows of a key would come in no order: one topic holds a table; CREATE TABLE … AS SELECT … LAST(x) … GROUP BY makes one of a stream")
	case d.r.Connector != "kafka":
		return ast.Errorf(at, "%s is of connector 'kafka', %s has '%s'", option, d.r.Name, d.r.Connector).WithHint("leave it out")
	case d.r.TopicPattern != "" && d.given["partitions"]:
		return ast.Errorf(optionSpan(c, "partitions"), "partitions creates a topic, but a pattern names none").WithHint("leave it out: topics that match have the partitions they have")
	}
	return nil
}
