package partition

import "testing"

// The values of Kafka's UtilsTest.testMurmur2.
var murmurVectors = map[string]int32{
	"21":                         -973932308,
	"foobar":                     -790332482,
	"a-little-bit-long-string":   -985981536,
	"a-little-bit-longer-string": -1486304829,
	"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8": -58897971,
	"abc": 479470107,
}

func TestMurmur2OfKafkasTests(t *testing.T) {
	for key, want := range murmurVectors {
		if got := murmur2([]byte(key)); got != want {
			t.Errorf("murmur2(%q) = %d, want %d", key, got, want)
		}
	}
}

func TestMurmur2Partition(t *testing.T) {
	// toPositive clears the sign bit: -973932308 & 0x7fffffff = 1173551340, and 1173551340 % 7 = 3.
	if got := Murmur2([]byte("21"), 7); got != 1173551340%7 {
		t.Errorf("Murmur2(21, 7) = %d, want %d", got, 1173551340%7)
	}
	if got := Murmur2([]byte("abc"), 100); got != 479470107%100 {
		t.Errorf("Murmur2(abc, 100) = %d, want 7", got)
	}
}

func TestCRC32Partition(t *testing.T) {
	// The check value of CRC-32/ISO-HDLC: crc32("123456789") = 0xcbf43926.
	if got, want := CRC32([]byte("123456789"), 1000), int32(0xcbf43926%1000); got != want {
		t.Errorf("CRC32 = %d, want %d", got, want)
	}
	// librdkafka's ut_testpartitioner: an empty key has crc32 0.
	if got := CRC32(nil, 17); got != 0 {
		t.Errorf("CRC32 of an empty key = %d, want 0", got)
	}
}

func TestEveryLengthStaysInRange(t *testing.T) {
	b := make([]byte, 64)
	for i := range b {
		b[i] = byte(i*37 + 200)
		for _, n := range []int32{1, 3, 16} {
			if p := Murmur2(b[:i], n); p < 0 || p >= n {
				t.Fatalf("Murmur2 of %d bytes: %d of %d", i, p, n)
			}
			if p := CRC32(b[:i], n); p < 0 || p >= n {
				t.Fatalf("CRC32 of %d bytes: %d of %d", i, p, n)
			}
		}
	}
}

func BenchmarkMurmur2(b *testing.B) {
	key := []byte("user-0123456789")
	b.ReportAllocs()
	for b.Loop() {
		Murmur2(key, 16)
	}
}

func TestOf(t *testing.T) {
	key := []byte("foobar")
	for name, want := range map[string]Hash{"murmur2": Murmur2, "crc32": CRC32, "unknown": Murmur2, "": Murmur2} {
		if got := Of(name)(key, 1000); got != want(key, 1000) {
			t.Errorf("%s: partition %d, want %d", name, got, want(key, 1000))
		}
	}
	if Murmur2(key, 1000) == CRC32(key, 1000) {
		t.Error("the key does not tell the hashes apart")
	}
}
