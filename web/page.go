package web

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed assets
var assets embed.FS

// page serves the files of the page.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	files, err := fs.Sub(assets, "assets")
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	http.FileServerFS(files).ServeHTTP(w, r)
}
