/// A map keyed by outside text. Two keys are one only when they have the same bytes: Swift's own
/// dictionaries take "é" in one and in two characters for one key, JavaScript and a disk do not.
public struct Record<Value> {
  public typealias Member = (key: String, value: Value)

  /// Above this many members they are looked up by hash.
  private static var listed: Int { 8 }

  /// As they came.
  private var stored: [Member] = []
  private var places: [Utf8Key: Int] = [:]
  private var hasIndexes = false

  public init() {}

  /// Of two members with one key the later one stays, in the place of the first.
  public init(_ members: some Sequence<Member>) {
    for (key, value) in members { self[key] = value }
  }

  /// In JavaScript's order: whole numbers first and ascending, then as they came.
  public var members: [Member] {
    guard hasIndexes else { return stored }
    let indexes = stored.compactMap { member in arrayIndex(member.key).map { ($0, member) } }
      .sorted { $0.0 < $1.0 }
    return indexes.map(\.1) + stored.filter { arrayIndex($0.key) == nil }
  }

  public var count: Int { stored.count }
  public var isEmpty: Bool { stored.isEmpty }
  public var keys: [String] { members.map(\.key) }
  public var values: [Value] { members.map(\.value) }

  /// A member; setting `nil` takes it away.
  public subscript(key: String) -> Value? {
    get { place(of: key).map { stored[$0].value } }
    set {
      switch (place(of: key), newValue) {
      case (let place?, let value?): stored[place].value = value
      case (nil, let value?): append((key, value))
      case (let place?, nil): self = Record(stored[..<place] + stored[(place + 1)...])
      case (nil, nil): break
      }
    }
  }

  /// This record with one member changed, or without it.
  public func with(_ key: String, value: Value?) -> Record {
    var changed = self
    changed[key] = value
    return changed
  }

  public func mapValues<T>(_ transform: (Value) throws -> T) rethrows -> Record<T> {
    try Record<T>(stored.map { (key: $0.key, value: try transform($0.value)) })
  }

  public func filter(_ isKept: (Member) throws -> Bool) rethrows -> Record {
    try Record(stored.filter(isKept))
  }

  /// The members in the order of their keys' UTF-16 code units.
  public func sorted() -> [Member] {
    stored.sorted { isBefore($0.key, $1.key) }
  }

  private func place(of key: String) -> Int? {
    stored.count > Self.listed
      ? places[Utf8Key(text: key)]
      : stored.firstIndex { isSame($0.key, key) }
  }

  private mutating func append(_ member: Member) {
    stored.append(member)
    hasIndexes = hasIndexes || arrayIndex(member.key) != nil
    guard stored.count > Self.listed else { return }
    if stored.count == Self.listed + 1 {  // the first ones are not in it yet
      for (place, early) in stored.enumerated() { places[Utf8Key(text: early.key)] = place }
    }
    places[Utf8Key(text: member.key)] = stored.count - 1
  }
}

extension Record: Sequence {
  public func makeIterator() -> IndexingIterator<[Member]> { members.makeIterator() }
}

extension Record: ExpressibleByDictionaryLiteral {
  public init(dictionaryLiteral elements: (String, Value)...) {
    for (key, value) in elements { self[key] = value }
  }
}

/// Equal with the same members in the same order, as their texts are.
extension Record: Equatable where Value: Equatable {
  public static func == (a: Record, b: Record) -> Bool {
    a.count == b.count
      && zip(a.members, b.members).allSatisfy { isSame($0.key, $1.key) && $0.value == $1.value }
  }
}

extension Record: Sendable where Value: Sendable {}

/// A text as its bytes, for sets and dictionaries.
struct Utf8Key: Hashable, Sendable {
  let text: String

  static func == (a: Utf8Key, b: Utf8Key) -> Bool { isSame(a.text, b.text) }

  func hash(into hasher: inout Hasher) {
    var text = text
    text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
  }
}

/// The number that a key of a JavaScript object counts as (ECMA-262, "array index").
private func arrayIndex(_ key: String) -> UInt32? {
  guard let first = key.utf8.first, isDigit(first), key.utf8.count <= 10 else { return nil }
  guard let index = UInt32(key), index != .max else { return nil }
  return first == UInt8(ascii: "0") && key.utf8.count > 1 ? nil : index
}
