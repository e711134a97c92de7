package connectors

import (
	"strings"
	"testing"
)

var optionTable = []Option{
	{Name: "file.path", Type: TextOption, Default: "-", Doc: "…"},
	{Name: "file.rows", Type: IntOption, Default: "5", Doc: "…"},
	{Name: "file.follow", Type: BoolOption, Default: "false", Doc: "…"},
	{Name: "file.pause", Type: DurationOption, Default: "1s", Doc: "…"},
	{Name: "file.<column>", Type: TextOption, Doc: "…"},
}

func TestOptions(t *testing.T) {
	o, err := CheckOptions(optionTable, []string{"userId"}, map[string]string{"FILE.Path": "x", "file.follow": "TRUE", "file.USERID": "u"})
	if err != nil {
		t.Fatal(err)
	}
	if o.Get("file.path") != "x" || !o.Bool("file.follow") || o.Get("file.userId") != "u" || o.Int("file.rows") != 5 || o.Duration("file.pause") != 1_000_000 {
		t.Errorf("got %v", o.given)
	}
}

func TestOptionErrors(t *testing.T) {
	for _, test := range []struct{ name, value, says string }{
		{"file.pth", "x", "did you mean 'file.path'?"},
		{"file.user", "x", "did you mean 'file.userId'?"},
		{"other.option", "x", "known are file.path, "},
		{"file.rows", "-1", "must be a whole number from 0, not '-1'"},
		{"file.rows", "many", "must be a whole number"},
		{"file.follow", "yes", "must be true or false"},
		{"file.pause", "soon", "not a duration"},
		{"file.pause", "-1s", "must be a duration"},
	} {
		_, err := CheckOptions(optionTable, []string{"userId"}, map[string]string{test.name: test.value})
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s=%s: got %v, want %q", test.name, test.value, err, test.says)
		}
	}
}
