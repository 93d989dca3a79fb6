package dep

import "example.com/dep/empty"

func Empty() { empty.Use() } // gone
