package proto

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"reflect"
	"strconv"

	"github.com/redis/go-redis/v9/internal/util"
)

// DefaultBufferSize is the default size for read/write buffers (32 KiB).
const DefaultBufferSize = 32 * 1024

// redis resp protocol data type.
const (
	RespStatus    = '+' // +<string>\r\n
	RespError     = '-' // -<string>\r\n
	RespString    = '$' // $<length>\r\n<bytes>\r\n
	RespInt       = ':' // :<number>\r\n
	RespNil       = '_' // _\r\n
	RespFloat     = ',' // ,<floating-point-number>\r\n (golang float)
	RespBool      = '#' // true: #t\r\n false: #f\r\n
	RespBlobError = '!' // !<length>\r\n<bytes>\r\n
	RespVerbatim  = '=' // =<length>\r\nFORMAT:<bytes>\r\n
	RespBigInt    = '(' // (<big number>\r\n
	RespArray     = '*' // *<len>\r\n... (same as resp2)
	RespMap       = '%' // %<len>\r\n(key)\r\n(value)\r\n... (golang map)
	RespSet       = '~' // ~<len>\r\n... (same as Array)
	RespAttr      = '|' // |<len>\r\n(key)\r\n(value)\r\n... + command reply
	RespPush      = '>' // ><len>\r\n... (same as Array)
)

// Not used temporarily.
// Redis has not used these two data types for the time being, and will implement them later.
// Streamed           = "EOF:"
// StreamedAggregated = '?'

//------------------------------------------------------------------------------

const Nil = RedisError("redis: nil") // nolint:errname

type RedisError string

func (e RedisError) Error() string { return string(e) }

// IsRedisError reports whether err is one that Redis answered.
// Yaegi: an assertion panics on a struct without fields, as context.DeadlineExceeded is.
func IsRedisError(err error) bool {
	t := reflect.TypeOf(err)
	if t == nil || t.Kind() == reflect.Struct && t.NumField() == 0 {
		return false
	}
	_, ok := err.(RedisError)
	return ok
}

// IsNil reports whether err is Nil.
// Yaegi: err == Nil is always false, a comparison of texts is not.
func IsNil(err error) bool {
	return IsRedisError(err) && err.Error() == string(Nil)
}

func ParseErrorReply(line []byte) error {
	return RedisError(line[1:])
}

//------------------------------------------------------------------------------

// Bounds of what a server may announce. Memory is taken before the content has
// come, and a stack for each level, so ten bytes could end the whole process.
const (
	maxReplyBytes = 4 << 20 // of a string
	maxReplyItems = 1 << 16 // of an array, set or map
	maxReplyDepth = 64
)

var errReplyDepth = errors.New("redis: reply is nested too deeply")

type Reader struct {
	rd    *bufio.Reader
	depth int // of the reply that is being read
}

func NewReader(rd io.Reader) *Reader {
	return &Reader{
		rd: bufio.NewReaderSize(rd, DefaultBufferSize),
	}
}

func NewReaderSize(rd io.Reader, size int) *Reader {
	return &Reader{
		rd: bufio.NewReaderSize(rd, size),
	}
}

func (r *Reader) Buffered() int {
	return r.rd.Buffered()
}

// ReadLine Return a valid reply, it will check the protocol or redis error,
// and discard the attribute type.
func (r *Reader) ReadLine() ([]byte, error) {
	line, err := r.readLine()
	if err != nil {
		return nil, err
	}
	line, err = r.checkLine(line)
	return line, err
}

func (r *Reader) checkLine(line []byte) ([]byte, error) {
	var err error
	switch line[0] {
	case RespError:
		return nil, ParseErrorReply(line)
	case RespNil:
		return nil, Nil
	case RespBlobError:
		var blobErr string
		blobErr, err = r.readStringReply(line)
		if err == nil {
			err = RedisError(blobErr)
		}
		return nil, err
	case RespAttr:
		if err = r.Discard(line); err != nil {
			return nil, err
		}
		if r.depth >= maxReplyDepth {
			return nil, errReplyDepth
		}
		r.depth++
		next, err := r.ReadLine()
		r.depth--
		return next, err
	}

	// Compatible with RESP2
	if IsNilReply(line) {
		return nil, Nil
	}

	return line, nil
}

// readLine returns an error if:
//   - there is a pending read error;
//   - or line does not end with \r\n.
func (r *Reader) readLine() ([]byte, error) {
	b, err := r.rd.ReadSlice('\n')
	line, err := r.wholeLine(b, err)
	return line, err
}

// wholeLine is the line whose beginning, or all of it, ReadSlice has returned.
func (r *Reader) wholeLine(b []byte, err error) ([]byte, error) {
	if err != nil {
		if err != bufio.ErrBufferFull {
			return nil, err
		}

		full := make([]byte, len(b))
		copy(full, b)

		b, err = r.rd.ReadBytes('\n')
		if err != nil {
			return nil, err
		}

		full = append(full, b...) //nolint:makezero
		b = full
	}
	if len(b) <= 2 || b[len(b)-1] != '\n' || b[len(b)-2] != '\r' {
		return nil, fmt.Errorf("redis: invalid reply: %q", b)
	}
	return b[:len(b)-2], nil
}

