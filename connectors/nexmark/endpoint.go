package nexmark

import (
	"time"

	"github.com/streamsql-go/streamsql/connectors/endpoint"
)

func init() {
	endpoint.Register(endpoint.Kind{
		Name: "nexmark", Doc: "the events of the Nexmark benchmark", Options: Table,
		Check: func(r endpoint.Relation) error {
			_, err := New(r.Columns, r.Format, r.Options, time.UnixMilli(0))
			return err
		},
		NewSource: newSource,
	})
}

func newSource(r endpoint.Relation, env endpoint.Env) (endpoint.Source, error) {
	g, err := New(r.Columns, r.Format, r.Options, env.Clock.Now())
	if err != nil {
		return endpoint.Source{}, err
	}
	s := endpoint.Source{Feed: NewFeed(g, env.Clock)}
	if g.Endless() {
		s.Bound = "give it nexmark.events"
	}
	return s, nil
}
