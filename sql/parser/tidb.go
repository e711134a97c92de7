package parser

import (
	"fmt"
	"strings"
	"sync"

	tidbparser "github.com/pingcap/tidb/pkg/parser"
	tidb "github.com/pingcap/tidb/pkg/parser/ast"
	"github.com/pingcap/tidb/pkg/parser/mysql"
	_ "github.com/pingcap/tidb/pkg/parser/test_driver" // makes the literals of TiDB's tree; only their kind is looked at

	"github.com/streamsql-go/streamsql/sql/ast"
)

// tidbParsers are pooled: one is heavy, and not safe for concurrent use.
var tidbParsers = sync.Pool{New: func() any {
	p := tidbparser.New()
	p.SetSQLMode(mysql.ModePipesAsConcat | mysql.ModeOnlyFullGroupBy)
	return p
}}

// prefix makes a SELECT of the expressions; the 1 keeps the first of them from being read as DISTINCT or another option.
const prefix = "SELECT 1,"

// read turns the tokens of expressions into expressions, all of them in one go.
func (p *parser) read(list []extent) []ast.Expr {
	exprs, aliases := p.readItems(list)
	for _, a := range aliases {
		if a.Name != "" {
			p.unexpectedAt(p.index(a.Start), "")
		}
	}
	if p.err != nil {
		return nil
	}
	return exprs
}

// readItems is read for a select list, where an expression may end in an alias without AS.
func (p *parser) readItems(list []extent) ([]ast.Expr, []ast.Ident) {
	if p.err != nil || len(list) == 0 {
		return nil, nil
	}
	first, last := p.toks[list[0].from], p.toks[list[len(list)-1].to-1]
	m := &mask{base: first.start, buf: []byte(strings.Repeat(" ", last.end-first.start))}
	for i, e := range list {
		p.mask(m, e.from, e.to)
		if i < len(list)-1 {
			m.put(p.toks[e.to].start, ",")
		}
	}
	if p.err != nil {
		return nil, nil
	}
	fields := p.tidb(prefix+string(m.buf), first.start-len(prefix), list)
	exprs, aliases := make([]ast.Expr, len(fields)), make([]ast.Ident, len(fields))
	c := &converter{p: p, shift: first.start - len(prefix)}
	for i, f := range fields {
		exprs[i], _ = c.expr(f.Expr)
		end := p.toks[list[i].to-1]
		if f.AsName.O != "" {
			aliases[i] = ast.Ident{Span: end.span(), Name: end.text}
		} else if end.kind == tokString && end.text == "" && f.Expr.OriginTextPosition()+c.shift != end.start && p.emptyAlias(list[i]) {
			p.fail(end.span(), "an alias cannot be empty")
		}
	}
	p.strayBracket(first.start, last.end)
	if p.err != nil {
		return nil, nil
	}
	return exprs, aliases
}

// emptyAlias tells whether the ” at the end of a select item is an alias, not the end of 'a' ”.
func (p *parser) emptyAlias(e extent) bool {
	before := p.toks[e.to-2]
	return before.endsOperand() && before.kind != tokString
}

// tidb parses the masked text of the expressions; shift is from its offsets to those of the original text.
func (p *parser) tidb(masked string, shift int, list []extent) []*tidb.SelectField {
	stmts, warns, err := parseTiDB(masked)
	switch {
	case err != nil:
		p.tidbError(err, masked, shift, list)
		return nil
	case len(warns) > 0:
		p.fail(p.extentSpan(list), "%s", lastLine(warns[0]))
		return nil
	}
	if len(stmts) == 1 {
		if s, ok := stmts[0].(*tidb.SelectStmt); ok && s.From == nil && s.Where == nil && s.Fields != nil && len(s.Fields.Fields) == len(list)+1 {
			fields := s.Fields.Fields[1:]
			for _, f := range fields {
				if f.Expr == nil {
					p.fail(p.extentSpan(list), `unexpected "*"`)
					return nil
				}
			}
			return fields
		}
	}
	p.fail(p.extentSpan(list), "this is not a list of expressions")
	return nil
}

func (p *parser) extentSpan(list []extent) ast.Span {
	return ast.Span{Start: p.toks[list[0].from].start, End: p.toks[list[len(list)-1].to-1].end}
}

// parseTiDB runs a pooled parser. A panic in it is an error of this text only; that parser is not used again.
func parseTiDB(text string) (stmts []tidb.StmtNode, warns []error, err error) {
	t := tidbParsers.Get().(*tidbparser.Parser)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the expression cannot be read: %v", r)
			return
		}
		tidbParsers.Put(t)
	}()
	stmts, warns, err = t.ParseSQL(text)
	// The slice belongs to the parser, the nodes do not.
	return append([]tidb.StmtNode(nil), stmts...), warns, err
}

// tidbError finds the token that TiDB's parser stopped at. A syntax error is `line 1 column 2 near "REST OF THE TEXT" `;
// the rest is cut at 2048 bytes and its length given.
func (p *parser) tidbError(err error, masked string, shift int, list []extent) {
	_, rest, ok := strings.Cut(err.Error(), ` near "`)
	if !ok {
		p.fail(p.extentSpan(list), "%s", lastLine(err))
		return
	}
	at := -1
	for i := p.index(shift + len(prefix)); i < len(p.toks); i++ {
		from := p.toks[i].start - shift
		if from > len(masked) {
			break
		}
		tail := masked[from:]
		if len(tail) > 2048 {
			if strings.HasPrefix(rest, tail[:2048]) && strings.Contains(rest, fmt.Sprintf("(total length %d)", len(tail))) {
				at = i
				break
			}
		} else if strings.HasPrefix(rest, tail+`"`) {
			at = i
			break
		}
	}
	if at < 0 { // the end of the text
		at = list[len(list)-1].to
	}
	p.unexpectedAt(at, "")
}

// lastLine is the message of a TiDB error without its class.
func lastLine(err error) string {
	s := strings.TrimSpace(err.Error())
	if strings.HasPrefix(s, "[") {
		if _, msg, ok := strings.Cut(s, "]"); ok {
			return msg
		}
	}
	return s
}
