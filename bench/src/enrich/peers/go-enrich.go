// Peer: enriches the lines of a log like `wh enrich --format lines`, in Go and with its standard library: a loaded sorted
// table, texts formatted once per record, and no allocation per line. Arguments: an export of our dataset as CSV, and the
// log. Lines go to standard output; the number of addresses, and the processor time before and after the first line, as
// JSON to standard error.
package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"log"
	"net/netip"
	"os"
	"sort"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf16"
)

const bufferBytes = 1 << 18

// record holds what many prefixes share, and its text from the first use on.
type record struct {
	columns []string
	text    []byte
}

type match struct {
	record       uint32
	prefixLength uint8
}

// table has ranges of addresses in ascending order; record 0 stands for unannounced space.
type table struct {
	// Per upper 16 bits, where the search begins: the last range that starts at or below them.
	top      [65537]uint32
	starts4  []uint32
	matches4 []match
	starts6  []netip.Addr
	matches6 []match
	records  []record
}

const (
	columnNetwork = iota
	columnPrefix
	columnASN
	columnName
	columnCountry
	columnRIR
	columnConnection
	columnFirstFlag
	columnScore = iota + 8
	columnLevel
)

var flagNames = []string{"datacenter", "tor_exit", "proxy", "vpn", "residential", "mobile", "ai_crawler"}

func load(path string) (*table, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows := csv.NewReader(bufio.NewReaderSize(file, bufferBytes))
	rows.ReuseRecord = true
	if _, err := rows.Read(); err != nil {
		return nil, err
	}
	t := &table{records: make([]record, 1)}
	numbers := map[string]uint32{}
	end4, end6 := uint64(0), netip.Addr{}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		network, err := netip.ParsePrefix(row[columnNetwork])
		if err != nil {
			return nil, err
		}
		_, lengthText, _ := strings.Cut(row[columnPrefix], "/")
		length, err := strconv.ParseUint(lengthText, 10, 8)
		if err != nil {
			return nil, err
		}
		key := strings.Join(row[columnASN:], "\x00")
		number, ok := numbers[key]
		if !ok {
			number = uint32(len(t.records))
			numbers[key] = number
			columns := append(make([]string, columnASN, len(row)), strings.Split(key, "\x00")...)
			t.records = append(t.records, record{columns: columns})
		}
		found := match{number, uint8(length)}
		if network.Addr().Is4() {
			start := wordOf(network.Addr())
			if uint64(start) != end4 {
				t.add4(uint32(end4), match{})
			}
			t.add4(start, found)
			end4 = uint64(start) + 1<<(32-network.Bits())
			continue
		}
		if network.Addr() != end6 && end6.IsValid() {
			t.add6(end6, match{})
		}
		t.add6(network.Addr(), found)
		end6 = after(network)
	}
	if end4 < 1<<32 {
		t.add4(uint32(end4), match{})
	}
	if end6.IsValid() {
		t.add6(end6, match{})
	}
	next := 0
	for high := range t.top {
		for next < len(t.starts4) && uint64(t.starts4[next]) <= uint64(high)<<16 {
			next++
		}
		t.top[high] = uint32(next - 1)
	}
	return t, nil
}

func (t *table) add4(start uint32, found match) {
	t.starts4, t.matches4 = append(t.starts4, start), append(t.matches4, found)
}

func (t *table) add6(start netip.Addr, found match) {
	t.starts6, t.matches6 = append(t.starts6, start), append(t.matches6, found)
}

func wordOf(address netip.Addr) uint32 {
	quad := address.As4()
	return uint32(quad[0])<<24 | uint32(quad[1])<<16 | uint32(quad[2])<<8 | uint32(quad[3])
}

func after(network netip.Prefix) netip.Addr {
	words := network.Addr().As16()
	for bit := network.Bits(); bit < 128; bit++ {
		words[bit/8] |= 0x80 >> (bit % 8)
	}
	return netip.AddrFrom16(words).Next()
}

func (t *table) find4(word uint32) match {
	from, to := t.top[word>>16], t.top[word>>16+1]+1
	for to-from > 1 {
		middle := (from + to) / 2
		if t.starts4[middle] <= word {
			from = middle
		} else {
			to = middle
		}
	}
	return t.matches4[from]
}

