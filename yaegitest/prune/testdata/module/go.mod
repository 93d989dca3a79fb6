module example.com/plugin

go 1.20

require (
	example.com/dep v1.0.0
	example.com/tests v1.0.0
)
