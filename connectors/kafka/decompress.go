package kafka

import (
	"sync/atomic"

	"github.com/twmb/franz-go/pkg/kgo"
)

// freshBytes has kgo decompress each batch straight into memory of about the right size, which the records then share.
// Without it kgo decompresses into a buffer of its own and copies the result.
type freshBytes struct {
	ratio atomic.Int64 // decompressed size by compressed size seen of late, in sixteenths
}

// GetDecompressBytes implements kgo.PoolDecompressBytes.
func (p *freshBytes) GetDecompressBytes(compressed []byte, _ kgo.CompressionCodecType) []byte {
	ratio := max(p.ratio.Load(), 32)
	// A little more than the data: the reader needs room to find the end without growing.
	return make([]byte, 0, int64(len(compressed))*ratio/16*9/8+1024)
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
	if err == nil && len(src) > 0 && codec != kgo.CodecNone {
		seen := int64(len(out))*16/int64(len(src)) + 1
		old := d.bytes.ratio.Load()
		d.bytes.ratio.Store(max(seen, old-old/16))
	}
	return out, err
}
