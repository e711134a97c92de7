package wire

import (
	"errors"
	"maps"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/tests/trial"
)

func drawInfos(t *rapid.T) map[TaskID]Info {
	index := rapid.IntRange(0, 1<<20)
	id := rapid.Custom(func(t *rapid.T) TaskID { return TaskID{index.Draw(t, "fragment"), index.Draw(t, "partition")} })
	root := rapid.Custom(func(t *rapid.T) Root { return Root{index.Draw(t, "source"), index.Draw(t, "partition")} })
	info := rapid.Custom(func(t *rapid.T) Info {
		return Info{
			W: rapid.Int64().Draw(t, "w"), Strict: rapid.Int64().Draw(t, "strict"), State: rapid.SampledFrom([]State{Active, Idle, Finished}).Draw(t, "state"),
			Generation: rapid.Int32().Draw(t, "generation"), Run: rapid.Int().Draw(t, "run"), Horizon: rapid.Int64().Draw(t, "horizon"),
			Frontier: rapid.MapOfN(root, rapid.Int64(), 0, 5).Draw(t, "frontier"),
		}
	})
	return rapid.MapOfN(id, info, 0, 5).Draw(t, "infos")
}

func read(record []byte) (map[TaskID]Info, error) {
	out := map[TaskID]Info{}
	err := ReadControl(record, func(id TaskID, i Info) { out[id] = i })
	return out, err
}

func TestControlRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		infos := drawInfos(t)
		record := AppendControl([]byte("before"), infos)[len("before"):]
		got, err := read(record)
		if err != nil || !IsControl(record) || !maps.EqualFunc(got, infos, Info.Equal) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, infos)
		}
		if again := AppendControl(nil, got); string(again) != string(record) {
			t.Fatal("the same news have two records")
		}
		if cut := rapid.IntRange(0, len(record)-1).Draw(t, "cut"); len(record) > 0 {
			if _, err := read(record[:cut]); !errors.Is(err, ErrFormat) {
				t.Fatalf("%d of %d bytes: %v", cut, len(record), err)
			}
		}
	})
}

func TestControlOfAnotherVersion(t *testing.T) {
	for _, record := range [][]byte{nil, {}, {rowsV1, 0}, {controlV1}, {controlV1, 1, 0, 0, 0, 0, 3, 0, 0, 0, 0}} {
		if got, err := read(record); !errors.Is(err, ErrFormat) || len(got) > 0 {
			t.Errorf("%v: %v, %v", record, got, err)
		}
	}
}

// Watermarks never go back, whatever the order of the news; the rest is what was said last.
func TestMerge(t *testing.T) {
	known := Info{W: 10, Strict: 9, Horizon: 50, State: Idle, Generation: 3, Run: 1}
	for _, test := range []struct{ news, want Info }{
		{Info{W: 20, Strict: 8, Horizon: 40, State: Active, Generation: 4, Run: 2}, Info{W: 20, Strict: 9, Horizon: 50, State: Active, Generation: 4, Run: 2}},
		{Info{W: 5, Strict: 30, Horizon: 60, State: Finished}, Info{W: 10, Strict: 30, Horizon: 60, State: Finished}},
	} {
		if got := known.Merge(test.news); !got.Equal(test.want) {
			t.Errorf("%+v after %+v: got %+v", test.news, known, got)
		}
	}
}

func FuzzReadControl(f *testing.F) {
	one := map[TaskID]Info{{1, 2}: {W: 5, Strict: -1, State: Idle, Generation: 3, Run: 4, Horizon: 6, Frontier: map[Root]int64{{0, 1}: 7}}}
	trial.Fuzz(f, func(t testing.TB, record []byte) {
		_ = ReadControl(record, func(_ TaskID, i Info) {
			if s := i.State.String(); s == "" {
				t.Fatal("a state without a name")
			}
		})
	}, string(AppendControl(nil, one)), string([]byte{controlV1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}))
}
