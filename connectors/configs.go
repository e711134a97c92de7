package connectors

import "context"

type configsKey struct{}

// WithConfigs asks Cluster.Topics called with the returned context to fill TopicInfo.Configs.
func WithConfigs(ctx context.Context) context.Context {
	return context.WithValue(ctx, configsKey{}, true)
}

// WantsConfigs reports whether ctx came from WithConfigs.
func WantsConfigs(ctx context.Context) bool { return ctx.Value(configsKey{}) != nil }
