package kafka

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// bridge gives franz-go's warnings and errors to slog. Its levels below warn are chatter of every rebalance and commit, and
// what it says about brokers that are away is for debugging: presence says it once.
type bridge struct{ log *slog.Logger }

func (b bridge) Level() kgo.LogLevel { return kgo.LogLevelWarn }

func (b bridge) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	at := slog.LevelWarn
	if level == kgo.LogLevelError {
		at = slog.LevelError
	}
	if passes(msg, keyvals) {
		at = slog.LevelDebug
	}
	b.log.Log(context.Background(), at, "kafka client: "+msg, keyvals...)
}

// passes says whether a message is about something that passes when the brokers are back.
func passes(msg string, keyvals []any) bool {
	for _, v := range keyvals {
		if err, ok := v.(error); ok && away(err) {
			return true
		}
	}
	return strings.HasPrefix(msg, "unable to load producer ID") // names no error
}

// endings is the bridge of a session's client. It also overhears what franz-go tells by no other way: whether it was
// going to send the commit of a transaction, or had given it up before. The former leaves the outcome of an end that
// failed open, so it is what is assumed when nothing was heard.
type endings struct {
	bridge
	gaveUp atomic.Bool
}

func (e *endings) Level() kgo.LogLevel { return kgo.LogLevelInfo }

func (e *endings) Log(level kgo.LogLevel, msg string, keyvals ...any) {
	if level <= kgo.LogLevelWarn {
		e.bridge.Log(level, msg, keyvals...)
		return
	}
	if msg != "transaction session ending" {
		return
	}
	for i := 0; i+1 < len(keyvals); i += 2 {
		if keyvals[i] == "will_try_commit" {
			will, isBool := keyvals[i+1].(bool)
			e.gaveUp.Store(isBool && !will)
		}
	}
}
