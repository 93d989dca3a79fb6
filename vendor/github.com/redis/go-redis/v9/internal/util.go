package internal

import (
	"context"
	"reflect"
	"strings"
	"time"
)

func Sleep(ctx context.Context, dur time.Duration) error {
	t := time.NewTimer(dur)
	defer t.Stop()

	// Yaegi: goroutines that run the same select wait on each other's channels.
	chosen, _, _ := reflect.Select([]reflect.SelectCase{
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(t.C)},
		{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(ctx.Done())},
	})
	if chosen == 1 {
		return ctx.Err()
	}
	return nil
}

func ReplaceSpaces(s string) string {
	return strings.ReplaceAll(s, " ", "-")
}
