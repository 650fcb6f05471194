import Foundation

// Rules for every name that becomes a path on a phone (PATH-1 to PATH-13), decided on bytes: UTF-8,
// or WTF-8 where a lone surrogate may stand.

/// Reasons to refuse a path, or a set of them.
public enum PathFailureCode: String, Sendable {
  case empty  // PATH-1
  case absolute  // PATH-2
  case backslash  // PATH-3
  case driveLetter = "drive-letter"  // PATH-4
  case controlCharacter = "control-character"  // PATH-5
  case dotSegment = "dot-segment"  // PATH-6
  case notNormalized = "not-normalized"  // PATH-7
  case tooLong = "too-long"  // PATH-8
  case duplicate  // PATH-9
  case fileAndFolder = "file-and-folder"  // PATH-10
}

/// The refusal of a path: `found` says what is wrong with it.
public func refusePath<Code: RawRepresentable>(
  _ path: some Collection<UInt8>, code: Code, found: String
) -> Failure where Code.RawValue == String {
  Failure(
    code,
    "Cannot use path \(quoted(utf16Prefix(path, count: 120))): \(found)",
    next: "Rename the file; a path is made of plain names joined by '/'"
  )
}

/// Checks one relative file path against PATH-1 to PATH-8.
///
/// - Throws: `Failure` of a `PathFailureCode`.
public func checkPath(_ path: String) throws {
  try checkPath(Array(path.utf8))
}

/// Checks a path that may have lone surrogates, in WTF-8: see ``checkPath(_:)``.
public func checkPath(_ path: [UInt8]) throws {
  func refuse(_ code: PathFailureCode, found: String) -> Failure {
    refusePath(path, code: code, found: found)
  }
  if path.isEmpty { throw refuse(.empty, found: "it is empty") }
  if path[0] == slash { throw refuse(.absolute, found: "it starts with '/'") }
  if path.contains(UInt8(ascii: "\\")) { throw refuse(.backslash, found: "it has a backslash") }
  if startsWithDrive(path) { throw refuse(.driveLetter, found: "it starts with a drive letter") }
  if hasControl(path) { throw refuse(.controlCharacter, found: "it has a control character") }
  if !isWellFormed(path) { throw refuse(.notNormalized, found: "it has a lone surrogate") }
  if !isNfc(path) { throw refuse(.notNormalized, found: "it is not in NFC") }
  if path.count > Limits.pathBytes {
    throw refuse(.tooLong, found: "it is longer than \(Limits.pathBytes) UTF-8 bytes")
  }
  for segment in path.split(separator: slash, omittingEmptySubsequences: false) {
    if segment.isEmpty { throw refuse(.empty, found: "it has an empty segment") }
    if segment.count <= 2, segment.allSatisfy({ $0 == UInt8(ascii: ".") }) {
      throw refuse(.dotSegment, found: "it has a '\(textOf(segment))' segment")
    }
    if segment.count == 2, startsWithDrive(segment) {
      throw refuse(.driveLetter, found: "it has the drive letter '\(textOf(segment))' as a segment")
    }
    if segment.count > Limits.segmentBytes {
      throw refuse(.tooLong, found: "a segment is longer than \(Limits.segmentBytes) UTF-8 bytes")
    }
  }
}

/// Folds A–Z to a–z and nothing else: the one folding that every language does alike.
public func foldAscii(_ text: String) -> String {
  String(decoding: text.utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
}

/// Checks every path, and that together they can lie in one folder of a case-insensitive file
/// system: no two equal after ``foldAscii(_:)`` (PATH-9), no file that is also a folder (PATH-10).
///
/// - Throws: `Failure` of a `PathFailureCode`.
public func checkPathSet(_ paths: [String]) throws {
  var files = Record<String>()
  for path in paths {
    try checkPath(path)
    let folded = foldAscii(path)
    if let other = files[folded] {
      let found = "\(quoted(other)) is the same file where case is ignored"
      throw refusePath(path.utf8, code: PathFailureCode.duplicate, found: found)
    }
    files[folded] = path
  }
  for (folded, path) in files {
    for end in folded.utf8.indices where folded.utf8[end] == slash {
      guard let file = files[String(folded[..<end])] else { continue }
      throw refusePath(path.utf8, code: PathFailureCode.fileAndFolder, found: "\(quoted(file)) is a file")
    }
  }
}

/// Whether `name` may name a bundle, an app or a channel (PATH-11): a bundle's folder lies beside the
/// device's own files, so it is not named like one of them (PATH-13).
public func isBundleName(_ name: String) -> Bool {
  guard let first = name.utf8.first, isLower(first) || isDigit(first) else { return false }
  return name.utf8.count <= 64 && name.utf8.allSatisfy(isNameByte)
    && !name.hasSuffix(".json") && !name.hasSuffix(".tmp")
}

/// Whether `version` is `v<N>` with N ≥ 1, and short enough for a path segment (PATH-12).
public func isVersion(_ version: String) -> Bool {
  let bytes = version.utf8
  return bytes.count >= 2 && bytes.count <= Limits.segmentBytes && bytes.first == UInt8(ascii: "v")
    && bytes.dropFirst().first != UInt8(ascii: "0") && bytes.dropFirst().allSatisfy(isDigit)
}

/// Whether version `v<N>` has a lower N than another one; N may have any number of digits.
public func isOlder(_ version: String, than other: String) -> Bool {
  version.utf8.count != other.utf8.count
    ? version.utf8.count < other.utf8.count
    : version.utf8.lexicographicallyPrecedes(other.utf8)
}

private let slash = UInt8(ascii: "/")

private func startsWithDrive(_ path: some Collection<UInt8>) -> Bool {
  guard let letter = path.first, isLetter(letter) else { return false }
  return path.dropFirst().first == UInt8(ascii: ":")
}

/// PATH-5: C0, DEL and C1, the last of which UTF-8 writes as 0xC2 and itself.
private func hasControl(_ path: [UInt8]) -> Bool {
  var last: UInt8 = 0
  for byte in path {
    if byte < 0x20 || byte == 0x7f || last == 0xc2 && byte < 0xa0 { return true }
    last = byte
  }
  return false
}

/// Nothing below U+0300 can be composed any further.
private func isNfc(_ path: [UInt8]) -> Bool {
  path.allSatisfy { $0 < 0xcc }
    || textOf(path[...]).precomposedStringWithCanonicalMapping.utf8.elementsEqual(path)
}

private func textOf(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

private func isUpper(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "Z") }

private func isLower(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z") }

func isLetter(_ byte: UInt8) -> Bool { isUpper(byte) || isLower(byte) }

func isDigit(_ byte: UInt8) -> Bool { byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") }

private func isNameByte(_ byte: UInt8) -> Bool {
  isLower(byte) || isDigit(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    || byte == UInt8(ascii: "-")
}