func (t *table) find6(address netip.Addr) match {
	next := sort.Search(len(t.starts6), func(i int) bool { return address.Less(t.starts6[i]) })
	if next == 0 {
		return match{}
	}
	return t.matches6[next-1]
}

func (t *table) appendObject(out []byte, word uint32, address netip.Addr) []byte {
	isIPv4 := address == netip.Addr{}
	var found match
	out = append(out, `{"ip":"`...)
	if isIPv4 {
		found = t.find4(word)
		out = appendQuad(out, word)
	} else {
		found = t.find6(address)
		out = address.AppendTo(out)
	}
	if found.record == 0 {
		return append(out, `","error":"no data found for IP"}`...)
	}
	out = append(out, `","prefix":"`...)
	if isIPv4 {
		out = appendQuad(out, word&^(1<<(32-found.prefixLength)-1))
	} else {
		prefix, _ := address.Prefix(int(found.prefixLength))
		out = prefix.Addr().AppendTo(out)
	}
	out = append(out, '/')
	out = strconv.AppendUint(out, uint64(found.prefixLength), 10)
	r := &t.records[found.record]
	if r.text == nil {
		r.text = format(r.columns)
	}
	return append(out, r.text...)
}

func format(columns []string) []byte {
	text := append([]byte(`","asn":`), columns[columnASN]...)
	text = appendString(append(text, `,"asn_name":`...), columns[columnName])
	text = appendString(append(text, `,"country":`...), columns[columnCountry])
	text = appendString(append(text, `,"connection_type":`...), columns[columnConnection])
	text = append(text, `,"flags":[`...)
	separator := ""
	for i, name := range flagNames {
		if columns[columnFirstFlag+i] == "true" {
			text = append(append(append(append(text, separator...), '"'), name...), '"')
			separator = ","
		}
	}
	text = append(append(text, `],"threat":{"score":`...), columns[columnScore]...)
	return append(appendString(append(text, `,"level":`...), columns[columnLevel]), "}}"...)
}

// appendString writes ASCII: encoding/json would write characters above it as they are.
func appendString(out []byte, text string) []byte {
	out = append(out, '"')
	for _, unit := range utf16.Encode([]rune(text)) {
		switch {
		case unit == '"' || unit == '\\':
			out = append(out, '\\', byte(unit))
		case unit < 0x20 || unit > 0x7e:
			out = append(out, fmt.Sprintf(`\u%04x`, unit)...)
		default:
			out = append(out, byte(unit))
		}
	}
	return append(out, '"')
}

var octets [256]string

func appendQuad(out []byte, word uint32) []byte {
	out = append(append(out, octets[word>>24]...), '.')
	out = append(append(out, octets[word>>16&255]...), '.')
	out = append(append(out, octets[word>>8&255]...), '.')
	return append(out, octets[word&255]...)
}

// isWord has the bytes of words, by the rule in docs/enrich.md.
var isWord [256]bool

func init() {
	for i := range octets {
		octets[i] = strconv.Itoa(i)
		c := byte(i)
		isLetter := c|0x20 >= 'a' && c|0x20 <= 'z'
		isWord[i] = isLetter || c >= '0' && c <= '9' || bytes.IndexByte([]byte(".:%_-+~"), c) >= 0
	}
}

// findAddress returns the first address of the line: an IPv4 word, or an IPv6 address.
func findAddress(line []byte) (uint32, netip.Addr, bool) {
	for at := 0; at < len(line); at++ {
		if !isWord[line[at]] {
			continue
		}
		start := at
		dots, colons := 0, 0
		for ; at < len(line) && isWord[line[at]]; at++ {
			switch line[at] {
			case '.':
				dots++
			case ':':
				colons++
			}
		}
		if dots < 3 && colons == 0 {
			continue
		}
		isVersion := start >= 2 && line[start-1] == '/' && isWord[line[start-2]]
		if word, address, ok := parseWord(line[start:at], isVersion); ok {
			return word, address, true
		}
	}
	return 0, netip.Addr{}, false
}

