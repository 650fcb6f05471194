import SlipwayOtaCore

/// A text; lone surrogates become U+FFFD, as wherever JavaScript writes UTF-8.
func textOf(_ value: JsonValue?) -> String? {
  if case .unpaired(let bytes) = value { return repaired(bytes) }
  return value?.text
}

/// A text's bytes, its lone surrogates among them.
func wtf8Of(_ value: JsonValue) -> [UInt8]? {
  if case .unpaired(let bytes) = value { return bytes }
  return value.text.map { Array($0.utf8) }
}

func text(_ value: JsonValue?) throws -> String {
  guard let text = textOf(value) else { throw UnreadableVector("an input is not text") }
  return text
}

func integer(_ value: JsonValue?) throws -> Int {
  guard let integer = value?.integer else { throw UnreadableVector("an input is not a whole number") }
  return integer
}

func bytesOf(_ value: JsonValue?) throws -> [UInt8] {
  guard let bytes = value?.text.flatMap(fromBase64Url) else {
    throw UnreadableVector("bytes are not base64url")
  }
  return bytes
}
