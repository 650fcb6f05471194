// Requests of JavaScript to the plugin. They may come from an update, and crossed an untyped bridge, so
// every operation checks its request here first (NAT-1 to NAT-5). Unknown members are ignored, because a
// newer client may send them. Every refusal is a `Failure` of the code `invalid`.

/// Reasons to refuse a request.
public enum RequestFailureCode: String, Sendable {
  case invalid
}

/// A version that a request names.
public typealias VersionRequest = BundleVersion

/// Source of a file of a delta.
public enum FileSource: Equatable, Sendable {
  /// A path of a base, the request's own unless it is named, and the address where it is fetched when
  /// the copy fails (DEV-18).
  case copy(from: String, base: String?, url: String?)
  /// An address alone.
  case download(url: String)
}

/// The request of `stageUpdate`, read.
public struct ZipStaging: Sendable {
  public let name: String
  public let version: String
  /// The text of the manifest.
  public let manifest: String
  /// The manifest of that text.
  public let parsed: Manifest
  /// Address of its `bundle.zip`.
  public let zipUrl: String
}

/// A copy that a request names (DEV-18).
public struct DeltaCopy: Equatable, Sendable {
  public let from: String
  public let path: String
  public let base: String?
  public let url: String?
}

/// A download that a request names.
public struct DeltaDownload: Equatable, Sendable {
  public let path: String
  public let url: String
}

/// The request of `stageUpdateDelta`, read.
public struct DeltaStaging: Sendable {
  public let name: String
  public let version: String
  /// The text of the manifest.
  public let manifest: String
  /// The manifest of that text.
  public let parsed: Manifest
  /// A staged version, or `embedded`.
  public let base: String
  public let copy: [DeltaCopy]
  public let download: [DeltaDownload]
  /// Source of each file of the manifest.
  public let sources: Record<FileSource>
}

/// Reads the request of `stageUpdate` (NAT-1, NAT-3).
public func readStageUpdate(_ request: JsonValue?) throws -> ZipStaging {
  let (version, manifest, parsed) = try readTarget(request)
  if parsed.bundleZip == nil {
    throw refuse("manifest", value: "one without bundleZip", expected: "bundleZip")
  }
  let zipUrl = request?["zipUrl"]?.text
  guard let zipUrl, isAddress(zipUrl) else {
    throw refuse("zipUrl", value: .text(zipUrl), expected: "an address that begins with https:// or http://")
  }
  return ZipStaging(
    name: version.name, version: version.version, manifest: manifest, parsed: parsed, zipUrl: zipUrl
  )
}

/// Reads the request of `stageUpdateDelta`, and compares it with its manifest (NAT-1, NAT-3, NAT-4).
public func readStageUpdateDelta(_ request: JsonValue?) throws -> DeltaStaging {
  let (version, manifest, parsed) = try readTarget(request)
  let base = request?["base"]?.text
  guard let base, isBase(base) else {
    throw refuse("base", value: .text(base), expected: "v<N> or \"\(embeddedVersion)\"")
  }
  guard let copies = listOf(request, member: "copy"), let downloads = listOf(request, member: "download")
  else {
    throw refuse(
      "copy and download", value: "", expected: "lists of at most as many files as a bundle may have")
  }
  let copy = try copies.map(readCopy)
  let download = try downloads.map(readDownload)
  return DeltaStaging(
    name: version.name, version: version.version, manifest: manifest, parsed: parsed, base: base,
    copy: copy, download: download, sources: try readSources(copy, download: download, manifest: parsed)
  )
}

private func readCopy(_ entry: JsonValue) throws -> DeltaCopy {
  let (from, path) = (entry["from"]?.text, entry["path"]?.text)
  guard let from, isPath(from) else {
    throw refuse("a path of copy", value: .text(from), expected: "a path of the bundle")
  }
  guard let path, isPath(path) else {
    throw refuse("a path of copy", value: .text(path), expected: "a path of the bundle")
  }
  let (base, url) = (entry["base"], entry["url"])
  if let base, base.text.map(isBase) != true {
    throw refuse("a base of copy", value: base, expected: "v<N> or \"\(embeddedVersion)\"")
  }
  if let url, url.text.map(isAddress) != true {
    throw refuse("a url of copy", value: url, expected: "https:// or http://")
  }
  return DeltaCopy(from: from, path: path, base: base?.text, url: url?.text)
}

private func readDownload(_ entry: JsonValue) throws -> DeltaDownload {
  let (path, url) = (entry["path"]?.text, entry["url"]?.text)
  guard let path, isPath(path) else {
    throw refuse("a path of download", value: .text(path), expected: "a path of the bundle")
  }
  guard let url, isAddress(url) else {
    throw refuse("a url of download", value: .text(url), expected: "https:// or http://")
  }
  return DeltaDownload(path: path, url: url)
}

/// Reads the source of each file of a manifest: copies and downloads together name each file once and no
/// other (NAT-4).
private func readSources(_ copy: [DeltaCopy], download: [DeltaDownload], manifest: Manifest)
  throws -> Record<FileSource>
{
  var sources = Record<FileSource>()
  for one in copy { sources[one.path] = .copy(from: one.from, base: one.base, url: one.url) }
  for one in download { sources[one.path] = .download(url: one.url) }
  let (asked, files) = (copy.count + download.count, manifest.files)
  if sources.count != asked || asked != files.count {
    throw refuse(
      "copy and download", value: .integer(asked), expected: "each of the \(files.count) files once")
  }
  if let missing = files.keys.first(where: { sources[$0] == nil }) {
    throw refuse("copy and download", value: .string(missing), expected: "it too")
  }
  return sources
}

