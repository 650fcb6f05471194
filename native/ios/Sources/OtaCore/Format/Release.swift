/// The value of `schema` in every record (REL-2).
public let recordSchema = 1

/// Bytes named by their content: SHA-256 in lower-case hex, and how many there are.
public struct ContentRef: Equatable, Sendable {
  /// 64 lower-case hexadecimal digits.
  public let hash: String
  /// Bytes.
  public let size: Int
  /// Bytes as they are served, where they are stored under a content coding (REL-8).
  public let served: Int?

  public init(hash: String, size: Int, served: Int? = nil) {
    self.hash = hash
    self.size = size
    self.served = served
  }
}

/// `release.json` without its signature (REL-2).
public struct Release: Equatable, Sendable {
  /// Game that this record is for.
  public let app: String
  /// Line of releases: `production`, `beta`.
  public let channel: String
  /// Grows with every publish; the device refuses to go back (REL-6).
  public let sequence: Int
  /// Bundle name to version.
  public let bundles: Record<String>
  /// Bundle name to the manifest of that version.
  public let manifests: Record<ContentRef>
  /// Whether players must restart into it.
  public let mandatory: Bool
  /// The lowest engine API level of an app that may take any of its bundles.
  public let minEngineApi: Int
  /// Bundle name to the version that it goes back to, also below what app binaries hold (REL-9).
  public let backTo: Record<String>
}

/// The members of `release.json` that this version knows (REL-7).
private let knownMembers = [
  "schema", "app", "channel", "sequence", "bundles", "manifests", "mandatory", "minEngineApi",
  "backTo", "critical", "sig",
]

/// Reasons to refuse a record.
public enum ReleaseFailureCode: String, Sendable {
  case notJson = "not-json"
  case notObject = "not-object"
  case unknownSchema = "unknown-schema"  // REL-2
  case unsupported  // REL-7
  case malformed
  case wrongApp = "wrong-app"  // REL-3
  case wrongChannel = "wrong-channel"  // REL-3
  case noSequence = "no-sequence"  // REL-4
  case noManifests = "no-manifests"  // REL-5
  case replayed  // REL-6
  case sequenceJump = "sequence-jump"  // REL-6
}

/// Game and line that the reader of a release expects.
public struct ReleaseTarget: Equatable, Sendable {
  /// Game.
  public let app: String
  /// Line of releases.
  public let channel: String

  public init(app: String, channel: String) {
    self.app = app
    self.channel = channel
  }
}

/// The names used where a project says nothing (REL-3).
public let defaultTarget = ReleaseTarget(app: "default", channel: "production")

/// Reads the bytes of `release.json` as a strict JSON object; nothing of it is trusted yet (REL-1).
///
/// - Throws: `Failure` of the codes `notJson` or `notObject`.
public func readRecord(_ bytes: [UInt8]) throws -> JsonObject {
  let value: JsonValue
  do {
    value = try parseStrictJsonBytes(bytes)
  } catch let failure as Failure {
    throw Failure(ReleaseFailureCode.notJson, failure.message)
  }
  guard let record = value.object else {
    let found = "Cannot use the record: it is not an object"
    throw Failure(ReleaseFailureCode.notObject, found)
  }
  return record
}

/// Whether the record's own `sig` is a valid signature by `publicKey` over all its other members.
public func isSigned(_ record: JsonObject, publicKey: String, by ed25519: Ed25519) -> Bool {
  guard let sig = record["sig"]?.text else { return false }
  return verifySignature(signedBytes(record), signature: sig, publicKey: publicKey, by: ed25519)
}

