package wrapInterface

import (
	"fmt"
	"net/http"
	"net/http/httptest"
)

type recorder struct {
	http.ResponseWriter // want `recorder embeds http.ResponseWriter`
	status              int
}

func (r *recorder) WriteHeader(status int) {
	r.status = status
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Flush() {}

type whole struct{ w http.ResponseWriter } // want `whole is an http.ResponseWriter`

func (o *whole) Header() http.Header         { return o.w.Header() }
func (o *whole) Write(p []byte) (int, error) { return o.w.Write(p) }
func (o *whole) WriteHeader(status int)      { o.w.WriteHeader(status) }

type fine struct{ next http.Handler }

var flusher bool

func look(w http.ResponseWriter, _ *http.Request) { _, flusher = w.(http.Flusher) }

func Demo() string {
	h := http.StripPrefix("/a", http.HandlerFunc(look)) // calls look from compiled code
	h.ServeHTTP(&recorder{ResponseWriter: httptest.NewRecorder()}, httptest.NewRequest("GET", "/a/b", nil))
	return fmt.Sprint(flusher)
}
