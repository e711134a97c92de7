package format

import (
	"strings"
	"testing"
)

func TestRegistry(t *testing.T) {
	if _, err := Lookup("test-rows"); err == nil || !strings.Contains(err.Error(), "known are") {
		t.Errorf("before: %v", err)
	}
	f := Format{Name: "test-rows", NewDecoder: func(Spec) (Decoder, error) { return nil, nil }}
	Register(f)
	if _, err := NewDecoder("Test-Rows", Spec{}); err != nil {
		t.Errorf("after: %v", err)
	}
	if _, err := NewEncoder("test-rows", Spec{}, nil); err == nil || !strings.Contains(err.Error(), "cannot be written") {
		t.Errorf("an encoder it does not have: %v", err)
	}
	if _, err := NewKeyCodec("test-rows", Of(Column{Name: "k"})); err == nil || !strings.Contains(err.Error(), "not a key format") {
		t.Errorf("keys it does not have: %v", err)
	}
	if _, err := Lookup("BigInt"); err == nil || !strings.Contains(err.Error(), `import _ "github.com/streamsql-go/streamsql/connectors/format/primitive"`) {
		t.Errorf("a format of a package that is not imported: %v", err)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second registration was accepted")
		}
	}()
	Register(f)
}