/// Reads the version of a request; that of `readManifest` may be `embedded` (NAT-1).
public func readVersionRequest(_ request: JsonValue?, mayBeEmbedded: Bool = false) throws
  -> VersionRequest
{
  let name = try readName(request, member: "name", expected: "a bundle name")
  let version = request?["version"]?.text
  guard let version, isVersion(version) || mayBeEmbedded && version == embeddedVersion else {
    throw refuse("version", value: .text(version), expected: "v<N>")
  }
  return VersionRequest(name: name, version: version)
}

/// Reads the request of `activate` (NAT-1, NAT-8).
public func readActivate(_ request: JsonValue?) throws -> (asked: VersionRequest, mandatory: Bool) {
  let asked = try readVersionRequest(request)
  let value = request?["mandatory"] ?? false
  guard let mandatory = value.bool else { throw refuse("mandatory", value: value, expected: "true or false") }
  return (asked, mandatory)
}

/// Reads the request of `confirmBoot` (NAT-1).
public func readConfirmBoot(_ request: JsonValue?) throws -> (name: String, token: String) {
  let name = try readName(request, member: "name", expected: "a bundle name")
  guard let token = request?["token"]?.text else { throw refuse("token", value: .null, expected: "a text") }
  return (name, token)
}

/// Reads the request of `revert` (NAT-1, NAT-5).
public func readRevert(_ request: JsonValue?) throws -> (name: String, options: RevertOptions) {
  let name = try readName(request, member: "name", expected: "a bundle name")
  func flag(_ member: String) throws -> Bool {
    let value = request?[member] ?? false
    guard let bool = value.bool else { throw refuse(member, value: value, expected: "true or false") }
    return bool
  }
  let quarantine = try flag("quarantine")
  return (name, RevertOptions(quarantine: quarantine, toEmbedded: try flag("toEmbedded")))
}

/// A sequence of one line of releases.
public struct SequenceRequest: Equatable, Sendable {
  public let app: String
  public let channel: String
  public let sequence: Int

  public init(app: String, channel: String, sequence: Int) {
    self.app = app
    self.channel = channel
    self.sequence = sequence
  }
}

/// Reads the request of `acceptSequence`, but for the leap (NAT-2).
public func readAcceptSequence(_ request: JsonValue?) throws -> SequenceRequest {
  let app = try readName(request, member: "app", expected: "a name")
  let channel = try readName(request, member: "channel", expected: "a name")
  let sequence = request?["sequence"]
  guard let whole = positiveInteger(sequence) else {
    throw refuse("sequence", value: sequence, expected: "a whole number >= 1")
  }
  return SequenceRequest(app: app, channel: channel, sequence: whole)
}

/// Refuses a sequence that would shut out all later releases (NAT-2), as REL-6 does in the client.
public func checkLeap(_ sequence: Int, accepted: Int) throws {
  guard sequence <= accepted + Limits.sequenceJump else {
    let expected = "at most \(Limits.sequenceJump) above \(accepted)"
    throw refuse("sequence", value: .integer(sequence), expected: expected)
  }
}

private func readTarget(_ request: JsonValue?) throws -> (VersionRequest, String, Manifest) {
  let version = try readVersionRequest(request)
  guard let manifest = request?["manifest"]?.text else {
    throw refuse("manifest", value: .null, expected: "its text")
  }
  do {
    let bytes = Array(manifest.utf8)
    let parsed = try parseManifest(bytes, name: version.name, version: version.version)
    return (version, manifest, parsed)
  } catch let failure as Failure {
    throw Failure(RequestFailureCode.invalid, failure.message)
  }
}

private func readName(_ request: JsonValue?, member: String, expected: String) throws -> String {
  let name = request?[member]?.text
  guard let name, isBundleName(name) else { throw refuse(member, value: .text(name), expected: expected) }
  return name
}

private func listOf(_ value: JsonValue?, member: String) -> [JsonValue]? {
  value?[member]?.array.flatMap { $0.count <= Limits.bundleFiles ? $0 : nil }
}

private func isBase(_ text: String) -> Bool { isVersion(text) || text == embeddedVersion }

private func isPath(_ text: String) -> Bool { (try? checkPath(text)) != nil }

/// As the server's part of an address may begin; the rest is printable ASCII (NAT-3).
private func isAddress(_ text: String) -> Bool {
  let scheme = ["https://", "http://"].first { text.utf8.starts(with: $0.utf8) }
  guard let scheme, let host = text.utf8.dropFirst(scheme.utf8.count).first else { return false }
  return (isLetter(host) || isDigit(host) || host == UInt8(ascii: "["))
    && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }
}

private func refuse(_ member: String, value: JsonValue?, expected: String) -> Failure {
  let found = value.map(shown) ?? "undefined"
  return Failure(
    RequestFailureCode.invalid,
    "Cannot do what was asked: \(member) is \(found), expected \(expected)"
  )
}
