// The grammar of JSON (RFC 8259), once: strict for records that every language must read alike, and
// plain for what a bridge or a person wrote. It works on bytes: indexing Swift's strings is slow.

/// Reasons to refuse a text. Of a plain reading only `byteOrderMark`, `syntax` and `tooDeep`.
public enum JsonFailureCode: String, Sendable {
  case notUtf8 = "not-utf8"  // JSON-1
  case byteOrderMark = "byte-order-mark"  // JSON-2
  case syntax  // JSON-3
  case number  // JSON-4
  case duplicateKey = "duplicate-key"  // JSON-5
  case forbiddenKey = "forbidden-key"  // JSON-6
  case loneSurrogate = "lone-surrogate"  // JSON-7
  case tooDeep = "too-deep"  // JSON-8
}

/// Refusal of a text that is no JSON, or none that is taken.
public struct JsonRefusal: Error {
  public let code: JsonFailureCode
  /// Finding and its position, counted in UTF-16 code units.
  public let message: String
}

/// Reads a JSON text strictly: no byte order mark, numbers only as whole numbers within
/// ±(2^53−1) written without fraction, exponent or minus zero, no duplicate key, no `__proto__`, no
/// lone surrogate, at most 32 levels.
///
/// - Parameter text: UTF-8, or WTF-8 where it may hold lone surrogates.
/// - Throws: `JsonRefusal`
public func readStrictJson(_ text: [UInt8]) throws -> JsonValue {
  try readJson(text, isStrict: true, maxDepth: Limits.jsonDepth)
}

/// Levels that a plain reading follows: each takes room on the stack (DEV-58).
private let plainDepth = 500

/// Reads a JSON text by RFC 8259 alone. Of two members with one key the later one stays.
///
/// - Throws: `JsonRefusal`
public func readPlainJson(_ text: [UInt8]) throws -> JsonValue {
  try readJson(text, isStrict: false, maxDepth: plainDepth)
}

private func readJson(_ text: [UInt8], isStrict: Bool, maxDepth: Int) throws -> JsonValue {
  if text.starts(with: [0xef, 0xbb, 0xbf]) {
    throw JsonRefusal(code: .byteOrderMark, message: "a byte order mark at character 0")
  }
  return try text.withUnsafeBufferPointer { text in
    var reader = JsonReader(text: text, isStrict: isStrict, maxDepth: maxDepth)
    let value = try reader.readValue(0)
    if reader.skipSpace() != nil { throw reader.syntax("the end") }
    return value
  }
}

private struct JsonReader {
  let text: UnsafeBufferPointer<UInt8>
  let isStrict: Bool
  let maxDepth: Int
  var at = 0

  mutating func readValue(_ depth: Int) throws -> JsonValue {
    switch skipSpace() {
    case UInt8(ascii: "{"): return .object(try readObject(depth + 1))
    case UInt8(ascii: "["): return .array(try readArray(depth + 1))
    case UInt8(ascii: "\""): return try readString()
    case UInt8(ascii: "t"): return try readWord("true", value: .bool(true))
    case UInt8(ascii: "f"): return try readWord("false", value: .bool(false))
    case UInt8(ascii: "n"): return try readWord("null", value: .null)
    default: return try readNumber()
    }
  }

  private mutating func readObject(_ depth: Int) throws -> JsonObject {
    try enter(depth)
    var members = JsonObject()
    if skipSpace() == UInt8(ascii: "}") { return leave(members) }
    while true {
      guard skipSpace() == UInt8(ascii: "\"") else { throw syntax("a key") }
      let start = at
      let key = try readKey()
      if isStrict { try checkKey(members, key: key, start: start) }
      guard skipSpace() == UInt8(ascii: ":") else { throw syntax("':'") }
      at += 1
      members[key] = try readValue(depth)
      let next = skipSpace()
      if next == UInt8(ascii: "}") { return leave(members) }
      guard next == UInt8(ascii: ",") else { throw syntax("',' or '}'") }
      at += 1
    }
  }

  private mutating func readArray(_ depth: Int) throws -> [JsonValue] {
    try enter(depth)
    var items: [JsonValue] = []
    if skipSpace() == UInt8(ascii: "]") { return leave(items) }
    while true {
      items.append(try readValue(depth))
      let next = skipSpace()
      if next == UInt8(ascii: "]") { return leave(items) }
      guard next == UInt8(ascii: ",") else { throw syntax("',' or ']'") }
      at += 1
    }
  }

  /// A key of a plain reading may have a lone surrogate: no reader asks for that member.
  private mutating func readKey() throws -> String {
    switch try readString() {
    case .string(let key): return key
    case .unpaired(let bytes): return repaired(bytes)
    default: throw syntax("a key")
    }
  }

  private mutating func readString() throws -> JsonValue {
    let start = at
    at += 1
    let plain = try readPlain()
    if text[at] == UInt8(ascii: "\"") {
      at += 1
      return try textOf(plain, start: start)
    }
    var read = Array(plain)
    while text[at] != UInt8(ascii: "\"") {
      appendWtf8(try readEscape(), to: &read)
      appendWtf8(try readPlain(), to: &read)
    }
    at += 1
    return try read.withUnsafeBufferPointer { try textOf($0, start: start) }
  }

