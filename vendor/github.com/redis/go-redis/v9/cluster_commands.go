package redis

import "context"

type ClusterCmdable interface {
	ReadOnly(ctx context.Context) *StatusCmd
}

func (c cmdable) ReadOnly(ctx context.Context) *StatusCmd {
	cmd := NewStatusCmd(ctx, "readonly")
	_ = c(ctx, cmd)
	return cmd
}
