package embedded_test

import (
	"context"
	"io"
	"log/slog"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
	"github.com/streamsql-go/streamsql/connectors/kafka"
	"github.com/streamsql-go/streamsql/connectors/kafka/embedded"
)

func connect(t *testing.T, b *embedded.Broker) *kafka.Cluster {
	t.Helper()
	c, err := kafka.New(t.Context(), kafka.Options{Brokers: []string{b.Addr()}, Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDataDirSurvivesARestart(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	b, err := embedded.Start(embedded.Options{DataDir: dir, Partitions: 3})
	if err != nil {
		t.Fatal(err)
	}
	c := connect(t, b)
	if err := c.Create(ctx, connectors.TopicSpec{Name: "t"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(ctx, connectors.Record{Topic: "t", Partition: 2, Value: []byte("kept")}); err != nil {
		t.Fatal(err)
	}
	c.Close()
	b.Close()

	b, err = embedded.Start(embedded.Options{DataDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	c = connect(t, b)
	defer c.Close()
	topics, err := c.Topics(ctx)
	if err != nil || topics["t"].Partitions != 3 {
		t.Fatalf("%v, %v", topics, err)
	}
	var got []string
	err = c.Read(ctx, connectors.Partition{Topic: "t", Partition: 2}, 0, 1, func(rs []connectors.Record) error {
		for _, r := range rs {
			got = append(got, string(r.Value))
		}
		return nil
	})
	if err != nil || len(got) != 1 || got[0] != "kept" {
		t.Errorf("%v, %v", got, err)
	}
	// A topic is not created by asking for it.
	if _, err := c.Write(ctx, connectors.Record{Topic: "typo", Value: []byte("x")}); err == nil {
		t.Error("writing created a topic")
	}
}

func TestPortInUse(t *testing.T) {
	b, err := embedded.Start(embedded.Options{Port: 39871})
	if err != nil {
		t.Skip("port taken by another program: ", err)
	}
	defer b.Close()
	if second, err := embedded.Start(embedded.Options{Port: 39871}); err == nil {
		second.Close()
		t.Error("two brokers on one port")
	}
}
