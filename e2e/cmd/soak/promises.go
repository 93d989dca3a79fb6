package main

import (
	"fmt"
	"sync"
)

// promises are the promises that were broken, with their first examples.
type promises struct {
	mu     sync.Mutex
	broken []string
	more   int
}

// examplesMost bounds the examples: what breaks a promise once may do so a million times.
const examplesMost = 20

// broke notes that a promise was broken.
func (p *promises) broke(format string, args ...any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.broken) == examplesMost {
		p.more++
		return
	}
	p.broken = append(p.broken, fmt.Sprintf(format, args...))
}

// err is nil when all promises were held.
func (p *promises) err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.broken) == 0 {
		return nil
	}
	text := "promises broken:"
	for _, b := range p.broken {
		text += "\n  " + b
	}
	if p.more > 0 {
		text += fmt.Sprintf("\n  and %d more", p.more)
	}
	return fmt.Errorf("%s", text)
}
