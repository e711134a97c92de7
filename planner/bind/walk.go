package bind

import "github.com/streamsql-go/streamsql/sql/ast"

// children are the sub-expressions of an expression, sub-queries left out.
func children(e ast.Expr) []ast.Expr {
	var out []ast.Expr
	add := func(es ...ast.Expr) {
		for _, x := range es {
			if x != nil {
				out = append(out, x)
			}
		}
	}
	switch e := e.(type) {
	case *ast.Unary:
		add(e.X)
	case *ast.Binary:
		add(e.X, e.Y)
	case *ast.IsNull:
		add(e.X)
	case *ast.IsTruth:
		add(e.X)
	case *ast.Between:
		add(e.X, e.Lo, e.Hi)
	case *ast.In:
		add(e.X)
		add(e.List...)
	case *ast.Like:
		add(e.X, e.Pattern)
	case *ast.Case:
		add(e.Operand)
		for _, w := range e.Whens {
			add(w.Cond, w.Then)
		}
		add(e.Else)
	case *ast.Cast:
		add(e.X)
	case *ast.Call:
		add(e.Args...)
		add(e.Filter)
		for _, o := range e.OrderBy {
			add(o.Expr)
		}
		if e.Over != nil {
			add(e.Over.PartitionBy...)
			for _, o := range e.Over.OrderBy {
				add(o.Expr)
			}
		}
	case *ast.Row:
		add(e.Items...)
	case *ast.Lambda:
		add(e.Body)
	}
	return out
}

func walk(e ast.Expr, visit func(ast.Expr)) {
	if e == nil {
		return
	}
	visit(e)
	for _, x := range children(e) {
		walk(x, visit)
	}
}

// expressions visits every expression of a SELECT.
func expressions(s *ast.Select, visit func(ast.Expr)) {
	for _, it := range s.Items {
		walk(it.Expr, visit)
	}
	walk(s.Where, visit)
	walk(s.Having, visit)
	walk(s.Qualify, visit)
	for _, w := range s.Windows {
		walk(&ast.Call{Over: &w.Spec}, visit)
	}
	for _, g := range s.GroupBy {
		walk(g, visit)
	}
	if s.Distinct != nil {
		for _, e := range s.Distinct.On {
			walk(e, visit)
		}
	}
	relations(s.From, func(r ast.Relation) {
		switch r := r.(type) {
		case *ast.Join:
			walk(r.On, visit)
		case *ast.Unnest:
			walk(r.Expr, visit)
		case *ast.Subquery:
			if s, ok := r.Query.(*ast.Select); ok && r.Lateral {
				expressions(s, visit)
			}
		case *ast.TableRef:
			if r.AsOf != nil {
				walk(r.AsOf.Expr, visit)
			}
		}
	})
}

func relations(r ast.Relation, visit func(ast.Relation)) {
	if r == nil {
		return
	}
	visit(r)
	if j, ok := r.(*ast.Join); ok {
		relations(j.Left, visit)
		relations(j.Right, visit)
	}
}