  /// Reads up to the next quote or escape, one of which follows.
  private mutating func readPlain() throws -> UnsafeBufferPointer<UInt8> {
    let start = at
    while at < text.count, text[at] >= 0x20,
      text[at] != UInt8(ascii: "\""), text[at] != UInt8(ascii: "\\")
    {
      at += 1
    }
    guard at < text.count, text[at] >= 0x20 else { throw syntax("the end of a string") }
    return UnsafeBufferPointer(rebasing: text[start..<at])
  }

  private mutating func readEscape() throws -> [UInt8] {
    let letter = at + 1 < text.count ? text[at + 1] : 0
    if letter == UInt8(ascii: "u") {
      guard at + 6 <= text.count, let unit = hexadecimal(text[at + 2..<at + 6]) else {
        throw syntax("four hexadecimal digits")
      }
      at += 6
      return wtf8(unit)
    }
    guard let plain = escapes[letter] else { throw syntax("an escape") }
    at += 2
    return [plain]
  }

  private func textOf(_ bytes: UnsafeBufferPointer<UInt8>, start: Int) throws -> JsonValue {
    if isWellFormed(bytes) { return .string(String(decoding: bytes, as: UTF8.self)) }
    if isStrict { throw refusal(.loneSurrogate, found: "a lone surrogate in a string", at: start) }
    return .unpaired(Array(bytes))
  }

  private mutating func readNumber() throws -> JsonValue {
    let start = at
    var end = at
    func digits() -> Bool {
      let first = end
      while end < text.count, isDigit(text[end]) { end += 1 }
      return end > first
    }
    func skip(_ byte: UInt8) -> Bool {
      guard end < text.count, text[end] == byte else { return false }
      end += 1
      return true
    }
    let isNegative = skip(UInt8(ascii: "-"))
    guard skip(UInt8(ascii: "0")) || digits() else { throw syntax("a value") }
    var isInteger = !(isNegative && text[start + 1] == UInt8(ascii: "0"))
    at = end
    if skip(UInt8(ascii: ".")), digits() { (isInteger, at) = (false, end) }
    end = at
    if skip(UInt8(ascii: "e")) || skip(UInt8(ascii: "E")) {
      _ = skip(UInt8(ascii: "+")) || skip(UInt8(ascii: "-"))
      if digits() { (isInteger, at) = (false, end) }
    }
    let written = String(decoding: text[start..<at], as: UTF8.self)
    if isInteger, at - start <= 17, let whole = Int(written), abs(whole) <= maxSafeInteger {
      return .integer(whole)
    }
    if isStrict {
      throw refusal(.number, found: "found another number, expected whole numbers within 2^53-1", at: start)
    }
    return .number(Double(written) ?? .nan)
  }

  private mutating func readWord(_ word: StaticString, value: JsonValue) throws -> JsonValue {
    let matches = word.withUTF8Buffer { text[at...].starts(with: $0) }
    guard matches else { throw syntax("a value") }
    at += word.utf8CodeUnitCount
    return value
  }

  private func checkKey(_ members: JsonObject, key: String, start: Int) throws {
    if key == "__proto__" { throw refusal(.forbiddenKey, found: "the key \"__proto__\"", at: start) }
    guard members[key] != nil else { return }
    throw refusal(.duplicateKey, found: "found a key of the same object again", at: start)
  }

  private mutating func enter(_ depth: Int) throws {
    guard depth <= maxDepth else { throw refusal(.tooDeep, found: "more than \(maxDepth) levels", at: at) }
    at += 1
  }

  private mutating func leave<T>(_ value: T) -> T {
    at += 1
    return value
  }

  /// The first byte after white space; `nil` at the end.
  mutating func skipSpace() -> UInt8? {
    while at < text.count {
      switch text[at] {
      case UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\n"), UInt8(ascii: "\r"): at += 1
      case let byte: return byte
      }
    }
    return nil
  }

  func syntax(_ expected: String) -> JsonRefusal {
    let found = at < text.count ? "other text" : "the end"
    return refusal(.syntax, found: "found \(found), expected \(expected)", at: at)
  }

  private func refusal(_ code: JsonFailureCode, found: String, at: Int) -> JsonRefusal {
    JsonRefusal(code: code, message: "\(found) at character \(utf16Length(text[..<at]))")
  }
}

private let escapes: [UInt8: UInt8] = [
  UInt8(ascii: "\""): UInt8(ascii: "\""),
  UInt8(ascii: "\\"): UInt8(ascii: "\\"),
  UInt8(ascii: "/"): UInt8(ascii: "/"),
  UInt8(ascii: "b"): 0x08,
  UInt8(ascii: "f"): 0x0c,
  UInt8(ascii: "n"): 0x0a,
  UInt8(ascii: "r"): 0x0d,
  UInt8(ascii: "t"): 0x09,
]

private func hexadecimal(_ digits: some Sequence<UInt8>) -> UInt16? {
  var value: UInt16 = 0
  for digit in digits {
    guard let digit = hexDigit(digit) else { return nil }
    value = value << 4 | UInt16(digit)
  }
  return value
}
