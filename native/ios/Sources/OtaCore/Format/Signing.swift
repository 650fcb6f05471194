// Ed25519 over the canonical bytes of a record without its `sig` (SIG-2). The equation is the
// platform's; which encodings of a key, a point and a number are taken is decided here, so that
// libcrypto, CryptoKit and every later version of them give one verdict.

/// Decodes a 32-byte key (SIG-1); `nil` when `text` is not canonical base64url of 32 bytes.
public func decodeKey(_ text: String) -> [UInt8]? {
  fromBase64Url(text).flatMap { $0.count == 32 ? $0 : nil }
}

/// The bytes that a signature covers: the record without `sig`, canonical (SIG-2).
public func signedBytes(_ record: JsonObject) -> [UInt8] {
  Array(canonicalJson(.object(record.with("sig", value: nil))).utf8)
}

/// Verifies a signature by strict RFC 8032 (SIG-3): small-order keys, non-canonical points and an S
/// that is not reduced are refused. Anything malformed is simply not valid (SIG-4).
///
/// - Parameters:
///   - signature: base64url of 64 bytes.
///   - publicKey: base64url of 32 bytes.
public func verifySignature(
  _ message: [UInt8], signature: String, publicKey: String, by ed25519: Ed25519
) -> Bool {
  guard let sig = fromBase64Url(signature), sig.count == 64, let key = decodeKey(publicKey),
    isStrictKey(key), isStrictPoint(sig[..<32]), isReduced(sig[32...])
  else { return false }
  return ed25519.verify(signature: sig, message: message, publicKey: key)
}

/// A number of 32 bytes, the lowest first.
private func number(_ hex: StaticString) -> [UInt8] {
  fromHex(hex).reversed()
}

/// The prime of the field, 2^255−19.
private let p = number("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed")
private let minusOne = number("7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffec")
/// The order of the base point.
private let l = number("1000000000000000000000000000000014def9dea2f79cd65812631a5cf5d3ed")
private let zero = [UInt8](repeating: 0, count: 32)
private let one = [1] + zero.dropLast()
/// The y of every point whose order divides 8; each of them is one with either sign of x.
private let smallOrder = [
  zero, one, minusOne,
  number("7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7"),
  number("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826"),
]

/// Whether a key is encoded canonically and is not a point of small order.
private func isStrictKey(_ key: [UInt8]) -> Bool {
  let (y, _) = pointOf(key[...])
  return isBelow(y, p) && !smallOrder.contains(y)
}

/// Whether a point is written canonically: y is reduced, and an x of 0 has no sign.
private func isStrictPoint(_ point: ArraySlice<UInt8>) -> Bool {
  let (y, isNegative) = pointOf(point)
  return isBelow(y, p) && !(isNegative && (y == one || y == minusOne))
}

private func isReduced(_ s: ArraySlice<UInt8>) -> Bool { isBelow(Array(s), l) }

private func pointOf(_ bytes: ArraySlice<UInt8>) -> (y: [UInt8], isNegative: Bool) {
  var y = Array(bytes)
  y[31] &= 0x7f
  return (y, y[31] != bytes.last)
}

/// Both are public: how long it takes tells nothing.
private func isBelow(_ a: [UInt8], _ b: [UInt8]) -> Bool {
  a.reversed().lexicographicallyPrecedes(b.reversed())
}
