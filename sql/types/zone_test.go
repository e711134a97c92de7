package types

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestZonesAreOurs: a machine whose zone files say something else changes nothing: here Berlin has Tokyo's clock.
func TestZonesAreOurs(t *testing.T) {
	if dir := os.Getenv("ZONEINFO"); dir != "" { // in the process below
		if l, err := time.LoadLocation("Europe/Berlin"); err != nil || offset(l, 0) != 9 {
			t.Fatalf("the machine's zones are not the ones that were made up: %v", err)
		}
		l, err := ZoneOf("Europe/Berlin")
		if err != nil || offset(l, 0) != 1 || offset(l, 1719792000) != 2 { // 1970 in winter, 2024-07-01 in summer time
			t.Errorf("Berlin is not what the database says: %v", err)
		}
		return
	}
	dir := t.TempDir()
	f, err := zoneFiles()["Asia/Tokyo"].Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "Europe"), 0o755); err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(dir, "Europe", "Berlin"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.ReadFrom(f); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestZonesAreOurs$", "-test.v")
	cmd.Env = append(os.Environ(), "ZONEINFO="+dir)
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func offset(l *time.Location, unix int64) int {
	_, seconds := time.Unix(unix, 0).In(l).Zone()
	return seconds / 3600
}

func TestZoneNames(t *testing.T) {
	names := ZoneNames()
	for _, name := range []string{"Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC", "Etc/GMT+5"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
	for _, name := range append(names, "+05:45") {
		if _, err := ZoneOf(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"", "Local", "Factory", "europe/berlin", "../Berlin", "Europe/", "+15:00"} {
		if _, err := ZoneOf(name); err == nil {
			t.Errorf("%q is a zone", name)
		}
	}
}
