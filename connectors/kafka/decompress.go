package kafka

import (
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// freshBytes has kgo decompress each batch straight into memory of about the right size, which the records then share.
// Without it kgo decompresses into a buffer of its own and copies the result.
type freshBytes struct {
	ratio atomic.Int64 // decompressed by compressed size, in sixteenths: the mean of late batches
}

// Small batches (control records, trickles) compress very differently and cost little: nothing is learned from them. Most
// producers send batches of at most a megabyte, so memory for more is taken only as it is needed.
const (
	learnFrom = 16 << 10
	mostGuess = 1<<20 + 16<<10
)

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (p *freshBytes) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	ratio := max(p.ratio.Load(), 32)
	// A little more than the data: the reader needs room to find the end without growing.
	guess := int64(len(compressed))*ratio/16*17/16 + 1024
	return make([]byte, 0, max(min(guess, mostGuess), int64(len(compressed))))
}

func (p *freshBytes) learn(compressed, decompressed int) {
	if compressed < learnFrom {
		return
	}
	seen := int64(decompressed)*16/int64(compressed) + 1
	if old := p.ratio.Load(); old > 0 {
		seen = (3*old + seen + 3) / 4
	}
	p.ratio.Store(seen)
}

// PutDecompressBytes is not called: records keep the bytes, nothing is recycled.
func (p *freshBytes) PutDecompressBytes([]byte) {}

// learningDecompressor tells freshBytes how well batches compress.
type learningDecompressor struct {
	kgo.Decompressor
	bytes *freshBytes
}

func newDecompressor() kgo.Decompressor {
	b := &freshBytes{}
	return learningDecompressor{kgo.DefaultDecompressor(b), b}
}

// Decompress implements kgo.Decompressor.
func (d learningDecompressor) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	out, err := d.Decompressor.Decompress(src, codec)
	if err == nil && codec != kgo.CodecNone {
		d.bytes.learn(len(src), len(out))
	}
	return out, err
}
