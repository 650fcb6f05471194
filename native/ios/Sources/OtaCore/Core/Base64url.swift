private let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)

/// Decodes base64url without padding (RFC 4648 §5). Only the canonical spelling is taken: padding, white
/// space, the `+/` alphabet and non-zero trailing bits are refused, so that one value has one text.
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
