package plan

// Topic is the shuffle's repartition topic.
func (s *Shuffle) Topic(app, query string) string { return RepartitionTopic(app, query, s.Name) }

// Topic is the state's changelog topic.
func (s State) Topic(app, query string) string { return ChangelogTopic(app, query, s.Name) }
