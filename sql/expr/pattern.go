package expr

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"unicode/utf8"
)

// pattern is a regular expression that looks for what its matches have in common before it matches. What is not told here is
// as package regexp does it.
type pattern struct {
	*regexp.Regexp
	needs []byte // text that is part of every match
	// An expression with ^ inside, as in (&|^)id=, hides from package regexp that matches begin with some text. So where it has
	// such a place, matches at the start of the text are one expression, and the rest is another in which ^ matches nowhere.
	first, later *regexp.Regexp
}

// newPattern compiles an expression in the syntax of package regexp.
func newPattern(text string) (*pattern, error) {
	re, err := regexp.Compile(text)
	if err != nil {
		return nil, err
	}
	p := &pattern{Regexp: re}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	p.needs = needed(tree)
	if anchored(tree) {
		return p, nil
	}
	first := `\A(?:` + tree.String() + `)`
	if !cutStarts(tree) {
		return p, nil
	}
	if p.first, err = regexp.Compile(first); err != nil {
		return nil, err
	}
	if p.later, err = regexp.Compile(tree.String()); err != nil {
		return nil, err
	}
	return p, nil
}

// needed is the longest text that every match of a tree contains.
func needed(tree *syntax.Regexp) (longest []byte) {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 && !slices.Contains(tree.Rune, utf8.RuneError) { // which bytes that are no UTF-8 match, too
			return []byte(string(tree.Rune))
		}
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return needed(tree.Sub[0])
		}
	case syntax.OpCapture, syntax.OpConcat, syntax.OpPlus:
		for _, sub := range tree.Sub {
			if n := needed(sub); len(n) > len(longest) {
				longest = n
			}
		}
	}
	return longest
}

// anchored says whether all matches begin at the start of the text, as package regexp sees, too.
func anchored(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpCapture, syntax.OpConcat:
		return len(tree.Sub) > 0 && anchored(tree.Sub[0])
	}
	return false
}

// cutStarts makes the start of the text match nowhere in a tree, and says whether it did anywhere.
func cutStarts(tree *syntax.Regexp) bool {
	if tree.Op == syntax.OpBeginText {
		tree.Op, tree.Flags = syntax.OpNoMatch, 0
		return true
	}
	some := false
	for _, sub := range tree.Sub {
		some = cutStarts(sub) || some
	}
	return some
}

// at finds the first match by a method of package regexp.
func (p *pattern) at(s []byte, find func(*regexp.Regexp, []byte) []int) []int {
	switch {
	case !bytes.Contains(s, p.needs):
		return nil
	case p.later == nil:
		return find(p.Regexp, s)
	}
	if m := find(p.first, s); m != nil {
		return m
	}
	return find(p.later, s)
}

// FindIndex is that of package regexp.
func (p *pattern) FindIndex(s []byte) []int { return p.at(s, (*regexp.Regexp).FindIndex) }

// FindSubmatchIndex is that of package regexp.
func (p *pattern) FindSubmatchIndex(s []byte) []int {
	return p.at(s, (*regexp.Regexp).FindSubmatchIndex)
}

// Match is that of package regexp.
func (p *pattern) Match(s []byte) bool {
	switch {
	case !bytes.Contains(s, p.needs):
		return false
	case p.later == nil:
		return p.Regexp.Match(s)
	}
	return p.first.Match(s) || p.later.Match(s)
}
