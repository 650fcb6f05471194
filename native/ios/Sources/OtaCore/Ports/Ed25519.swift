/// Signatures as RFC 8032 has them. How strict a verdict is must not differ between platforms, so
/// points, keys and `S` are checked by lib/ota-format's rules before this is asked.
public protocol Ed25519: AnyObject, Sendable {
  /// Whether 64 bytes sign a message by the key of these 32 bytes. Never traps, whatever they are.
  func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool
}
