// Package dep has what is reached and what is not, as the comments say.
package dep

import (
	"errors"
	"fmt"
	"strings"

	"example.com/dep/inner"
)

// gone: with the declaration below it

// Upper is not reached. // gone
func Upper(s string) string { return strings.ToUpper(s) } // gone

//---------------------------------------- // kept: above what is kept

// Options are set by the plugin.
type Options struct { // kept: mentioned
	Limit Number
	hook  hook // kept: fields are never cut out
}

type hook func() // kept: the type of a field

func (hook) run() {} // gone

type Number int // kept: the type of a field

const start = 1 // kept: the group counts from it

const ( // kept: the third counts on those above it
	First  Number = iota + start // kept: as above
	Second                       // kept: as above
	Third                        // kept: mentioned
)

const ( // gone
	Fourth = iota // gone
)

type ( // kept: one of the group is mentioned
	Client struct { // kept: mentioned
		*inner.Base
		Asker Asker
	}
	Other struct{} // gone
)

// Asker is called by one of its methods.
type Asker interface { // kept: the type of a field
	Ask() string     // kept: called
	AskMore() string // kept: what satisfies Asker may be asserted to have it
	AskLess() string // gone
	Closer           // gone
}

type Closer interface { // gone
	CloseAll() // gone
}

type pinger interface { // kept: wide has its only method that is called
	Ping() // kept: called
}

type wide interface { // kept: mentioned by NewClient
	pinger // kept: a method of it is called
	Asker  // kept: a method of it is called
}

type asker struct{} // kept: mentioned by NewClient

func (asker) Ping()           {}                  // kept: an interface may call it
func (asker) Ask() string     { return answer() } // kept: an interface may call it
func (asker) AskMore() string { return answer() } // kept: an assertion may ask for it
func (asker) AskLess() string { return answer() } // gone
func (asker) CloseAll()       {}                  // gone

func answer() string { return "yes" } // kept: called by Ask

var _ Asker = asker{} // gone

// NewClient is called by the plugin.
func NewClient(o Options) *Client { // kept: called
	var w wide = asker{}
	w.Ping()
	return &Client{Base: &inner.Base{}, Asker: w}
}

func (c *Client) OfThePlugin() string { return "" }  // kept: an interface of the plugin may call it
func (c *Client) Close() error        { return nil } // gone

// Generic is instantiated by the plugin.
func Generic[T any](t T) T { return pass(t) } // kept: called

func pass[T any](t T) T { return t } // kept: called by Generic

type asserted interface { // kept: mentioned by Whole
	Ask() string     // kept: an assertion asks for all
	AskMore() string // kept: an assertion asks for all
}

func Whole(v interface{}) bool { // kept: called
	_, ok := v.(asserted)
	return ok
}

// Reflected is printed by the standard library.
type Reflected struct{} // kept: mentioned

func (Reflected) String() string    { return "" }  // kept: fmt.Stringer
func (Reflected) Strings() []string { return nil } // gone

type failure struct{ error } // kept: mentioned by Failing

func (f failure) Unwrap() error { return f.error } // kept: the errors package calls it, by no name
func (f failure) Code() int     { return 0 }       // gone

func Failing() error { return failure{errFailed} } // kept: called

var errFailed = errors.New("failed")          // kept: mentioned
var errOther = errors.New("other")            // gone
var later = func() string { return answer() } // gone
var counted = count()                         // kept: count may do something at the import

func count() int { // kept: called at the import
	return 1
}

func init() { atStart() } // kept: runs at the import

func atStart() {} // kept: called by init

func last() { fmt.Println() } // gone

// gone: behind the last declaration
