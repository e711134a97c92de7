package registry

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/sr"

	"github.com/streamsql-go/streamsql/connectors"
)

// settings are what makes a client another one: two relations with the same share it.
type settings struct {
	urls                  string // separated by blanks
	user, password, token string
	ca, cert, key         string // files
	serverName            string
	insecure              bool
	timeout               time.Duration
}

func newSettings(o *connectors.Options) (settings, error) {
	s := settings{
		user: o.Get("registry.user"), password: o.Get("registry.password"), token: o.Get("registry.token"),
		ca: o.Get("registry.tls.ca"), cert: o.Get("registry.tls.cert"), key: o.Get("registry.tls.key"),
		serverName: o.Get("registry.tls.server_name"), insecure: o.Bool("registry.tls.insecure"),
		timeout: time.Duration(o.Duration("registry.timeout")) * time.Microsecond,
	}
	urls := strings.FieldsFunc(o.Get("registry.url"), func(r rune) bool { return r == ',' || r == ' ' })
	for _, u := range urls {
		parsed, err := url.Parse(u)
		if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
			return s, errors.New("option 'registry.url' must be http://host:port or https://host:port, several separated by commas")
		}
		if parsed.User != nil {
			return s, errors.New("option 'registry.url' holds a user: give registry.user and registry.password instead")
		}
	}
	s.urls = strings.Join(urls, " ")
	switch {
	case s.timeout <= 0:
		return s, errors.New("option 'registry.timeout' must be above zero")
	case s.token != "" && s.user != "":
		return s, errors.New("registry.token and registry.user exclude each other: leave one of them out")
	case s.password != "" && s.user == "":
		return s, errors.New("registry.password goes with registry.user: name the user")
	case (s.cert == "") != (s.key == ""):
		return s, errors.New("registry.tls.cert and registry.tls.key belong together: give both")
	}
	return s, nil
}

func (s settings) options() ([]sr.ClientOpt, error) {
	opts := []sr.ClientOpt{sr.URLs(strings.Fields(s.urls)...), sr.UserAgent("streamsql"), sr.HTTPClient(&http.Client{Timeout: s.timeout})}
	switch {
	case s.token != "":
		opts = append(opts, sr.BearerToken(s.token))
	case s.user != "":
		opts = append(opts, sr.BasicAuth(s.user, s.password))
	}
	if s.ca == "" && s.cert == "" && s.serverName == "" && !s.insecure {
		return opts, nil
	}
	config := &tls.Config{ServerName: s.serverName, InsecureSkipVerify: s.insecure, MinVersion: tls.VersionTLS12}
	if s.ca != "" {
		pem, err := os.ReadFile(s.ca)
		if err != nil {
			return nil, fmt.Errorf("registry.tls.ca: %w", err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("registry.tls.ca: %s holds no PEM certificate", s.ca)
		}
	}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return nil, fmt.Errorf("registry.tls.cert: %w", err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	return append(opts, sr.DialTLSConfig(config)), nil
}
