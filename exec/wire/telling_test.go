package wire

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/streamsql-go/streamsql/sql/types"
	"github.com/streamsql-go/streamsql/tests/trial"
)

func TestTellingRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := Telling{Offset: rapid.Int64Min(0).Draw(t, "offset"), Infos: map[TaskID]Info{}}
		for f := range rapid.IntRange(0, 3).Draw(t, "writers") {
			want.Writers = append(want.Writers, Writer{f, rapid.IntRange(1, 1<<10).Draw(t, "partitions")})
		}
		for id, i := range drawInfos(t) {
			want.Infos[id] = i.Outside()
		}
		record := want.Append([]byte("before"))[len("before"):]
		got, err := ReadTelling(record)
		if err != nil || got.Offset != want.Offset || !slices.Equal(got.Writers, want.Writers) || !maps.EqualFunc(got.Infos, want.Infos, Info.Equal) {
			t.Fatalf("got %+v, %v\nwant %+v", got, err, want)
		}
		if _, err := ReadTelling(record[:len(record)-1]); err == nil {
			t.Fatal("a record that is cut off is read")
		}
	})
	if _, err := ReadTelling([]byte("{}")); err == nil {
		t.Error("a record of another program is read")
	}
}

// TestCutMark: rows above w, cut down to milliseconds, are above what is told, which is the largest such mark.
func TestCutMark(t *testing.T) {
	for _, c := range []struct{ w, want int64 }{
		{9_999, 9_999},   // rows from 10,000 on stay there
		{10_000, 9_999},  // a row at 10,001 is cut to 10,000
		{10_998, 9_999},  // and one at 10,999
		{10_999, 10_999}, // the next is at 11,000
		{-1, -1}, {-2, -1001},
		{types.Never, types.Never},
	} {
		if got := CutMark(c.w); got != c.want {
			t.Errorf("%d: %d, want %d", c.w, got, c.want)
		}
	}
}

// TestOutside: the end of a bounded run means nothing to readers, an end for good does.
func TestOutside(t *testing.T) {
	i := Info{W: 9_999, Strict: 5_500, State: Finished, Run: 3, Generation: 2, Horizon: 70, Frontier: map[Root]int64{{0, 0}: 1}}
	if got, want := i.Outside(), (Info{W: 9_999, Strict: 4_999, State: Active, Generation: 2, Horizon: types.Never}); !got.Equal(want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	i.Run = ForGood
	if got := i.Outside(); got.State != Finished || !got.Ended(0) {
		t.Errorf("%+v is no end for good", got)
	}
}

// FuzzReadTelling: what is read as told is told again as the same.
func FuzzReadTelling(f *testing.F) {
	one := Telling{Offset: 9, Writers: []Writer{{1, 2}, {3, 4}}, Infos: map[TaskID]Info{
		{1, 0}: {W: 5, Strict: -1, State: Idle, Generation: 3}, {3, 1}: {W: 7, Strict: 7, State: Finished, Run: ForGood},
	}}
	trial.Fuzz(f, func(t testing.TB, record []byte) {
		got, err := ReadTelling(record)
		if err != nil {
			return
		}
		again, err := ReadTelling(got.Append(nil))
		if err != nil || again.Offset != got.Offset || !slices.Equal(again.Writers, got.Writers) || !maps.EqualFunc(again.Infos, got.Infos, Info.Equal) {
			t.Fatalf("%q: %+v, then %+v, %v", record, got, again, err)
		}
	}, string(one.Append(nil)), string([]byte{tellingV1, 0, 0, 0}))
}
