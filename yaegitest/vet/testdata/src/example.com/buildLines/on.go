package buildLines // want `Yaegi reads zz_off.go, which the compiler leaves out`

func which() string { return "on" }

func Demo() string { return which() }
