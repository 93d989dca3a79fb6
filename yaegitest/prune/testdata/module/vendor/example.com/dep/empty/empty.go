// Package empty is reached by what is not reached.
package empty

func Use() {}