/// Reads a record whose signature holds. Members that are not known are ignored, unless it says that
/// they are critical.
///
/// - Throws: `Failure` of `unknownSchema`, `unsupported`, `wrongApp`, `wrongChannel`, `noSequence`,
///   `noManifests` or `malformed`, the first of them in this order.
public func parseRelease(_ record: JsonObject, for target: ReleaseTarget) throws -> Release {
  func found(_ code: ReleaseFailureCode, member: String, expected: String) -> Failure {
    let text = record[member].map(shown) ?? "nothing"
    return Failure(code, "Cannot use the release: \(member) is \(text), expected \(expected)")
  }
  guard record["schema"] == .integer(recordSchema) else {
    throw found(.unknownSchema, member: "schema", expected: String(recordSchema))
  }
  try checkCritical(record["critical"], known: knownMembers, unsupported: ReleaseFailureCode.unsupported)
  guard record["app"] == .string(target.app) else {
    throw found(.wrongApp, member: "app", expected: quoted(target.app))
  }
  guard record["channel"] == .string(target.channel) else {
    throw found(.wrongChannel, member: "channel", expected: quoted(target.channel))
  }
  guard let sequence = positiveInteger(record["sequence"]) else {
    throw found(.noSequence, member: "sequence", expected: "a whole number >= 1")
  }
  guard let manifests = readMap(record["manifests"], read: readContentRef) else {
    throw found(.noManifests, member: "manifests", expected: "bundle names with {hash, size}")
  }
  guard let bundles = readMap(record["bundles"], read: readVersion) else {
    throw found(.malformed, member: "bundles", expected: "bundle names with versions v<N>")
  }
  guard let mandatory = record["mandatory"]?.bool else {
    throw found(.malformed, member: "mandatory", expected: "true or false")
  }
  guard let minEngineApi = positiveInteger(record["minEngineApi"]) else {
    throw found(.malformed, member: "minEngineApi", expected: "a whole number >= 1")
  }
  guard let backTo = readMap(record["backTo"] ?? [:], read: readVersion) else {
    throw found(.malformed, member: "backTo", expected: "bundle names with versions v<N>")
  }
  return Release(
    app: target.app, channel: target.channel, sequence: sequence, bundles: bundles,
    manifests: manifests, mandatory: mandatory, minEngineApi: minEngineApi, backTo: backTo
  )
}

/// Whether a device may accept a record after the one of sequence `minSequence` (REL-6): never back,
/// and not by a leap, so that one record with an absurd number cannot shut out all later ones.
///
/// - Throws: `Failure` of `replayed` or `sequenceJump`.
public func checkSequence(_ sequence: Int, minSequence: Int) throws {
  let found = "The release has sequence \(sequence)"
  if sequence < minSequence {
    let accepted = "this device has accepted \(minSequence)"
    throw Failure(ReleaseFailureCode.replayed, "\(found), \(accepted)")
  }
  if sequence > minSequence + Limits.sequenceJump {
    let ahead = "more than \(Limits.sequenceJump) ahead of \(minSequence)"
    throw Failure(ReleaseFailureCode.sequenceJump, "\(found), \(ahead)")
  }
}

/// A whole number ≥ 1 that every language can hold exactly; `nil` for anything else.
public func positiveInteger(_ value: JsonValue?) -> Int? {
  value?.integer.flatMap { $0 >= 1 ? $0 : nil }
}

/// Reads `{hash, size, served?}`; `nil` when it is anything else.
public func readContentRef(_ value: JsonValue) -> ContentRef? {
  guard let hash = value["hash"]?.text, isSha256Hex(hash),
    let size = value["size"]?.integer, size >= 0
  else { return nil }
  guard let served = value["served"] else { return ContentRef(hash: hash, size: size) }
  return positiveInteger(served).map { ContentRef(hash: hash, size: size, served: $0) }
}

/// Reads a map of bundles; `nil` when it is not one, or a name or a member is wrong.
func readMap<T>(_ value: JsonValue?, read: (JsonValue) -> T?) -> Record<T>? {
  guard let members = value?.object else { return nil }
  var map = Record<T>()
  for (name, member) in members {
    guard isBundleName(name), let parsed = read(member) else { return nil }
    map[name] = parsed
  }
  return map
}

func readVersion(_ value: JsonValue) -> String? {
  value.text.flatMap { isVersion($0) ? $0 : nil }
}
