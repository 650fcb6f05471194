/// Any JSON value. Numbers are JavaScript's: every whole number within ±(2^53−1) is exact.
public enum JsonValue: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  /// A string with a lone surrogate, which no Swift string can hold, as WTF-8: only a plain reading
  /// has it, and every reader of a text refuses it.
  case unpaired([UInt8])
  case array([JsonValue])
  case object(JsonObject)
}

/// A JSON object, its members in the order of its text.
public typealias JsonObject = Record<JsonValue>

extension JsonValue {
  public static func integer(_ value: Int) -> JsonValue { .number(Double(value)) }

  /// A text as the value that holds it; `nil` becomes `null`.
  public static func text(_ value: String?) -> JsonValue { value.map(JsonValue.string) ?? .null }

  /// The text of a string; `nil` for every other value.
  public var text: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  public var bool: Bool? {
    if case .bool(let bool) = self { return bool }
    return nil
  }

  public var number: Double? {
    if case .number(let number) = self { return number }
    return nil
  }

  /// A whole number that every language holds exactly (within ±(2^53−1)); `nil` for all else.
  public var integer: Int? {
    guard let number, abs(number) <= Double(maxSafeInteger) else { return nil }
    return Int(exactly: number)
  }

  public var array: [JsonValue]? {
    if case .array(let items) = self { return items }
    return nil
  }

  public var object: JsonObject? {
    if case .object(let members) = self { return members }
    return nil
  }

  /// A member of an object; `nil` where there is none, or where this is no object.
  public subscript(key: String) -> JsonValue? { object?[key] }
}

extension JsonValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  public init(stringLiteral value: String) { self = .string(value) }
  public init(integerLiteral value: Int) { self = .integer(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  public init(nilLiteral: ()) { self = .null }
  public init(arrayLiteral elements: JsonValue...) { self = .array(elements) }
  public init(dictionaryLiteral elements: (String, JsonValue)...) {
    self = .object(JsonObject(elements.map { (key: $0.0, value: $0.1) }))
  }

  public static func == (a: JsonValue, b: JsonValue) -> Bool {
    switch (a, b) {
    case (.null, .null): return true
    case (.bool(let a), .bool(let b)): return a == b
    case (.number(let a), .number(let b)): return a == b
    case (.string(let a), .string(let b)): return isSame(a, b)
    case (.unpaired(let a), .unpaired(let b)): return a == b
    case (.array(let a), .array(let b)): return a == b
    case (.object(let a), .object(let b)): return a == b
    default: return false
    }
  }
}

/// 2^53−1.
public let maxSafeInteger = 9_007_199_254_740_991

/// Whether two texts are one: by their bytes, never by canonical equivalence.
public func isSame(_ a: String, _ b: String) -> Bool {
  a.utf8.count == b.utf8.count && a.utf8.elementsEqual(b.utf8)
}

/// Whether `a` comes before `b` by UTF-16 code units, as RFC 8785 §3.2.3 and every listing of ours
/// orders. UTF-8 orders alike but for what UTF-16 writes with surrogates: that comes before U+E000.
public func isBefore(_ a: String, _ b: String) -> Bool {
  var others = b.utf8.makeIterator()
  for byte in a.utf8 {
    guard let other = others.next() else { return false }
    if byte != other { return utf16Rank(byte) < utf16Rank(other) }
  }
  return others.next() != nil
}

private func utf16Rank(_ byte: UInt8) -> UInt8 {
  byte < 0xee ? byte : byte < 0xf0 ? byte + 0x10 : byte - 2
}
