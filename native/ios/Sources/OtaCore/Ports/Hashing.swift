/// Fast hashing, as the platform has it.
public protocol Hashing: AnyObject, Sendable {
  /// A running SHA-256.
  func createSha256() -> Sha256
}

/// A running SHA-256 (FIPS 180-4).
public protocol Sha256: AnyObject {
  /// Feeds more bytes.
  func update(_ bytes: UnsafeRawBufferPointer)
  /// Ends the hash. 64 lower-case hexadecimal digits.
  func hex() -> String
}

extension Sha256 {
  public func update(_ bytes: [UInt8]) {
    bytes.withUnsafeBytes { update($0) }
  }

  public func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { update($0) }
  }
}

extension Hashing {
  /// SHA-256 of bytes at hand. 64 lower-case hexadecimal digits.
  public func sha256Hex(_ bytes: [UInt8]) -> String {
    let hash = createSha256()
    hash.update(bytes)
    return hash.hex()
  }
}
