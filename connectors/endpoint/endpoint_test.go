package endpoint

import (
	"strings"
	"testing"

	"github.com/streamsql-go/streamsql/connectors"
)

func TestLookup(t *testing.T) {
	Register(Kind{Name: "tape"})
	if k, err := Lookup("tape"); err != nil || k.Name != "tape" {
		t.Error(k, err)
	}
	for name, says := range map[string]string{
		"parquet": `connector 'parquet' is not in this program: import _ "github.com/streamsql-go/streamsql/connectors/parquet"`,
		"tap":     "unknown connector 'tap'; did you mean tape?",
		"smoke":   "there are: kafka, go, tape",
	} {
		if _, err := Lookup(name); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"tape", "kafka", "go"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is registered again", name)
				}
			}()
			Register(Kind{Name: name})
		}()
	}
}

func TestProgress(t *testing.T) {
	p := Progress{}
	rs := []connectors.Record{{Offset: 4}, {Offset: 6}, {Offset: 9}}
	if at := p.Begin(0, -1); at != 0 {
		t.Error(at)
	}
	p.Delivered(0, rs[:2])
	if left := p.New(0, rs); len(left) != 1 || left[0].Offset != 9 || p[0] != 7 {
		t.Error(left, p)
	}
	p.Delivered(0, nil)
	if p[0] != 7 || len(p.New(1, rs)) != 3 {
		t.Error(p)
	}
}
