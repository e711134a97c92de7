package tests

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/streamsql-go/streamsql/connectors/format/avro"
	_ "github.com/streamsql-go/streamsql/connectors/format/csv"
	_ "github.com/streamsql-go/streamsql/connectors/format/debezium"
	_ "github.com/streamsql-go/streamsql/connectors/format/json"
	_ "github.com/streamsql-go/streamsql/connectors/format/primitive"
	_ "github.com/streamsql-go/streamsql/connectors/format/protobuf"
	"github.com/streamsql-go/streamsql/tests/story"
)

// seed is STORY_SEED, to run a failure again; else 1.
func seed(t *testing.T) int64 {
	t.Helper()
	s := os.Getenv("STORY_SEED")
	if s == "" {
		return 1
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		t.Fatalf("STORY_SEED: %v", err)
	}
	return n
}

// TestStories runs every story under every regime. STORY_REGIMES narrows the regimes, STORY_SEED changes the seed.
func TestStories(t *testing.T) {
	files, err := filepath.Glob("stories/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no stories: %v", err)
	}
	names := os.Getenv("STORY_REGIMES")
	if names == "" {
		names = "all"
		if testing.Short() {
			names = ""
		}
	}
	regimes, err := story.Named(names, seed(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".sql"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			report, err := story.Run(context.Background(), file, string(text), regimes)
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range report.Failed() {
				t.Errorf("%s:%d: %s\nSTORY_REGIMES=%s STORY_SEED=%d\n%s", r.File, r.Line, r.Test, r.Regime.Name, r.Regime.Seed, r.Failure)
			}
		})
	}
}
