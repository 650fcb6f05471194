/// The value of the bytes of a JSON text, whatever it holds; `nil` for what is not JSON.
public func parseJson(_ bytes: [UInt8]) -> JsonValue? {
  guard decodeUtf8(bytes) != nil else { return nil }
  return try? readPlainJson(bytes)
}

/// A value as JSON without white space, its members in their order, or canonically in that of their
/// UTF-16 code units: what JavaScript's `JSON.stringify` writes.
public func jsonText(_ value: JsonValue, isCanonical: Bool = false) -> String {
  String(decoding: jsonBytes(value, isCanonical: isCanonical), as: UTF8.self)
}

/// The UTF-8 of ``jsonText(_:isCanonical:)``.
public func jsonBytes(_ value: JsonValue, isCanonical: Bool = false) -> [UInt8] {
  var writer = JsonWriter(isCanonical: isCanonical)
  writer.write(value)
  return writer.written
}

/// A text as JSON, cut to its first UTF-16 code units as messages cut it.
public func quoted(_ text: String, maxUnits: Int = .max) -> String {
  if text.utf8.count <= maxUnits { return jsonText(.string(text)) }
  return quoted(utf16Prefix(text.utf8, count: maxUnits))
}

/// UTF-16 code units as JSON; a lone surrogate is written as an escape.
func quoted(_ units: [UInt16]) -> String {
  var bytes: [UInt8] = []
  for unit in units { appendWtf8(wtf8(unit), to: &bytes) }
  return jsonText(.unpaired(bytes))
}

private struct JsonWriter {
  let isCanonical: Bool
  var written: [UInt8] = []

  mutating func write(_ value: JsonValue) {
    switch value {
    case .null: written += "null".utf8
    case .bool(let bool): written += (bool ? "true" : "false").utf8
    case .number(let number): written += numberText(number).utf8
    case .string(let text): write(text)
    case .unpaired(let bytes): bytes.withUnsafeBufferPointer { write($0) }
    case .array(let items):
      written.append(UInt8(ascii: "["))
      for (place, item) in items.enumerated() {
        if place > 0 { written.append(UInt8(ascii: ",")) }
        write(item)
      }
      written.append(UInt8(ascii: "]"))
    case .object(let members):
      written.append(UInt8(ascii: "{"))
      let ordered = isCanonical ? members.sorted() : members.members
      for (place, member) in ordered.enumerated() {
        if place > 0 { written.append(UInt8(ascii: ",")) }
        write(member.key)
        written.append(UInt8(ascii: ":"))
        write(member.value)
      }
      written.append(UInt8(ascii: "}"))
    }
  }

  private mutating func write(_ text: String) {
    var text = text
    text.withUTF8 { write($0) }
  }

  /// Writes a string as ECMAScript's `QuoteJSONString` does, from WTF-8.
  private mutating func write(_ bytes: UnsafeBufferPointer<UInt8>) {
    written.append(UInt8(ascii: "\""))
    var plain = 0
    for (at, byte) in bytes.enumerated() {
      guard let escape = escapeOf(byte, in: bytes, at: at) else { continue }
      written += bytes[plain..<at]
      written += escape.utf8
      plain = at + (byte == 0xed ? 3 : 1)
    }
    written += bytes[plain...]
    written.append(UInt8(ascii: "\""))
  }
}

private func escapeOf(_ byte: UInt8, in bytes: UnsafeBufferPointer<UInt8>, at: Int) -> String? {
  switch byte {
  case UInt8(ascii: "\""): return "\\\""
  case UInt8(ascii: "\\"): return "\\\\"
  case 0x08: return "\\b"
  case 0x09: return "\\t"
  case 0x0a: return "\\n"
  case 0x0c: return "\\f"
  case 0x0d: return "\\r"
  case 0..<0x20: return "\\u00" + toHex([byte])
  case 0xed where bytes[at + 1] >= 0xa0:
    let unit = utf16Prefix(bytes[at...], count: 1)[0]
    return "\\u" + toHex([UInt8(unit >> 8), UInt8(unit & 0xff)])
  default: return nil
  }
}

/// A number as ECMAScript writes it (`Number::toString`): whole numbers up to 10^21 in digits, else
/// the shortest digits that read back as the same.
func numberText(_ number: Double) -> String {
  guard number.isFinite else { return "null" }
  if let whole = JsonValue.number(number).integer { return String(whole) }
  let parts = "\(abs(number))".split(separator: "e")
  let mantissa = parts[0].split(separator: ".")
  let fraction = mantissa.count > 1 && mantissa[1] != "0" ? mantissa[1] : ""
  let padded = String(mantissa[0] + fraction)
  let digits = String(padded.drop { $0 == "0" })
  // `point` digits stand before the decimal point.
  var point = mantissa[0].count + (parts.count > 1 ? Int(parts[1]) ?? 0 : 0)
  point -= padded.count - digits.count
  var shortest = digits
  while shortest.hasSuffix("0") { shortest.removeLast() }
  return (number < 0 ? "-" : "") + decimal(shortest, point: point)
}

private func decimal(_ digits: String, point: Int) -> String {
  let count = digits.count
  if count <= point && point <= 21 { return digits + String(repeating: "0", count: point - count) }
  if 0 < point && point <= 21 { return "\(digits.prefix(point)).\(digits.dropFirst(point))" }
  if -6 < point && point <= 0 { return "0." + String(repeating: "0", count: -point) + digits }
  let exponent = point > 0 ? "e+\(point - 1)" : "e-\(1 - point)"
  return "\(digits.prefix(1))\(count > 1 ? "." : "")\(digits.dropFirst())\(exponent)"
}

/// A value as messages show it: as JSON, cut to 80 UTF-16 code units.
func shown(_ value: JsonValue) -> String {
  let text = jsonText(value)
  return text.utf8.count <= 80
    ? text : String(decoding: utf16Prefix(text.utf8, count: 80), as: UTF16.self)
}
