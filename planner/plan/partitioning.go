package plan

import (
	"strings"

	"github.com/streamsql-go/streamsql/sql/expr"
)

// String is the hash's name.
func (h Hash) String() string {
	return [...]string{"none", "canonical", "murmur2", "crc32", "everywhere", "unmoved"}[h]
}

// Satisfies says whether rows with equal values of all of need are in one partition. That is so when p's expressions are
// some of need (or casts of them): what is partitioned by a part of a key is partitioned by the key. One partition
// satisfies everything.
func (p Partitioning) Satisfies(need []expr.Expr) bool {
	if p.Count == 1 {
		return true
	}
	if p.Hash == NoHash || len(p.Exprs) == 0 {
		return false
	}
	for _, e := range p.Exprs {
		found := false
		for _, n := range need {
			found = found || SameExpr(e, n) || SameExpr(expr.Uncast(e), n)
		}
		if !found {
			return false
		}
	}
	return true
}

// SameExpr says whether two expressions over the same schema are the same, whatever their columns are called.
func SameExpr(a, b expr.Expr) bool {
	return a.Type().Equal(b.Type()) && expr.Ordinals(a) == expr.Ordinals(b)
}

// String is the partitioning as EXPLAIN shows it.
func (p Partitioning) String() string {
	count := counted(p.Count, "partition")
	switch {
	case p.Hash == NoHash:
		return count + ", by nothing that is declared"
	case p.Hash == Everywhere:
		return count + ", each row in all of them"
	case p.Hash == Unmoved:
		return count + ", rows keep the number of theirs"
	case len(p.Exprs) == 0:
		return count
	}
	by := p.Hash.String()
	if p.KeyFormat != "" {
		by += " of " + p.KeyFormat
	}
	return count + " by " + list(p.Exprs) + " (" + by + ")"
}

func list(es []expr.Expr) string {
	var s []string
	for _, e := range es {
		s = append(s, e.String())
	}
	return strings.Join(s, ", ")
}
