// JSON as the update records use it: RFC 8785 for writing, and for reading only such texts that
// every language reads alike (JSON-1 to JSON-9). vectors/json holds the refusals.

/// Parses UTF-8 bytes.
///
/// - Throws: `Failure` of a `JsonFailureCode`.
public func parseStrictJsonBytes(_ bytes: [UInt8]) throws -> JsonValue {
  guard decodeUtf8(bytes) != nil else {
    throw Failure(JsonFailureCode.notUtf8, "Cannot read JSON: the bytes are not UTF-8")
  }
  return try parseStrictJson(bytes)
}

/// Parses JSON strictly: see ``readStrictJson(_:)``.
///
/// - Parameter text: Its UTF-8, or its WTF-8 where it may have lone surrogates.
/// - Throws: `Failure` of a `JsonFailureCode`.
public func parseStrictJson(_ text: [UInt8]) throws -> JsonValue {
  do {
    return try readStrictJson(text)
  } catch let refusal as JsonRefusal {
    throw Failure(refusal.code, "Cannot read JSON: \(refusal.message)")
  }
}

/// Writes a value that was read strictly as RFC 8785 does (JSON-9): members ordered by UTF-16 code
/// units, no white space, the shortest escapes.
public func canonicalJson(_ value: JsonValue) -> String {
  jsonText(value, isCanonical: true)
}
