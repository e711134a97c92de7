// Package kafka implements connectors.Cluster and connectors.Session on franz-go. It is the only package that imports it.
//
// A Session is a member of a consumer group and a transactional producer in one client (kgo.GroupTransactSession). Its
// rules, each with a test:
//   - A rebalance is let in only at the start of Poll with no epoch open, so it never cuts an epoch in two. It is
//     reported as a value, and fetching of the new assignment begins with the Poll after the report.
//   - Every transaction carries offsets. They are stamped with the generation and member that Poll reported; with any
//     other the commit is not sent. The generation is what stops a zombie: its producer heals itself.
//   - A failed produce aborts; franz-go would commit the rest.
//   - After an error that leaves the outcome of a commit open, and after a producer-epoch error, the session is dead.
package kafka
