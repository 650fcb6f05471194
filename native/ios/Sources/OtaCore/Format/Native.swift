// What the plugin's operations answer. The JavaScript that asks came over the air and may be older
// than the plugin, so a later field is always optional (DEV-17).

/// The six fields of `state.json` (BOOT-15); vectors/DEVICE.md says who sets them.
public struct BootState: Equatable, Sendable {
  /// Bundle name to the version that is trusted.
  public var active: Record<String> = [:]
  /// Bundle name to the version on trial.
  public var pending: Record<String> = [:]
  /// Launches that the pending version has had.
  public var bootAttempts: Record<Int> = [:]
  /// Launches of it that were confirmed.
  public var confirmedBoots: Record<Int> = [:]
  /// Quarantined versions, oldest first, at most ten a bundle.
  public var rejected: Record<[String]> = [:]
  /// The app binary's own version at the last launch.
  public var lastSeenBinaryVersion: String?

  public init() {}

  /// Leaves out what is empty, so that equal states have equal texts.
  public var json: JsonValue {
    var members = JsonObject()
    func put<T>(_ name: String, record: Record<T>, json: (T) -> JsonValue) {
      if !record.isEmpty { members[name] = .object(record.mapValues(json)) }
    }
    put("active", record: active, json: JsonValue.string)
    put("pending", record: pending, json: JsonValue.string)
    put("bootAttempts", record: bootAttempts, json: JsonValue.integer)
    put("confirmedBoots", record: confirmedBoots, json: JsonValue.integer)
    put("rejected", record: rejected.filter { !$0.value.isEmpty }) { .array($0.map(JsonValue.string)) }
    members["lastSeenBinaryVersion"] = lastSeenBinaryVersion.map(JsonValue.string)
    return .object(members)
  }
}

/// Reasons why the device could not stage a version.
public enum StageFailureCode: String, Sendable {
  case download
  case missing  // the server does not have it: 4xx (CHECK-7)
  case hashMismatch = "hash-mismatch"
  case sizeMismatch = "size-mismatch"
  case archive
  case baseMissing = "base-missing"
  case quarantined
  case diskFull = "disk-full"
  case diskReadOnly = "disk-read-only"
  case diskFailed = "disk-failed"
  case damaged
  case invalid
  case untrusted  // by the public key in the app (NAT-6)
  case cancelled
  case io
}

/// Outcome of a staging. Never thrown.
public enum StageResult: Equatable, Sendable {
  case ok
  case failed(StageFailureCode, detail: String)

  public var json: JsonValue {
    switch self {
    case .ok: return ["ok": true]
    case .failed(let code, let detail):
      return ["ok": false, "code": .string(code.rawValue), "detail": .string(detail)]
    }
  }
}

/// A launch: what it served, and the token that confirms it. The document that it served has it as
/// `globalThis.slipwayLaunch`, frozen, before any script of its own runs (NAT-7).
public struct Launch: Equatable, Sendable {
  /// The bundle's name.
  public let name: String
  /// `v<N>` or `embedded`.
  public let version: String
  /// Given back by the confirmation.
  public let token: String

  public init(name: String, version: String, token: String) {
    self.name = name
    self.version = version
    self.token = token
  }

  public var json: JsonValue {
    ["name": .string(name), "version": .string(version), "token": .string(token)]
  }
}

/// A version on trial, which boots at the next launch or runs already.
public struct Pending: Equatable, Sendable {
  /// The bundle's name.
  public let name: String
  /// The version.
  public let version: String
  /// Whether the release that it came from was mandatory (NAT-8).
  public let mandatory: Bool

  public var json: JsonValue {
    ["name": .string(name), "version": .string(version), "mandatory": .bool(mandatory)]
  }
}

/// Records of the device.
public struct DeviceState: Equatable, Sendable {
  /// `nil` when there is no usable `state.json`.
  public var state: BootState?
  /// The highest accepted sequence by `<app>/<channel>`.
  public var sequence: Record<Int> = [:]
  /// Quarantined versions that survive a damaged `state.json`, by bundle.
  public var rejected: Record<[String]>?
  /// Versions that lie here, marked complete, by bundle. A plugin that tells it takes copies with a
  /// `base` or a `url` of their own (DEV-18).
  public var staged: Record<[String]>?
  /// Bytes that lie here of contents and whole bundles on their way, by their hash: so many fewer are
  /// fetched (DIFF-5).
  public var partial: PartialBytes?
  /// The public key in the app's binary, base64url. A plugin that tells it takes what can boot, and a
  /// sequence, only with the `release` that says so (NAT-6).
  public var publicKey: String?
  /// The version of the bundle in the app binary, by bundle: `v<N>` or `embedded`.
  public var embedded: Record<String>?
  /// The hash of the released manifest whose files the embedded bundle has, by bundle (MAN-6). A
  /// plugin that tells it takes `toEmbedded`.
  public var published: Record<String>?
  /// Version that was released when the app binary was built, by bundle (MAN-7).
  public var released: Record<String>?
  /// Abilities of the plugin: `trial`, an active version can go back on trial (DEV-50).
  public var knows: [String]?
  /// The newest launch; absent when the boot hook did not run.
  public var launch: Launch?
  /// Whether the launch is reported with its token: not once the process has served a second version, as
  /// only the documents know then which token is theirs (NAT-7).
  public var tellsToken = true
  /// Of the bundle that was launched.
  public var pending: Pending?

  public init() {}

  public var json: JsonValue {
    func lists(_ record: Record<[String]>) -> JsonValue {
      .object(record.mapValues { .array($0.map(JsonValue.string)) })
    }
    func texts(_ record: Record<String>) -> JsonValue {
      .object(record.mapValues(JsonValue.string))
    }
    var members: JsonObject = ["state": state?.json ?? .null]
    members["sequence"] = .object(sequence.mapValues(JsonValue.integer))
    members["rejected"] = rejected.map(lists)
    members["staged"] = staged.map(lists)
    members["partial"] = partial.map { .object($0.mapValues(JsonValue.integer)) }
    members["publicKey"] = publicKey.map(JsonValue.string)
    members["embedded"] = embedded.map(texts)
    members["published"] = published.map(texts)
    members["released"] = released.map(texts)
    members["knows"] = knows.map { .array($0.map(JsonValue.string)) }
    members["launch"] = launch.map { launch in
      tellsToken ? launch.json : ["name": .string(launch.name), "version": .string(launch.version)]
    }
    members["pending"] = pending?.json
    return .object(members)
  }
}

/// Payload of the `otaProgress` event; all counts only grow (DEV-16).
public struct OtaProgress: Equatable, Sendable {
  /// The bundle's name.
  public let name: String
  /// The version that is staged.
  public let version: String
  /// Bytes that were downloaded.
  public let bytesDone: Int
  /// Bytes to download; 0 when unknown or none.
  public let bytesTotal: Int
  /// Files that are in place.
  public let filesDone: Int
  /// Files of the version.
  public let filesTotal: Int

  public init(
    name: String, version: String, bytesDone: Int, bytesTotal: Int, filesDone: Int, filesTotal: Int
  ) {
    self.name = name
    self.version = version
    self.bytesDone = bytesDone
    self.bytesTotal = bytesTotal
    self.filesDone = filesDone
    self.filesTotal = filesTotal
  }

  public var json: JsonValue {
    [
      "name": .string(name), "version": .string(version),
      "bytesDone": .integer(bytesDone), "bytesTotal": .integer(bytesTotal),
      "filesDone": .integer(filesDone), "filesTotal": .integer(filesTotal),
    ]
  }
}
