package generate

import (
	"time"

	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

func init() {
	endpoint.Register(endpoint.Kind{
		Name: "generate", Doc: "made-up rows, the same for the same seed", Options: Table,
		Check: func(r endpoint.Relation) error {
			_, err := New(r.Columns, r.Options, time.UnixMilli(0))
			return err
		},
		NewSource: newSource,
	})
}

func newSource(r endpoint.Relation, env endpoint.Env) (endpoint.Source, error) {
	g, err := New(r.Columns, r.Options, env.Clock.Now())
	if err != nil {
		return endpoint.Source{}, err
	}
	s := endpoint.Source{}
	if g.rows == 0 {
		s.Bound = "give it generate.rows"
	}
	s.Feed, err = NewFeed(g, r.Format, r.Spec, env.Clock)
	return s, err
}
