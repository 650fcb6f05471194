/// Facts about the bundle in an app's binary.
public struct BinaryBundle: Sendable {
  /// `v<N>`, or `embedded` where it has no number.
  public let embedded: String?
  /// Version that was released when the binary was built (MAN-7): a bundle without a number is newer.
  public let released: String?

  public init(embedded: String? = nil, released: String? = nil) {
    self.embedded = embedded
    self.released = released
  }
}

/// Whether a release names an older version of a bundle than the app's binary holds, and does not say
/// that going back is meant (CHECK-14).
public func isOlderThanBinary(_ release: Release, name: String, binary: BinaryBundle) -> Bool {
  guard let named = release.bundles[name], release.backTo[name] != named else { return false }
  if let number = binary.embedded, isVersion(number) { return isOlder(named, than: number) }
  guard let released = binary.released, isVersion(released) else { return false }
  return !isOlder(released, than: named)
}
