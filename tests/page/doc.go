// Package page opens the page of an engine in a real Chromium. make test-page runs it: it needs the browser.
package page
