package kafka

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/streamsql-go/streamsql/connectors"
)

// subject names what a request was about, for messages: the parts that are known.
type subject struct {
	doing     string // "read", "write", "create", "trim", ...
	topic     string
	group     string
	txn       string
	operation string // of the ACL that allows it
}

// explain turns an error of the client into one that says what to do. The cause stays wrapped.
func explain(err error, s subject) error {
	if err == nil {
		return nil
	}
	for _, e := range explanations {
		if errors.Is(err, e.cause) {
			return fmt.Errorf("%s: %w", e.say(s), err)
		}
	}
	if away(err) {
		return unreached{fmt.Errorf("cannot %s: %w", s, err)}
	}
	return fmt.Errorf("cannot %s: %w", s, err)
}

// unreached is an error that is connectors.ErrUnreachable too.
type unreached struct{ error }

func (u unreached) Unwrap() error        { return u.error }
func (u unreached) Is(target error) bool { return target == connectors.ErrUnreachable }

// away reports errors that pass when the brokers are back. The client retries most requests by itself, but not after a
// refused connection.
func away(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) || kgo.IsRetryableBrokerErr(err) || passing(err)
}

func (s subject) String() string {
	switch {
	case s.topic != "":
		return s.doing + " topic " + s.topic
	case s.group != "":
		return s.doing + " group " + s.group
	case s.txn != "":
		return s.doing + " transactional id " + s.txn
	}
	return s.doing
}

var explanations = []struct {
	cause error
	say   func(subject) string
}{
	{kerr.TopicAuthorizationFailed, func(s subject) string {
		return fmt.Sprintf("the broker does not allow this user to %s topic %s: allow %s on Topic:%s",
			s.doing, s.topic, orDefault(s.operation, "READ"), s.topic)
	}},
	{kerr.GroupAuthorizationFailed, func(s subject) string {
		return fmt.Sprintf("the broker does not allow this user to use group %s: allow %s on Group:%s", s.group, orDefault(s.operation, "READ"), s.group)
	}},
	{kerr.TransactionalIDAuthorizationFailed, func(s subject) string {
		return fmt.Sprintf("the broker does not allow this user to use transactional id %s: allow WRITE and DESCRIBE on TransactionalId:%s",
			s.txn, s.txn)
	}},
	{kerr.ClusterAuthorizationFailed, func(s subject) string {
		return fmt.Sprintf("the broker does not allow this user to %s: allow %s on Cluster:kafka-cluster",
			s, orDefault(s.operation, "IDEMPOTENT_WRITE"))
	}},
	{kerr.UnknownTopicOrPartition, func(s subject) string {
		return fmt.Sprintf("topic %s (or its partition) does not exist: create it, or declare it with partitions", s.topic)
	}},
	{kerr.UnknownTopicID, func(s subject) string {
		return fmt.Sprintf("topic %s was deleted and created again while in use; its offsets mean nothing any more: "+
			"start the query under a new name, or restart it with fresh state", s.topic)
	}},
	{kerr.FencedInstanceID, func(s subject) string {
		return fmt.Sprintf("another process joined group %s with this instance's id: is the state directory shared or copied? "+
			"give each instance its own", s.group)
	}},
	{kerr.PolicyViolation, func(s subject) string {
		return fmt.Sprintf("the broker's policy refuses to %s", s)
	}},
	{kerr.MessageTooLarge, func(s subject) string {
		return fmt.Sprintf("a record for topic %s is larger than the broker takes: raise max.message.bytes of the topic (and kafka.max_batch, for more than 2 MiB), "+
			"or make it smaller", s.topic)
	}},
	{kerr.InvalidTimestamp, func(s subject) string {
		return fmt.Sprintf("topic %s does not take the event time of a record: it is further from the broker's clock than the topic allows; "+
			"raise message.timestamp.after.max.ms and message.timestamp.before.max.ms of the topic", s.topic)
	}},
	{kerr.InvalidReplicationFactor, func(s subject) string {
		return fmt.Sprintf("cannot create topic %s: the cluster has fewer brokers than the replication factor asks for", s.topic)
	}},
	{kerr.SaslAuthenticationFailed, func(subject) string {
		return "the broker refused the login: check kafka.sasl.user, kafka.sasl.password and kafka.sasl.mechanism"
	}},
	{kerr.UnsupportedSaslMechanism, func(subject) string {
		return "the broker does not offer this SASL mechanism: set kafka.sasl.mechanism to one that it offers"
	}},
	{kgo.ErrClientClosed, func(s subject) string { return "cannot " + s.String() + ": closed" }},
}

// unreachable says why no broker answered at addresses.
func unreachable(err error, addresses []string, o Options) error {
	at := strings.Join(addresses, ", ")
	var (
		header  tls.RecordHeaderError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
		eof     *kgo.ErrFirstReadEOF
		dns     *net.DNSError
	)
	switch {
	case errors.Is(err, kerr.SaslAuthenticationFailed), errors.Is(err, kerr.UnsupportedSaslMechanism):
		return explain(err, subject{doing: "log in"})
	case errors.As(err, &header):
		return fmt.Errorf("the broker at %s does not speak TLS on this port: drop the kafka.tls options, or use the TLS port: %w", at, err)
	case errors.As(err, &unknown):
		return fmt.Errorf("the certificate of the broker at %s is signed by an unknown authority: set kafka.tls.ca: %w", at, err)
	case errors.As(err, &host):
		return fmt.Errorf("the certificate of the broker at %s is for another name: set kafka.tls.server_name: %w", at, err)
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Errorf("unknown host in %s: check -b (kafka.brokers): %w", at, err)
	case errors.As(err, &eof), errors.Is(err, io.EOF), isReset(err):
		switch {
		case o.SASL != nil:
			return fmt.Errorf("the broker at %s closed the connection at the login: check kafka.sasl.user, kafka.sasl.password and "+
				"kafka.sasl.mechanism, and whether it wants TLS (kafka.tls = true): %w", at, err)
		case o.TLS == nil:
			return fmt.Errorf("the broker at %s closed the connection at once: it may want TLS (kafka.tls = true) or a login (kafka.sasl.*): %w", at, err)
		}
	}
	if o.TLS != nil && isContext(err) {
		return fmt.Errorf("no broker answers at %s: is it running, and does this port speak TLS? try -b host:port (kafka.brokers): %w", at, err)
	}
	return fmt.Errorf("no broker answers at %s: is it running? try -b host:port (kafka.brokers): %w", at, err)
}

func isReset(err error) bool { return strings.Contains(err.Error(), "connection reset by peer") }

// fenced reports errors that only another holder of the transactional or instance id, or the broker's transaction
// time-out, brings: real brokers answer INVALID_PRODUCER_EPOCH where kfake and older ones answer PRODUCER_FENCED.
func fenced(err error) bool {
	for _, e := range []error{kerr.ProducerFenced, kerr.InvalidProducerEpoch, kerr.FencedInstanceID, kerr.InvalidProducerIDMapping} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

func isContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// noTopic is the error for a topic that is not there.
func noTopic(name string) error {
	return explain(kerr.UnknownTopicOrPartition, subject{doing: "read", topic: name})
}

func lost(cause error) error {
	return fmt.Errorf("%w: %w", connectors.ErrFenced, cause)
}
