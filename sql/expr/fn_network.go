package expr

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"

	"github.com/streamsql-go/streamsql/sql/types"
)

func networkFunctions() []Function {
	ip := func(name, doc, example, result string, is func(netip.Addr) bool) Function {
		return Function{Name: name, Min: 1, Max: 1, Signature: name + "(text) -> BOOLEAN", Doc: doc, Example: example, Result: result,
			bind: seesNull(types.TBoolean, func(r *row) error {
				if r.null(0) {
					return r.retBool(false)
				}
				a, ok := parseIP(r.text(0))
				return r.retBool(ok && is(a))
			}, asText)}
	}
	return family("network", []Function{
		ip("IS_IPV4", "Whether a text is an IPv4 address; 0 for NULL.", "IS_IPV4('10.0.5.9')", "1", netip.Addr.Is4),
		ip("IS_IPV6", "Whether a text is an IPv6 address; 0 for NULL.", "IS_IPV6('::1')", "1", netip.Addr.Is6),
		{Name: "INET_ATON", Min: 1, Max: 1, Signature: "INET_ATON(text) -> BIGINT UNSIGNED", Doc: "An IPv4 address as a number, short forms too; NULL when it is none.",
			Example: "INET_ATON('10.0.5.9')", Result: "167773449", bind: simple(types.TUBigInt, inetAtonKernel, asText)},
		{Name: "INET_NTOA", Min: 1, Max: 1, Signature: "INET_NTOA(number) -> VARCHAR", Doc: "A number as an IPv4 address; NULL when it has more than 32 bits.",
			Example: "INET_NTOA(167773449)", Result: "10.0.5.9", bind: simple(types.TVarchar, func(r *row) error {
				n := r.int(0)
				if n < 0 || n > 1<<32-1 {
					return r.retNull()
				}
				var b [4]byte
				binary.BigEndian.PutUint32(b[:], uint32(n))
				dst := r.build()
				*dst = netip.AddrFrom4(b).AppendTo(*dst)
				return r.done()
			}, asInt)},
		{Name: "INET6_ATON", Min: 1, Max: 1, Signature: "INET6_ATON(text) -> VARBINARY", Doc: "The 4 or 16 bytes of an address; NULL when it is none.",
			Example: "HEX(INET6_ATON('fdfe::5a55:caff:fefa:9089'))", Result: "FDFE0000000000005A55CAFFFEFA9089", bind: simple(types.TVarbinary, func(r *row) error {
				a, ok := parseIP(r.text(0))
				if !ok {
					return r.retNull()
				}
				return r.retText(a.AsSlice())
			}, asText)},
		{Name: "INET6_NTOA", Min: 1, Max: 1, Signature: "INET6_NTOA(bytes) -> VARCHAR", Doc: "4 or 16 bytes as an address; NULL for other lengths.",
			Example: "INET6_NTOA(UNHEX('0A000509'))", Result: "10.0.5.9", bind: simple(types.TVarchar, func(r *row) error {
				a, ok := netip.AddrFromSlice(r.text(0))
				if !ok {
					return r.retNull()
				}
				dst := r.build()
				*dst = a.AppendTo(*dst)
				return r.done()
			}, asText)},
		{Name: "IP_IN_CIDR", Min: 2, Max: 2, Signature: "IP_IN_CIDR(address, network) -> BOOLEAN", Doc: "Whether an address lies in a network such as '10.0.0.0/8'; NULL when the address is none.",
			Example: "IP_IN_CIDR('10.1.2.3', '10.0.0.0/8')", Result: "1", bind: bindInCIDR},
		urlPart("URL_PROTOCOL", "The protocol of a URL.", "https", func(dst []byte, u *url.URL) []byte { return append(dst, u.Scheme...) }),
		urlPart("URL_HOST", "The host of a URL, without the port.", "example.org", func(dst []byte, u *url.URL) []byte { return append(dst, u.Hostname()...) }),
		urlPart("URL_PORT", "The port of a URL as text, where one is written.", "8443", func(dst []byte, u *url.URL) []byte { return append(dst, u.Port()...) }),
		urlPart("URL_PATH", "The path of a URL, decoded.", "/a b", func(dst []byte, u *url.URL) []byte { return append(dst, u.Path...) }),
		urlPart("URL_QUERY", "What stands between ? and #, as it is.", "q=x%20y&n=1", func(dst []byte, u *url.URL) []byte { return append(dst, u.RawQuery...) }),
		urlPart("URL_FRAGMENT", "What stands behind #, decoded.", "top", func(dst []byte, u *url.URL) []byte { return append(dst, u.Fragment...) }),
		{Name: "URL_PARAM", Min: 2, Max: 2, Signature: "URL_PARAM(url, name) -> VARCHAR", Doc: "The first value of a parameter of the query, decoded; NULL when there is none.",
			Example: "URL_PARAM('https://example.org/?q=x%20y&n=1', 'q')", Result: "x y", bind: simple(types.TVarchar, urlParamKernel, asText)},
		{Name: "URL_ENCODE", Min: 1, Max: 1, Signature: "URL_ENCODE(text) -> VARCHAR", Doc: "As a value of a query: %XX for what is no letter, digit or one of -_.~, and + for a blank.",
			Example: "URL_ENCODE('a b&c')", Result: "a+b%26c", bind: simple(types.TVarchar, urlEncodeKernel, asText)},
		{Name: "URL_DECODE", Min: 1, Max: 1, Signature: "URL_DECODE(text) -> VARCHAR", Doc: "The text that URL_ENCODE was given; NULL when a %XX is broken.",
			Example: "URL_DECODE('a+b%26c')", Result: "a b&c", bind: simple(types.TVarchar, func(r *row) error {
				s, err := url.QueryUnescape(string(r.text(0)))
				if err != nil {
					return r.retNull()
				}
				r.out.AppendString(s)
				return nil
			}, asText)},
	})
}

