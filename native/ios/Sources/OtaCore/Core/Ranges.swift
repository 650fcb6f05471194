// A file that is fetched in pieces (RFC 9110 §14): what is asked for, and what an answer holds of it.
// That the pieces belong together is shown by the hash of the whole alone.

/// The bytes that an answer's status and headers announce.
enum RangeVerdict: Equatable {
  /// The file from its beginning.
  case whole
  /// The requested bytes to the end of the file; the server may report its `total` size.
  case rest(total: Int?)
  /// The rest cannot be had this way: ask for the whole.
  case restart
  /// Ask again, not before `afterMs`.
  case again(afterMs: Double)
  /// Asking again would not help.
  case refused
}

/// The headers that ask for a file's bytes after the first `from`. Offsets and sizes are of the file
/// itself, not of a compressed form that a server may make of it.
func rangeHeaders(from: Int, validator: String?) -> [String: String] {
  var headers = ["accept-encoding": "identity", "range": "bytes=\(from)-"]
  headers["if-range"] = validator
  return headers
}

/// Reads status and headers of an answer: to ``rangeHeaders(from:validator:)``, or to a request for the
/// whole, where `from` is 0. Any tag is taken for that of the bytes that are there.
func readRange(_ answer: HttpResponse, from: Int) -> RangeVerdict {
  if answer.status == 206 && from > 0 {
    guard codingOf(answer) == nil, let range = contentRange(answer), range.first == from else {
      return .restart
    }
    return .rest(total: range.total)
  }
  if answer.status == 416 && from > 0 { return .restart }
  if answer.status == 200 { return .whole }
  return isTransient(answer.status) ? .again(afterMs: retryAfterMs(answer)) : .refused
}

/// The strong tag of an answer, else its date: what `If-Range` may hold (RFC 9110 §13.1.5).
func validatorOf(_ answer: HttpResponse) -> String? {
  guard let tag = answer.header("etag") else { return answer.header("last-modified") }
  let inner = tag.dropFirst().dropLast()
  let isStrong = tag.count >= 2 && tag.first == "\"" && tag.last == "\"" && !inner.contains("\"")
  return isStrong ? tag : nil
}

/// Compression that an answer names, or `nil`.
func codingOf(_ answer: HttpResponse) -> String? {
  let coding = trimmed(answer.header("content-encoding")).lowercased()
  return coding == "" || coding == "identity" ? nil : coding
}

/// Text without the space around it, as HTTP has it; empty for none.
func trimmed(_ text: String?) -> String {
  guard let text else { return "" }
  let isSpace = { (character: Character) in character.isWhitespace }
  let end = text.lastIndex { !isSpace($0) }
  return end.map { String(text[...$0].drop(while: isSpace)) } ?? ""
}

/// A number of decimal digits alone, that of a file of any size.
func wholeNumber(_ text: some StringProtocol) -> Int? {
  guard !text.isEmpty, text.utf8.allSatisfy(isDigit) else { return nil }
  return Int(text)
}

/// `bytes <first>-<last>/<total>`; `*` where the total is not known.
private func contentRange(_ answer: HttpResponse) -> (first: Int, total: Int?)? {
  let text = trimmed(answer.header("content-range"))
  guard text.hasPrefix("bytes ") else { return nil }
  let parts = text.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
  guard parts.count == 2 else { return nil }
  let places = parts[0].split(separator: "-", omittingEmptySubsequences: false).map(wholeNumber)
  guard places.count == 2, let first = places[0], places[1] != nil else { return nil }
  if parts[1] == "*" { return (first, nil) }
  guard let total = wholeNumber(parts[1]) else { return nil }
  return (first, total)
}
