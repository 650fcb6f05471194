// The device's own look at a release, for apps whose binary holds the public key: what a script that
// was injected into the page asks for is staged and activated only when a signed release says so
// (NAT-6). The client has looked before; nothing of its answer is taken over. Every refusal is a
// `Failure` of the code `untrusted`.

/// Reasons to refuse a release.
public enum TrustFailureCode: String, Sendable {
  case untrusted
}

/// Key and line of the releases that a device takes.
public struct TrustedReleases: Sendable {
  /// base64url of the 32-byte Ed25519 public key.
  public let publicKey: String
  /// Line of releases that is trusted.
  public let target: ReleaseTarget

  public init(publicKey: String, app: String? = nil, channel: String? = nil) {
    self.publicKey = publicKey
    target = ReleaseTarget(
      app: app ?? defaultTarget.app, channel: channel ?? defaultTarget.channel
    )
  }
}

/// Reads the release that a request carries.
///
/// - Parameters:
///   - text: The text of `release.json` as it was fetched; anything else is refused.
///   - minSequence: The sequence that the device has accepted for that app and channel (REL-6).
public func readTrusted(
  _ trusted: TrustedReleases, text: JsonValue?, minSequence: Int, by ed25519: Ed25519
) throws -> Release {
  guard let text = text?.text else {
    throw refuse("the request has no text of it, expected `release`")
  }
  let bytes = Array(text.utf8)
  if bytes.count > Limits.releaseBytes {
    throw refuse("it has \(bytes.count) bytes, expected at most \(Limits.releaseBytes)")
  }
  do {
    let record = try readRecord(bytes)
    guard isSigned(record, publicKey: trusted.publicKey, by: ed25519) else {
      throw refuse("it is not signed by the key in this app")
    }
    let release = try parseRelease(record, for: trusted.target)
    try checkSequence(release.sequence, minSequence: minSequence)
    return release
  } catch let failure as Failure where failure.code != TrustFailureCode.untrusted.rawValue {
    throw refuse(failure.message)
  }
}

/// Refuses a release that does not name that version, or, where it is to be staged, that manifest, or
/// that takes the app back to before its binary unasked (CHECK-14).
///
/// - Parameter binary: The bundle of that name in the app's binary.
public func checkWanted(
  _ release: Release, name: String, version: String, manifest: String? = nil,
  binary: BinaryBundle, by hashing: Hashing
) throws {
  let named = release.bundles[name]
  if named != version {
    throw refuse("it has \(named ?? "no version") of \(name), not \(version)")
  }
  if isOlderThanBinary(release, name: name, binary: binary) {
    throw refuse("its \(name) \(version) is older than what this app came with")
  }
  guard let manifest else { return }
  let bytes = Array(manifest.utf8)
  let ref = release.manifests[name]
  guard ref?.size == bytes.count, ref?.hash == hashing.sha256Hex(bytes) else {
    throw refuse("it names another manifest of \(name) \(version)")
  }
}

/// Refuses a release that has another sequence.
public func checkWantedSequence(_ release: Release, wanted: SequenceRequest) throws {
  let (app, channel, sequence) = (release.app, release.channel, release.sequence)
  guard wanted == SequenceRequest(app: app, channel: channel, sequence: sequence) else {
    let asked = "\(wanted.app)/\(wanted.channel) \(wanted.sequence)"
    throw refuse("it is \(app)/\(channel) \(sequence), not \(asked)")
  }
}

private func refuse(_ why: String) -> Failure {
  Failure(TrustFailureCode.untrusted, "Cannot trust the release: \(why)")
}
