/// The sentinel that names the bundle inside the app binary where a version may stand.
public let embeddedVersion = "embedded"

/// `manifest.json`: what one version of a bundle consists of (MAN-1).
public struct Manifest: Equatable, Sendable {
  /// The bundle's name.
  public let name: String
  /// `v<N>`; in an embedded manifest also `embedded`.
  public let version: String
  /// The engine API level that it needs.
  public let engineApi: Int
  /// Path to content.
  public let files: Record<ContentRef>
  /// The whole bundle as one archive, for devices with nothing to build on.
  public let bundleZip: ContentRef?
}

/// `ota-embedded-manifest.json`: the manifest of the bundle in the app binary, and its place in time.
public struct EmbeddedManifest: Equatable, Sendable {
  public let manifest: Manifest
  /// Game.
  public let app: String
  /// Line of releases.
  public let channel: String
  /// The lowest sequence that this binary accepts; 0 when it was built before any release.
  public let sequence: Int
  /// The hash of this version's released manifest, which names the very same files (MAN-6).
  public let published: String?
  /// The version of this bundle that was released when the binary was built (MAN-7).
  public let released: String?
}

/// Reasons to refuse a manifest.
public enum ManifestFailureCode: String, Sendable {
  case notJson = "not-json"
  case unsupported  // REL-7
  case malformed  // MAN-1
  case wrongBundle = "wrong-bundle"  // MAN-2
  case path  // MAN-3
  case overLimit = "over-limit"  // MAN-4
  case noFiles = "no-files"  // MAN-5
}

/// The members of a manifest, embedded or not, that this version knows (REL-7).
private let knownMembers = [
  "schema", "name", "version", "engineApi", "files", "bundleZip", "app", "channel", "sequence",
  "published", "released", "critical",
]

/// Reads a manifest that was asked for by name and version.
///
/// - Throws: `Failure` of a `ManifestFailureCode`.
public func parseManifest(_ content: [UInt8], name: String, version: String) throws -> Manifest {
  let record = try readObject(content)
  guard record["name"] == .string(name), record["version"] == .string(version) else {
    let found = "\(written(record["name"])) \(written(record["version"]))"
    throw refuse(.wrongBundle, found: "it is for \(found), expected \(quoted(name)) \(quoted(version))")
  }
  return try readManifest(record, name: name, version: version)
}

/// Reads an embedded manifest; `app`, `channel` and `sequence` default to the first release of all.
///
/// - Throws: `Failure` of a `ManifestFailureCode`, but not `wrongBundle`.
public func parseEmbeddedManifest(_ content: [UInt8]) throws -> EmbeddedManifest {
  let record = try readObject(content)
  guard let name = record["name"]?.text, isBundleName(name) else {
    throw refuse(.malformed, found: "name is not a bundle name")
  }
  guard let version = record["version"]?.text, isVersion(version) || version == embeddedVersion else {
    let found = written(record["version"])
    throw refuse(.malformed, found: "version is \(found), expected v<N> or \"\(embeddedVersion)\"")
  }
  guard let app = (record["app"] ?? "default").text, isBundleName(app) else {
    throw refuse(.malformed, found: "app is not a name")
  }
  guard let channel = (record["channel"] ?? "production").text, isBundleName(channel) else {
    throw refuse(.malformed, found: "channel is not a name")
  }
  guard let sequence = (record["sequence"] ?? 0).integer, sequence >= 0 else {
    throw refuse(.malformed, found: "sequence is not a whole number >= 0")
  }
  let published = record["published"]
  guard published == nil || published?.text.map(isSha256Hex) == true else {
    throw refuse(.malformed, found: "published is not a hash")  // MAN-6
  }
  let released = record["released"]
  guard released == nil || released?.text.map(isVersion) == true else {
    throw refuse(.malformed, found: "released is not a version")  // MAN-7
  }
  return EmbeddedManifest(
    manifest: try readManifest(record, name: name, version: version),
    app: app, channel: channel, sequence: sequence, published: published?.text,
    released: released?.text
  )
}

private func readObject(_ content: [UInt8]) throws -> JsonObject {
  let (size, limit) = (content.count, Limits.manifestBytes)
  if size > limit { throw refuse(.overLimit, found: "it has \(size) bytes, expected at most \(limit)") }
  do {
    guard let record = try parseStrictJsonBytes(content).object else {
      throw refuse(.malformed, found: "it is not an object")
    }
    return record
  } catch let failure as Failure where JsonFailureCode(rawValue: failure.code) != nil {
    throw refuse(.notJson, found: failure.message)
  }
}

private func readManifest(_ record: JsonObject, name: String, version: String) throws
  -> Manifest
{
  guard record["schema"] == .integer(recordSchema) else {
    throw refuse(.malformed, found: "schema is \(written(record["schema"])), expected \(recordSchema)")
  }
  try checkCritical(record["critical"], known: knownMembers, unsupported: ManifestFailureCode.unsupported)
  guard let engineApi = positiveInteger(record["engineApi"]) else {
    throw refuse(.malformed, found: "engineApi is not a whole number >= 1")
  }
  guard let files = record["files"]?.object else {
    throw refuse(.malformed, found: "files is not an object")
  }
  let refs = try Record(
    files.map { path, value in
      guard let ref = readContentRef(value) else {
        throw refuse(.malformed, found: "files[\(quoted(path, maxUnits: 80))] is not {hash, size}")
      }
      return (key: path, value: ref)
    })
  let zip = record["bundleZip"].map(readContentRef)
  if case .some(.none) = zip { throw refuse(.malformed, found: "bundleZip is not {hash, size}") }
  let manifest = Manifest(
    name: name, version: version, engineApi: engineApi, files: refs, bundleZip: zip ?? nil
  )
  try checkManifest(manifest)
  return manifest
}

/// The rules of paths and sizes that every device applies (MAN-3 to MAN-5).
private func checkManifest(_ manifest: Manifest) throws {
  let names = manifest.files.keys
  if names.isEmpty { throw refuse(.noFiles, found: "files is empty, expected at least one") }
  do {
    try checkPathSet(names)
  } catch let failure as Failure {
    throw refuse(.path, found: failure.message)
  }
  try checkSizes(manifest)
}

private func checkSizes(_ manifest: Manifest) throws {
  let count = manifest.files.count
  if count > Limits.bundleFiles {
    throw refuse(.overLimit, found: "it has \(count) files, expected at most \(Limits.bundleFiles)")
  }
  var total = 0
  for (path, ref) in manifest.files {
    if ref.size > Limits.fileBytes {
      let found = "\(quoted(path)) has \(ref.size) bytes"
      throw refuse(.overLimit, found: "\(found), expected at most \(Limits.fileBytes)")
    }
    total += ref.size
  }
  let most = max(total, manifest.bundleZip?.size ?? 0)
  if most > Limits.bundleBytes {
    let found = "the bundle has \(most) bytes"
    throw refuse(.overLimit, found: "\(found), expected at most \(Limits.bundleBytes)")
  }
}

private func written(_ value: JsonValue?) -> String { value.map { jsonText($0) } ?? "undefined" }

private func refuse(_ code: ManifestFailureCode, found: String) -> Failure {
  Failure(code, "Cannot use the manifest: \(found)")
}
