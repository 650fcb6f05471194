/// Decodes UTF-8 strictly; a byte order mark is kept. `nil` when `bytes` are not UTF-8.
public func decodeUtf8(_ bytes: [UInt8]) -> String? {
  // The standard library repairs without a word; what it repaired has other bytes.
  var text = String(decoding: bytes, as: UTF8.self)
  return text.withUTF8 { $0.elementsEqual(bytes) } ? text : nil
}

/// Lower-case hexadecimal.
public func toHex(_ bytes: some Sequence<UInt8>) -> String {
  let digits = Array("0123456789abcdef".utf8)
  var hex: [UInt8] = []
  for byte in bytes {
    hex.append(digits[Int(byte >> 4)])
    hex.append(digits[Int(byte & 15)])
  }
  return String(decoding: hex, as: UTF8.self)
}

/// Counts the UTF-16 code units of a text: what JavaScript calls its length.
func utf16Length(_ bytes: some Sequence<UInt8>) -> Int {
  bytes.reduce(0) { $1 < 0x80 || $1 >= 0xf0 ? $0 + ($1 < 0x80 ? 1 : 2) : $1 >= 0xc0 ? $0 + 1 : $0 }
}

/// The first UTF-16 code units of WTF-8 bytes, which may end between two surrogates.
func utf16Prefix(_ bytes: some Sequence<UInt8>, count: Int) -> [UInt16] {
  var units: [UInt16] = []
  var rest = bytes.makeIterator()
  while units.count < count, let lead = rest.next() {
    var point = UInt32(lead)
    let more = lead < 0xc0 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3
    if more > 0 { point &= 0x3f >> UInt32(more) }
    for _ in 0..<more { point = point << 6 | UInt32(rest.next() ?? 0) & 0x3f }
    if point < 0x10000 {
      units.append(UInt16(point))
    } else {
      units.append(UInt16(0xd7c0 + point >> 10))
      units.append(UInt16(0xdc00 + point & 0x3ff))
    }
  }
  return Array(units.prefix(count))
}

/// Whether WTF-8 bytes have no lone surrogate, so that they are UTF-8.
func isWellFormed(_ bytes: some Sequence<UInt8>) -> Bool {
  var last: UInt8 = 0
  for byte in bytes {
    if last == 0xed && byte >= 0xa0 { return false }
    last = byte
  }
  return true
}

/// A UTF-16 code unit alone as WTF-8: UTF-8, but that a surrogate is written like other characters.
func wtf8(_ unit: UInt16) -> [UInt8] {
  if unit < 0x80 { return [UInt8(unit)] }
  let last = UInt8(0x80 | unit & 0x3f)
  if unit < 0x800 { return [UInt8(0xc0 | unit >> 6), last] }
  return [UInt8(0xe0 | unit >> 12), UInt8(0x80 | unit >> 6 & 0x3f), last]
}

/// The bytes of hexadecimal digits of ours.
func fromHex(_ hex: StaticString) -> [UInt8] {
  hex.withUTF8Buffer { digits in
    stride(from: 0, to: digits.count, by: 2).map { at in
      digits[at...].prefix(2).reduce(0) { $0 << 4 | (hexDigit($1) ?? 0) }
    }
  }
}

func hexDigit(_ byte: UInt8) -> UInt8? {
  switch byte {
  case UInt8(ascii: "0")...UInt8(ascii: "9"): return byte - UInt8(ascii: "0")
  case UInt8(ascii: "A")...UInt8(ascii: "F"): return byte - UInt8(ascii: "A") + 10
  case UInt8(ascii: "a")...UInt8(ascii: "f"): return byte - UInt8(ascii: "a") + 10
  default: return nil
  }
}

/// WTF-8 as text: each lone surrogate becomes U+FFFD, as in the Encoding standard.
public func repaired(_ bytes: [UInt8]) -> String {
  String(decoding: utf16Prefix(bytes, count: .max), as: UTF16.self)
}

/// Appends WTF-8 to WTF-8: surrogates that meet become the one character that they are.
func appendWtf8(_ more: some Collection<UInt8>, to bytes: inout [UInt8]) {
  let seam = bytes.count
  bytes.append(contentsOf: more)
  guard seam >= 3, bytes.count >= seam + 3, bytes[seam] == 0xed, bytes[seam + 1] >= 0xb0,
    bytes[seam - 3] == 0xed, bytes[seam - 2] >= 0xa0, bytes[seam - 2] < 0xb0
  else { return }
  let pair = utf16Prefix(bytes[(seam - 3)..<(seam + 3)], count: 2)
  let joined = String(decoding: pair, as: UTF16.self).utf8
  bytes.replaceSubrange((seam - 3)..<(seam + 3), with: joined)
}
