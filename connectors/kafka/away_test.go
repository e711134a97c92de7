package kafka

import (
	"context"
	"errors"
	"io"
	"net"
	"syscall"
	"testing"

	"github.com/twmb/franz-go/pkg/kerr"

	"github.com/streamsql-go/streamsql/connectors"
)

// TestAway: what passes when the brokers are back is told from what does not.
func TestAway(t *testing.T) {
	refused := &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	for _, c := range []struct {
		err  error
		want bool
	}{
		{refused, true},
		{io.EOF, true},
		{kerr.CoordinatorLoadInProgress, true},
		{kerr.NotCoordinator, true},
		{kerr.UnknownTopicOrPartition, false},
		{kerr.GroupAuthorizationFailed, false},
		{kerr.InvalidProducerEpoch, false},
		{context.Canceled, false},
	} {
		err := explain(c.err, subject{doing: "use", group: "g"})
		if got := errors.Is(err, connectors.ErrUnreachable); got != c.want {
			t.Errorf("%v: ErrUnreachable is %v, want %v", c.err, got, c.want)
		}
		if !errors.Is(err, c.err) {
			t.Errorf("%v: the cause is lost in %v", c.err, err)
		}
	}
}
