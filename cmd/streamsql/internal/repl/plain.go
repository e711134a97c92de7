package repl

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// plain reads lines where nothing can be edited: from a terminal that knows no escape sequences.
type plain struct {
	in   *bufio.Reader
	out  io.Writer
	hist *history
}

func (p *plain) read(prompt string) (string, bool, error) {
	fmt.Fprint(p.out, prompt)
	line, err := p.in.ReadString('\n')
	if err != nil && line == "" {
		fmt.Fprintln(p.out)
		return "", false, err
	}
	return strings.TrimRight(line, "\r\n"), false, nil
}

func (p *plain) remember(entry string) error { return p.hist.add(entry) }
func (p *plain) close() error                { return nil }
