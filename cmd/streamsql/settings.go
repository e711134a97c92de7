package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/streamsql-go/streamsql"
	"github.com/streamsql-go/streamsql/cmd/streamsql/internal/render"

	"github.com/streamsql-go/streamsql/sql/types"
)

// setting is one thing that can be configured by flag, -X, environment and file.
type setting struct {
	name  string // as in the file: state_dir
	short string // of the flag
	doc   string // of the flag, with its value between backquotes
	set   func(c *config, value string) error
}

func (s setting) flag() string { return strings.ReplaceAll(s.name, "_", "-") }

// config is what the settings say.
type config struct {
	options streamsql.Options
	start   string // "" when nothing was said
	output  string // "" when nothing was said
	logs    string
	http    listening
	define  map[string]string
}

// settings are all, in the order of the help text.
func settings() []setting {
	return []setting{
		{"brokers", "b", "Kafka bootstrap addresses, `host:port,..`; none: a broker in this process", setBrokers},
		{"name", "n", "`name` of the application, prefix of its groups and topics; equal names share the work (default: the file's base name)",
			func(c *config, v string) error { c.options.Name = v; return nil }},
		{"state_dir", "", "`directory` of this instance's state (default $XDG_STATE_HOME/streamsql/<name>/<free slot>)",
			func(c *config, v string) error { c.options.StateDir = v; return nil }},
		{"data_dir", "", "`directory` that keeps the records of the broker in this process", func(c *config, v string) error { c.options.DataDir = v; return nil }},
		{"memory", "", "`size` of the state held in memory, such as 64MB or 1GB (default 256MB)", setMemory},
		{"shuffle", "", "`auto|topic|local`: where rows go that must meet; topic serves any number of instances, local one, auto (default) is topic with -b, else local",
			func(c *config, v string) error { c.options.Shuffle = streamsql.Shuffle(v); return nil }},
		{"commit_interval", "", "`time` between transactions (default 100ms)", setCommitInterval},
		{"start", "", "`earliest|latest`: where a SELECT begins (default earliest; at a prompt with -b latest)", setStart},
		{"output", "o", "`form` of rows: table, vertical, jsonl, json, csv or markdown (default table on a terminal, else jsonl)", setOutput},
		{"http", "", "`host:port` of the page, its API, /metrics and the probes; elsewhere than on loopback it wants a token",
			func(c *config, v string) error { c.http.address = v; return nil }},
		{"http_write", "", "`true|false`: may the page and the API change something (default false)", setHTTPWrite},
		{"http_token", "", "`secret` that the page and the API ask for: better in STREAMSQL_HTTP_TOKEN or the file", func(c *config, v string) error { c.http.token = v; return nil }},
		{"http_cert", "", "`file` of a TLS certificate, PEM", func(c *config, v string) error { c.http.cert = v; return nil }},
		{"http_key", "", "`file` of its key, PEM", func(c *config, v string) error { c.http.key = v; return nil }},
		{"log_format", "", "`text|json`: form of the log (default text)", setLogFormat},
	}
}

func setBrokers(c *config, v string) error {
	c.options.Brokers = nil
	for b := range strings.SplitSeq(v, ",") {
		if b = strings.TrimSpace(b); b != "" {
			c.options.Brokers = append(c.options.Brokers, b)
		}
	}
	if len(c.options.Brokers) == 0 {
		return fmt.Errorf("use host:port")
	}
	return nil
}

func setMemory(c *config, v string) error {
	n, err := size(v)
	c.options.Memory = n
	return err
}

// size reads 64MB: bytes, or with a unit of powers of 1024.
func size(text string) (int64, error) {
	bad := fmt.Errorf("use a size such as 64MB or 1GB")
	digits := strings.TrimRight(strings.ToUpper(strings.TrimSpace(text)), "KMGTIB ")
	unit := strings.TrimSpace(strings.ToUpper(strings.TrimSpace(text))[len(digits):])
	n, err := strconv.ParseFloat(digits, 64)
	if err != nil || !(n > 0) || math.IsInf(n, 0) {
		return 0, bad
	}
	shift, ok := map[string]int{"": 0, "B": 0, "K": 10, "KB": 10, "KIB": 10, "M": 20, "MB": 20, "MIB": 20, "G": 30, "GB": 30, "GIB": 30, "T": 40, "TB": 40, "TIB": 40}[unit]
	if n = math.Ldexp(n, shift); !ok || n >= math.MaxInt64 {
		return 0, bad
	}
	return int64(n), nil
}

func setCommitInterval(c *config, v string) error {
	d, err := types.ParseGoDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("use a duration such as 100ms or 1s")
	}
	c.options.CommitInterval = d
	return nil
}

func setStart(c *config, v string) error {
	c.start = v
	return oneOf(v, "earliest", "latest")
}

func setOutput(c *config, v string) error {
	c.output = v
	return render.CheckForm(v)
}

func setLogFormat(c *config, v string) error {
	c.logs = v
	return oneOf(v, "text", "json")
}

func oneOf(v string, words ...string) error {
	for _, w := range words {
		if v == w {
			return nil
		}
	}
	last := len(words) - 1
	return fmt.Errorf("use %s or %s", strings.Join(words[:last], ", "), words[last])
}
