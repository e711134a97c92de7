package json

// Conventions are the ways of some writers to put values into JSON.
type Conventions struct {
	// QuotedNumbers: numbers are written in quotes. Those are always understood.
	QuotedNumbers bool
	// BinaryDecimals: a DECIMAL is a text, the base64 of its digits without the point as a big-endian number in two's complement.
	// What is no text is read as a number.
	BinaryDecimals bool
	// TextDocuments: a JSON column is a text that holds the document. What is no text is read as the document itself.
	TextDocuments bool
}