func parseWord(word []byte, isVersion bool) (uint32, netip.Addr, bool) {
	if quad, address, ok := parsePunctuated(word, isVersion); ok {
		return quad, address, true
	}
	name, rest, hasColon := bytes.Cut(word, []byte{':'})
	isName := bytes.IndexByte(name, '.') < 0 && bytes.IndexFunc(name, func(r rune) bool { return r|0x20 > 'f' && r|0x20 <= 'z' }) >= 0
	if !hasColon || !isName {
		return 0, netip.Addr{}, false
	}
	return parsePunctuated(rest, isVersion)
}

func parsePunctuated(word []byte, isVersion bool) (uint32, netip.Addr, bool) {
	if quad, address, ok := parseWithPort(word, isVersion); ok {
		return quad, address, true
	}
	last := len(word) - 1
	if last < 0 || word[last] != '.' && word[last] != ':' {
		return 0, netip.Addr{}, false
	}
	return parseWithPort(word[:last], isVersion)
}

func parseWithPort(word []byte, isVersion bool) (uint32, netip.Addr, bool) {
	colon := bytes.IndexByte(word, ':')
	if colon < 0 {
		quad, ok := parseQuad(word)
		return quad, netip.Addr{}, ok && !isVersion
	}
	if port := word[colon+1:]; len(port) >= 1 && len(port) <= 5 && isDigits(port) {
		if quad, ok := parseQuad(word[:colon]); ok {
			return quad, netip.Addr{}, true
		}
	}
	isFingerprint := len(word) == 23 && bytes.Count(word, []byte{':'}) == 7 && word[2] == ':' && word[20] == ':'
	if isFingerprint || bytes.IndexAny(word, "0123456789") < 0 || bytes.IndexByte(word, '%') >= 0 {
		return 0, netip.Addr{}, false
	}
	address, err := netip.ParseAddr(string(word))
	if err != nil {
		return 0, netip.Addr{}, false
	}
	if address.Is4In6() {
		return wordOf(address.Unmap()), netip.Addr{}, true
	}
	return 0, address, true
}

func isDigits(text []byte) bool {
	for _, c := range text {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

func parseQuad(text []byte) (uint32, bool) {
	word, octet, dots := uint32(0), -1, 0
	for _, c := range text {
		if c == '.' {
			if octet < 0 || dots == 3 {
				return 0, false
			}
			word, octet, dots = word<<8|uint32(octet), -1, dots+1
			continue
		}
		if c < '0' || c > '9' || octet == 0 {
			return 0, false
		}
		if octet < 0 {
			octet = 0
		}
		if octet = octet*10 + int(c-'0'); octet > 255 {
			return 0, false
		}
	}
	return word<<8 | uint32(octet), dots == 3 && octet >= 0
}

func cpuSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		log.Fatal(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e9
}

func main() {
	t, err := load(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	started := cpuSeconds()
	file, err := os.Open(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	found, err := enrich(t, file, os.Stdout)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintf(os.Stderr, `{"found":%d,"startSeconds":%f,"cpuSeconds":%f}`, found, started, cpuSeconds()-started)
}

// enrich reads blocks, and copies each line into the output once.
func enrich(t *table, in io.Reader, target io.Writer) (int, error) {
	reader := bufio.NewReaderSize(in, bufferBytes)
	out := make([]byte, 0, 2*bufferBytes)
	found := 0
	for {
		line, err := reader.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) {
			var rest []byte
			line = append([]byte(nil), line...)
			rest, err = reader.ReadSlice('\n')
			line = append(line, rest...)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return found, err
		}
		content := bytes.TrimSuffix(line, []byte{'\n'})
		content = bytes.TrimSuffix(content, []byte{'\r'})
		word, address, ok := findAddress(content)
		out = append(out, content...)
		if ok {
			found++
			out = t.appendObject(append(out, '\t'), word, address)
		}
		out = append(out, line[len(content):]...)
		if len(out) >= bufferBytes || err != nil {
			if _, err := target.Write(out); err != nil {
				return found, err
			}
			out = out[:0]
		}
		if err != nil {
			return found, nil
		}
	}
}
