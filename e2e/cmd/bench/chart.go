package main

import (
	"fmt"

	"github.com/go-analyze/charts"
)

// charted are the scenarios in the chart, in groups of one per number of connections.
var charted = []struct{ name, label string }{
	{"none/allowed/1", "no middleware"},
	{"native/allowed/1", "native, allowed"},
	{"token-bucket/allowed/1", "plugin, allowed"},
	{"native/denied/1", "native, denied"},
	{"token-bucket/denied/1", "plugin, denied"},
}

// chart draws the processor time per request as SVG.
func (r results) chart() ([]byte, error) {
	var labels, groups []string
	var values [][]float64
	for _, row := range charted {
		labels = append(labels, row.label)
		var series []float64
		for _, s := range scenarios {
			for _, n := range connections {
				if c := (cell{s, n}); s.name() == row.name && len(r[c]) > 0 {
					series = append(series, r.over(c, sample.cpu).median)
				}
			}
		}
		if len(series) != len(connections) {
			return nil, fmt.Errorf("chart: %s is not measured at all of %v connections", row.name, connections)
		}
		values = append(values, series)
	}
	for _, n := range connections {
		groups = append(groups, plural(n, "connection"))
	}
	painter := charts.NewPainter(charts.PainterOptions{OutputFormat: charts.ChartOutputSVG, Width: 960, Height: 480})
	option := charts.NewBarChartOptionWithData(values)
	option.Title.Text = "Processor time per request in µs, Traefik and Redis together: native RateLimit and this plugin"
	option.CategoryAxis.Labels = groups
	option.ValueAxis = []charts.ValueAxisOption{{Min: charts.Ptr(0.0)}}
	option.Legend.SeriesNames = labels
	option.Legend.Offset = charts.OffsetStr{Top: "32"}
	for i := range option.SeriesList {
		option.SeriesList[i].Label.Show = charts.Ptr(true)
		option.SeriesList[i].Label.ValueFormatter = func(v float64) string { return fmt.Sprintf("%.0f", v) }
	}
	if err := painter.BarChart(option); err != nil {
		return nil, fmt.Errorf("chart: %w", err)
	}
	return painter.Bytes()
}
