// Package partition holds the two key hashes that Kafka's clients use to choose a partition. They are pure functions.
package partition

import "hash/crc32"

// Hash gives a key a partition among n > 0.
type Hash func(key []byte, n int32) int32

// Of is the hash of that name: "crc32", else Murmur2, which is also what is written where nobody said which it is.
func Of(name string) Hash {
	if name == "crc32" {
		return CRC32
	}
	return Murmur2
}

// Murmur2 is the partition that the Java client's default partitioner (and franz-go's, and librdkafka's
// murmur2_random) gives a non-null key among n > 0 partitions: toPositive(murmur2(key)) % n.
func Murmur2(key []byte, n int32) int32 {
	return (murmur2(key) & 0x7fffffff) % n
}

// CRC32 is the partition of librdkafka's consistent and consistent_random partitioners (the default of librdkafka and
// of the clients built on it): crc32(key), IEEE polynomial, modulo n > 0 partitions.
func CRC32(key []byte, n int32) int32 {
	return int32(crc32.ChecksumIEEE(key) % uint32(n))
}

// murmur2 is org.apache.kafka.common.utils.Utils.murmur2: MurmurHash2, 32 bits, seed 0x9747b28c.
func murmur2(b []byte) int32 {
	const (
		seed uint32 = 0x9747b28c
		m    uint32 = 0x5bd1e995
		r           = 24
	)
	h := seed ^ uint32(len(b))
	for len(b) >= 4 {
		k := uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
		b = b[4:]
		k *= m
		k ^= k >> r
		k *= m
		h *= m
		h ^= k
	}
	switch len(b) {
	case 3:
		h ^= uint32(b[2]) << 16
		fallthrough
	case 2:
		h ^= uint32(b[1]) << 8
		fallthrough
	case 1:
		h ^= uint32(b[0])
		h *= m
	}
	h ^= h >> 13
	h *= m
	h ^= h >> 15
	return int32(h)
}
