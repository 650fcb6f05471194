private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Base64url without padding (RFC 4648 §5).
public func toBase64Url(_ bytes: [UInt8]) -> String {
  var text: [UInt8] = []
  for start in stride(from: 0, to: bytes.count, by: 3) {
    let group = bytes[start..<min(start + 3, bytes.count)]
    let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
    for digit in 0...group.count { text.append(alphabet[bits >> (18 - 6 * digit) & 63]) }
  }
  return String(decoding: text, as: UTF8.self)
}

/// Decodes base64url without padding. Only the canonical spelling is taken: padding, white space,
/// the `+/` alphabet and non-zero trailing bits are refused, so that one value has one text.
///
/// - Returns: The bytes, or `nil` when `text` is not canonical base64url.
public func fromBase64Url(_ text: String) -> [UInt8]? {
  if text.utf8.count % 4 == 1 { return nil }
  var bytes: [UInt8] = []
  var buffer = 0
  var bits = 0
  for character in text.utf8 {
    guard let digit = alphabet.firstIndex(of: character) else { return nil }
    buffer = (buffer << 6 | digit) & 0xffff
    bits += 6
    if bits >= 8 {
      bits -= 8
      bytes.append(UInt8(buffer >> bits & 0xff))
    }
  }
  return buffer & (1 << bits - 1) == 0 ? bytes : nil
}