// ReadText is ReadReply in few steps where the reply is a string.
// Yaegi: a call costs by the length of what is called, and a method's more.
func ReadText(r *Reader) (interface{}, error) {
	line, err := r.rd.ReadSlice('\n')
	end := len(line) - 2
	n := -1
	if err == nil && end > 1 && line[0] == RespString && line[end] == '\r' {
		length, fault := strconv.Atoi(string(line[1:end]))
		if fault == nil && length <= maxReplyBytes {
			n = length
		}
	}
	if n < 0 {
		v, err := r.readOther(line, err)
		return v, err
	}
	text := make([]byte, n+2)
	_, err = io.ReadFull(r.rd, text)
	if err != nil {
		return "", err
	}
	return string(text[:n]), nil
}

// readOther is ReadReply after ReadSlice has returned b and err.
func (r *Reader) readOther(b []byte, err error) (interface{}, error) {
	line, err := r.wholeLine(b, err)
	if err != nil {
		return nil, err
	}
	line, err = r.checkLine(line)
	if err != nil {
		return nil, err
	}
	v, err := r.readReplyOf(line)
	return v, err
}

func (r *Reader) ReadReply() (interface{}, error) {
	line, err := r.ReadLine()
	if err != nil {
		return nil, err
	}
	v, err := r.readReplyOf(line)
	return v, err
}

func (r *Reader) readReplyOf(line []byte) (interface{}, error) {
	// Yaegi: return f() loses the error when f's value becomes an interface{}.
	switch line[0] {
	case RespStatus:
		return string(line[1:]), nil
	case RespInt:
		v, err := util.ParseInt(line[1:], 10, 64)
		return v, err
	case RespFloat:
		v, err := r.readFloat(line)
		return v, err
	case RespBool:
		v, err := r.readBool(line)
		return v, err
	case RespBigInt:
		v, err := r.readBigInt(line)
		return v, err

	case RespString:
		v, err := r.readStringReply(line)
		return v, err
	case RespVerbatim:
		v, err := r.readVerb(line)
		return v, err

	case RespArray, RespSet, RespPush:
		v, err := r.readSlice(line)
		return v, err
	case RespMap:
		v, err := r.readMap(line)
		return v, err
	}
	return nil, fmt.Errorf("redis: can't parse %.100q", line)
}

func (r *Reader) readFloat(line []byte) (float64, error) {
	v := string(line[1:])
	switch string(line[1:]) {
	case "inf":
		return math.Inf(1), nil
	case "-inf":
		return math.Inf(-1), nil
	case "nan", "-nan":
		return math.NaN(), nil
	}
	return strconv.ParseFloat(v, 64)
}

func (r *Reader) readBool(line []byte) (bool, error) {
	switch string(line[1:]) {
	case "t":
		return true, nil
	case "f":
		return false, nil
	}
	return false, fmt.Errorf("redis: can't parse bool reply: %q", line)
}

func (r *Reader) readBigInt(line []byte) (*big.Int, error) {
	i := new(big.Int)
	if i, ok := i.SetString(string(line[1:]), 10); ok {
		return i, nil
	}
	return nil, fmt.Errorf("redis: can't parse bigInt reply: %q", line)
}

func (r *Reader) readStringReply(line []byte) (string, error) {
	n, err := replyLen(line)
	if err != nil {
		return "", err
	}

	b := make([]byte, n+2)
	_, err = io.ReadFull(r.rd, b)
	if err != nil {
		return "", err
	}

	return util.BytesToString(b[:n]), nil
}

func (r *Reader) readVerb(line []byte) (string, error) {
	s, err := r.readStringReply(line)
	if err != nil {
		return "", err
	}
	if len(s) < 4 || s[3] != ':' {
		return "", fmt.Errorf("redis: can't parse verbatim string reply: %q", line)
	}
	return s[4:], nil
}

func (r *Reader) readSlice(line []byte) ([]interface{}, error) {
	if r.depth >= maxReplyDepth {
		return nil, errReplyDepth
	}
	r.depth++
	val, err := r.readItems(line)
	r.depth--
	return val, err
}

func (r *Reader) readItems(line []byte) ([]interface{}, error) {
	n, err := replyLen(line)
	if err != nil {
		return nil, err
	}

	val := make([]interface{}, n)
	for i := 0; i < len(val); i++ {
		v, err := r.ReadReply()
		if err != nil {
			if IsNil(err) {
				val[i] = nil
				continue
			}
			if IsRedisError(err) { // Yaegi: the narrowed value would be no error.
				val[i] = err
				continue
			}
			return nil, err
		}
		val[i] = v
	}
	return val, nil
}