// parseIP reads an address without a zone.
func parseIP(s []byte) (netip.Addr, bool) {
	a, err := netip.ParseAddr(string(s))
	return a, err == nil && a.Zone() == ""
}

// inetAtonKernel reads a.b.c.d, and a.b.c, a.b and a as inet_aton does: the last number fills what is left.
func inetAtonKernel(r *row) error {
	parts := bytes.Split(r.text(0), []byte("."))
	if len(parts) > 4 {
		return r.retNull()
	}
	n := int64(0)
	for i, p := range parts {
		v, err := strconv.ParseUint(string(p), 10, 8)
		if err != nil {
			return r.retNull()
		}
		if i == len(parts)-1 {
			n <<= 8 * (4 - len(parts))
		}
		n = n<<8 | int64(v)
	}
	return r.retInt(n)
}

func bindInCIDR(f *Function, args []Expr) (Expr, error) {
	var fixed netip.Prefix
	if v, ok := constant(args[1]); ok && v.Kind == types.Varchar {
		var err error
		if fixed, err = netip.ParsePrefix(v.S); err != nil {
			return nil, fmt.Errorf("%q is not a network; write for example '10.0.0.0/8'", v.S)
		}
	}
	return simple(types.TBoolean, func(r *row) error {
		a, ok := parseIP(r.text(0))
		if !ok {
			return r.retNull()
		}
		network := fixed
		if !network.IsValid() {
			var err error
			if network, err = netip.ParsePrefix(string(r.text(1))); err != nil {
				return fmt.Errorf("IP_IN_CIDR: %q is not a network; write for example '10.0.0.0/8'", r.text(1))
			}
		}
		return r.retBool(network.Contains(a))
	}, asText)(f, args)
}

const exampleURL = "https://example.org:8443/a%20b?q=x%20y&n=1#top"

// urlPart is a function that takes a part out of a URL; the part is NULL when it is empty, or the text is no URL.
func urlPart(name, doc, result string, part func(dst []byte, u *url.URL) []byte) Function {
	return Function{Name: name, Min: 1, Max: 1, Signature: name + "(url) -> VARCHAR", Doc: doc + " NULL when there is none.", Example: name + "('" + exampleURL + "')", Result: result,
		bind: simple(types.TVarchar, func(r *row) error {
			u, err := url.Parse(string(r.text(0)))
			if err != nil {
				return r.retNull()
			}
			dst, at := r.build(), len(r.out.Bytes.Data)
			if *dst = part(*dst, u); len(*dst) == at {
				return r.retNull()
			}
			return r.done()
		}, asText)}
}

func urlParamKernel(r *row) error {
	_, query, _ := bytes.Cut(r.text(0), []byte("?"))
	query, _, _ = bytes.Cut(query, []byte("#"))
	for len(query) > 0 {
		var pair []byte
		pair, query, _ = bytes.Cut(query, []byte("&"))
		name, value, _ := bytes.Cut(pair, []byte("="))
		if n, err := url.QueryUnescape(string(name)); err != nil || n != string(r.text(1)) {
			continue
		}
		v, err := url.QueryUnescape(string(value))
		if err != nil {
			return r.retNull()
		}
		r.out.AppendString(v)
		return nil
	}
	return r.retNull()
}

func urlEncodeKernel(r *row) error {
	const digits = "0123456789ABCDEF"
	dst := r.build()
	for _, c := range r.text(0) {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', isDigitByte(c), c == '-', c == '_', c == '.', c == '~':
			*dst = append(*dst, c)
		case c == ' ':
			*dst = append(*dst, '+')
		default:
			*dst = append(*dst, '%', digits[c>>4], digits[c&15])
		}
	}
	return r.done()
}
