package parser

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/streamsql-go/streamsql/sql/ast"
)

// dump writes a tree without its places: Type{field:value …}, names and literals in short, zero fields left out.
func dump(v any) string { return dumpValue(reflect.ValueOf(v)) }

func dumpValue(v reflect.Value) string {
	switch x := v.Interface().(type) {
	case ast.Ident:
		return x.Name
	case ast.Duration:
		return fmt.Sprintf("%dus", x.Micros)
	case *ast.Name:
		var parts []string
		for _, p := range x.Parts {
			parts = append(parts, p.Name)
		}
		return strings.Join(parts, ".")
	case *ast.Literal:
		kinds := [...]string{"null", "bool", "int", "dec", "float", "str", "hex", "date", "time", "ts", "interval"}
		s := fmt.Sprintf("%s(%q)", kinds[x.Kind], x.Text)
		if x.Unit != "" {
			s += x.Unit
		}
		return s
	case *ast.Binary:
		return "(" + dump(x.X) + " " + x.Op + " " + dump(x.Y) + ")"
	case *ast.Unary:
		return "(" + x.Op + " " + dump(x.X) + ")"
	case ast.TypeName:
		return dumpType(x)
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return dumpValue(v.Elem())
	case reflect.Slice:
		var parts []string
		for i := range v.Len() {
			parts = append(parts, dumpValue(v.Index(i)))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Struct:
		var parts []string
		for i := range v.NumField() {
			f := v.Type().Field(i)
			if f.Type == reflect.TypeFor[ast.Span]() || v.Field(i).IsZero() {
				continue
			}
			parts = append(parts, f.Name+":"+dumpValue(v.Field(i)))
		}
		return v.Type().Name() + "{" + strings.Join(parts, " ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

func dumpType(t ast.TypeName) string {
	s := t.Name
	for i, n := range t.Args {
		s += map[bool]string{true: "(", false: ","}[i == 0] + fmt.Sprint(n)
	}
	if len(t.Args) > 0 {
		s += ")"
	}
	if t.Unsigned {
		s += " UNSIGNED"
	}
	if t.Elem != nil {
		s += "<" + dumpType(*t.Elem) + ">"
	}
	for i, f := range t.Fields {
		s += map[bool]string{true: "<", false: ", "}[i == 0] + f.Name.Name + " " + dumpType(f.Type)
	}
	if len(t.Fields) > 0 {
		s += ">"
	}
	return s
}

// walk calls visit for every node below v that has a place.
func walk(v reflect.Value, visit func(n any, at ast.Span)) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			walk(v.Elem(), visit)
		}
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[ast.Span]() {
			return
		}
		if f := v.FieldByName("Span"); f.IsValid() && v.CanAddr() {
			visit(v.Addr().Interface(), f.Interface().(ast.Span))
		}
		for i := range v.NumField() {
			walk(v.Field(i), visit)
		}
	}
}
