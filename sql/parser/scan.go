package parser

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// TokenKind is the class of a Token.
type TokenKind uint8

// The classes.
const (
	Word     TokenKind = iota // an unquoted name or keyword; 10s too
	Quoted                    // `name`
	String                    // 'x' or "x"
	Number                    // in any notation
	Punct                     // an operator or a bracket
	Variable                  // @x
	Comment                   // to its end, or to that of the text
	Unclosed                  // a string or quoted name without its end, to the end of the text
	Bad                       // what the language does not have
)

// Token is one lexical element of a text that may be unfinished or wrong.
type Token struct {
	Kind TokenKind
	ast.Span
	Text string // as a parser takes it: decoded, without quotes
}

// Is tells whether t is the unquoted word w, in any case.
func (t Token) Is(w string) bool { return t.Kind == Word && strings.EqualFold(t.Text, w) }

// Punct tells whether t is the operator or bracket s.
func (t Token) Punct(s string) bool { return t.Kind == Punct && t.Text == s }

// Name tells whether t is a name, quoted or not.
func (t Token) Name() bool { return t.Kind == Word || t.Kind == Quoted }

var scanKinds = map[tokenKind]TokenKind{
	tokWord: Word, tokQuoted: Quoted, tokString: String, tokInt: Number, tokDecimal: Number, tokFloat: Number, tokHex: Number,
	tokBit: Number, tokVar: Variable, tokPunct: Punct, tokBad: Bad,
}

// Scan cuts any text into tokens, comments included: for editors, which see it before it is finished. There is no error; what is
// wrong is a token of its own.
func Scan(text string) []Token {
	var out []Token
	at := 0
	gap := func(to int) {
		if body := strings.TrimSpace(text[at:max(to, at)]); body != "" && body != "\ufeff" {
			start := at + strings.Index(text[at:], body)
			out = append(out, Token{Kind: Comment, Span: ast.Span{Start: start, End: start + len(body)}, Text: body})
		}
	}
	for _, t := range lex(text) {
		gap(t.start)
		if t.kind == tokEOF {
			break
		}
		k := Token{Kind: scanKinds[t.kind], Span: t.span(), Text: t.text}
		if t.kind == tokBad {
			k.Text = text[t.start:t.end]
			switch first := text[t.start]; {
			case k.Text == "/*":
				k.Kind, k.End = Comment, len(text)
			case strings.ContainsRune("'\"`", rune(first)) && len(k.Text) == 1:
				k.Kind, k.End, k.Text = Unclosed, len(text), text[t.start+1:]
			}
		}
		out = append(out, k)
		at = max(at, k.End)
	}
	return out
}

// Keyword tells whether a word belongs to the grammar: to colour it.
func Keyword(word string) bool {
	return reserved().has(word) || streamingWords.has(word) || grammarWords.has(word)
}

// grammarWords are words of the dialect that may be names, too.
var grammarWords = words(strings.Join(clauseWords, " ") + " " + strings.Join(statementWords, " ") + ` OFFSET SIZE GAP STEP OVER FILTER
	STREAMS TABLES VIEWS TOPICS QUERIES FUNCTIONS OPTIONS SETTINGS STATUS EXTENDED ANALYZE BEGINNING LATERAL UNNEST INTERVAL ZONE
	REPLACE IF EXISTS TRUE FALSE NULL END SYSTEM_TIME`)