func (r *Reader) readMap(line []byte) (map[interface{}]interface{}, error) {
	if r.depth >= maxReplyDepth {
		return nil, errReplyDepth
	}
	r.depth++
	m, err := r.readPairs(line)
	r.depth--
	return m, err
}

func (r *Reader) readPairs(line []byte) (map[interface{}]interface{}, error) {
	n, err := replyLen(line)
	if err != nil {
		return nil, err
	}
	m := make(map[interface{}]interface{}, n)
	for i := 0; i < n; i++ {
		k, err := r.ReadReply()
		if err != nil {
			return nil, err
		}
		switch k.(type) {
		case []interface{}, map[interface{}]interface{}:
			return nil, errors.New("redis: reply has a key that is no value") // which would panic
		}
		v, err := r.ReadReply()
		if err != nil {
			if IsNil(err) {
				m[k] = nil
				continue
			}
			if IsRedisError(err) { // Yaegi: the narrowed value would be no error.
				m[k] = err
				continue
			}
			return nil, err
		}
		m[k] = v
	}
	return m, nil
}

func (r *Reader) ReadString() (string, error) {
	line, err := r.ReadLine()
	if err != nil {
		return "", err
	}

	switch line[0] {
	case RespStatus, RespInt, RespFloat:
		return string(line[1:]), nil
	case RespString:
		return r.readStringReply(line)
	case RespBool:
		b, err := r.readBool(line)
		return strconv.FormatBool(b), err
	case RespVerbatim:
		return r.readVerb(line)
	case RespBigInt:
		b, err := r.readBigInt(line)
		if err != nil {
			return "", err
		}
		return b.String(), nil
	}
	return "", fmt.Errorf("redis: can't parse reply=%.100q reading string", line)
}

func (r *Reader) ReadBool() (bool, error) {
	s, err := r.ReadString()
	if err != nil {
		return false, err
	}
	return s == "OK" || s == "1" || s == "true", nil
}

// ReadMapLen reads the length of the map type.
// If responding to the array type (RespArray/RespSet/RespPush),
// it must be a multiple of 2 and return n/2.
// Other types will return an error.
func (r *Reader) ReadMapLen() (int, error) {
	line, err := r.ReadLine()
	if err != nil {
		return 0, err
	}
	switch line[0] {
	case RespMap:
		return replyLen(line)
	case RespArray, RespSet, RespPush:
		// Some commands and RESP2 protocol may respond to array types.
		n, err := replyLen(line)
		if err != nil {
			return 0, err
		}
		if n%2 != 0 {
			return 0, fmt.Errorf("redis: the length of the array must be a multiple of 2, got: %d", n)
		}
		return n / 2, nil
	default:
		return 0, fmt.Errorf("redis: can't parse map reply: %.100q", line)
	}
}

// DiscardNext read and discard the data represented by the next line.
func (r *Reader) DiscardNext() error {
	line, err := r.readLine()
	if err != nil {
		return err
	}
	if r.depth >= maxReplyDepth {
		return errReplyDepth
	}
	r.depth++
	err = r.Discard(line)
	r.depth--
	return err
}

// Discard the data represented by line.
func (r *Reader) Discard(line []byte) (err error) {
	if len(line) == 0 {
		return errors.New("redis: invalid line")
	}
	switch line[0] {
	case RespStatus, RespError, RespInt, RespNil, RespFloat, RespBool, RespBigInt:
		return nil
	}

	n, err := replyLen(line)
	if err != nil && !IsNil(err) {
		return err
	}

	switch line[0] {
	case RespBlobError, RespString, RespVerbatim:
		// +\r\n
		_, err = r.rd.Discard(n + 2)
		return err
	case RespArray, RespSet, RespPush:
		for i := 0; i < n; i++ {
			if err = r.DiscardNext(); err != nil {
				return err
			}
		}
		return nil
	case RespMap, RespAttr:
		// Read key & value.
		for i := 0; i < n*2; i++ {
			if err = r.DiscardNext(); err != nil {
				return err
			}
		}
		return nil
	}

	return fmt.Errorf("redis: can't parse %.100q", line)
}

func replyLen(line []byte) (n int, err error) {
	n, err = util.Atoi(line[1:])
	if err != nil {
		return 0, err
	}

	if n < -1 {
		return 0, fmt.Errorf("redis: invalid reply: %q", line)
	}

	switch line[0] {
	case RespString, RespVerbatim, RespBlobError,
		RespArray, RespSet, RespPush, RespMap, RespAttr:
		if n == -1 {
			return 0, Nil
		}
	}

	most := maxReplyItems
	switch line[0] {
	case RespString, RespVerbatim, RespBlobError:
		most = maxReplyBytes
	}
	if n > most {
		return 0, fmt.Errorf("redis: reply is too long: %.100q", line)
	}
	return n, nil
}

// IsNilReply detects redis.Nil of RESP2.
func IsNilReply(line []byte) bool {
	return len(line) == 3 &&
		(line[0] == RespString || line[0] == RespArray) &&
		line[1] == '-' && line[2] == '1'
}
