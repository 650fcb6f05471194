// The three small files of the device. What is missing or damaged reads as empty, because a launch
// must come out of any disk. What is there and cannot be read throws: it must not be written over
// (DEV-10). Writing is durable or throws.

/// Of one record; a longer one would read as damaged, so it is never written (DEV-33).
private let maxBytes = 1024 * 1024

/// `guard.json`: written before `state.json`, so that quarantine and accepted sequence outlive it (DEV-5).
struct Guard {
  var rejected: Record<[String]>
  /// The highest accepted sequence by `<app>/<channel>`.
  var sequence: Record<Int>
}

/// Version that one launch served, and what is known of it.
struct LaunchRecord {
  /// `v<N>` or `embedded`.
  var version: String
  /// Given back by the confirmation; empty where nothing may confirm it.
  var token: String
  /// The attempt that this launch was: a launch whose attempt is not in the state never counts.
  var attempt: Double
  /// Whether this launch was confirmed before.
  var counted: Bool
  /// Whether only the folders of its version were checked, and its files not yet (DEV-62).
  var byFolders = false
  /// Launches of this version since its files were hashed; absent when they were not (DEV-26).
  var sinceVerified: Int?
  /// The process of a launch that may be a strike: the system tells how it ended (DEV-50).
  var pid: Int?
  /// Launches in a row before it that were no strikes, because the user ended them (DEV-55).
  var forgiven: Int?
  /// Whether it puts its version back on trial, once the state says so too (DEV-51).
  var retrial = false
}

/// `launch.json`.
struct LaunchLog {
  /// By bundle.
  var launches = Record<LaunchRecord>()
  /// The version that was active before the active one, by bundle.
  var previous = Record<String>()
  /// Launches in a row of the active version that were not confirmed before the next one, by bundle;
  /// a bundle that does not go back on trial has no entry (DEV-50).
  var strikes = Record<Int>()
  /// The version that was activated last and is mandatory, by bundle (NAT-8).
  var mandatory = Record<String>()
}

/// The files under one root. Records are read by any thread, and changed by one at a time.
final class Records: Sendable {
  /// Removes what nothing needs, until what it is given answers `true`.
  typealias MakeRoom = @Sendable (_ records: Records, _ fits: () throws -> Bool) throws -> Void

  private let files: Files
  private let root: String
  private let clock: Clock
  private let nextOwner: @Sendable () -> LockOwner
  private let makeRoom: MakeRoom
  private let state = Locked((isDurable: false, isHeld: false))

  init(_ options: DeviceOptions, makeRoom: @escaping MakeRoom) {
    files = options.files
    root = options.root
    clock = options.clock
    nextOwner = lockOwners(options.processes)
    self.makeRoom = makeRoom
  }

  private var isDurable: Bool {
    get { state.withLock(\.isDurable) }
    set { state.withLock { $0.isDurable = newValue } }
  }

  private var isHeld: Bool {
    get { state.withLock(\.isHeld) }
    set { state.withLock { $0.isHeld = newValue } }
  }

  /// `nil` when there is no usable state.
  func readState() throws -> BootState? {
    try parseBootState(readJson(statePath(root)))
  }

  func readGuard() throws -> Guard {
    try parseGuard(readJson(guardPath(root)))
  }

  func readLaunches() throws -> LaunchLog {
    try parseLaunches(readJson(launchPath(root)))
  }

  /// Does what changes records, from its first read to its last write, while no other process does
  /// (DEV-25). Not to be called inside itself, nor twice at once.
  ///
  /// - Parameter waitMs: The longest that other processes are waited for; 60 s when absent.
  /// - Throws: `FileError` `busy` when they take longer, or took the lock away.
  func change<T>(waitMs: Int? = nil, work: (RecordWriter) throws -> T) throws -> T {
    if try !isDurable || files.stat(root) == nil { try makeRoot(files, root: root) }
    var lock = FileLock(files: lockFiles, clock: clock, owner: nextOwner(), path: lockPath(root))
    if let waitMs { lock.timeoutMs = waitMs }
    return try lock.hold { isStillHeld in
      isHeld = true
      defer { isHeld = false }
      return try work(RecordWriter(root: root) { try self.write($0, value: $1, isStillHeld: isStillHeld) })
    }
  }

  /// Makes last what reads show: a process that was killed, or a write whose last sync failed, may
  /// have left names that a power cut takes back. Whoever answers from what is there calls it first
  /// (DEV-9).
  func ensureDurable() throws {
    if try files.stat(root) == nil { return }
    // A lock of another process: it may be killed between a rename and its sync.
    if try isDurable && (isHeld || files.stat(lockPath(root)) == nil) { return }
    try makeRoot(files, root: root)
    try files.sync(root)
    isDurable = true
  }

  private var lockFiles: LockFiles {
    LockFiles(
      read: { try self.files.read($0, maxBytes: $1) },
      create: { path, bytes in
        do {
          try self.withRoom { try self.files.write(path, bytes: bytes, createNew: true) }
        } catch {
          self.isDurable = false  // another process is at work, and may be killed before it syncs
          throw error
        }
      },
      remove: { try self.files.remove($0) })
  }

  private func write(_ path: String, value: JsonValue, isStillHeld: () throws -> Bool) throws {
    try withRoom {
      guard try isStillHeld() else {
        throw FileError(.busy, path: path, message: "\(path) is being changed by another process")
      }
      let bytes = jsonBytes(value) + [UInt8(ascii: "\n")]
      if bytes.count > maxBytes {
        let found = "it would have \(bytes.count) bytes, expected at most \(maxBytes)"
        throw FileError(.tooLarge, path: path, message: "Cannot write \(path): \(found)")
      }
      isDurable = false
      try files.writeAtomic(path, bytes: bytes)
      isDurable = true  // the folder was synced, and with it what was there before
    }
  }

  /// DEV-24: what counts attempts is worth more than any version that is not needed.
  private func withRoom(_ write: () throws -> Void) throws {
    do {
      try write()
    } catch let full where isFull(full) {
      var isWritten = false
      try makeRoom(self) {
        do {
          try write()
          isWritten = true
          return true
        } catch {
          return !isFull(error)
        }
      }
      if !isWritten { try write() }
    }
  }

  /// Reads a record; `nil` when it is missing or damaged.
  private func readJson(_ path: String) throws -> JsonValue? {
    do {
      return try files.read(path, maxBytes: maxBytes).flatMap(parseJson)
    } catch let error as FileError
      where [.tooLarge, .isADirectory, .notAFile].contains(error.code)
    {
      return nil  // too large for a record, or something else in its place: that will not pass
    }
  }
}

private func isFull(_ thrown: Error) -> Bool {
  (thrown as? FileError)?.code == .full
}

/// Writes records under the lock, each whole or not at all.
struct RecordWriter {
  fileprivate let root: String
  fileprivate let write: (_ path: String, _ value: JsonValue) throws -> Void

  func writeState(_ state: BootState) throws {
    try write(statePath(root), state.json)
  }

  func writeGuard(_ log: Guard) throws {
    let rejected = log.rejected.mapValues { JsonValue.array($0.map(JsonValue.string)) }
    let sequence = log.sequence.mapValues(JsonValue.integer)
    try write(
      guardPath(root), ["schema": 1, "rejected": .object(rejected), "sequence": .object(sequence)])
  }

  func writeLaunches(_ log: LaunchLog) throws {
    let launches = log.launches.mapValues { launched in
      var members: JsonObject = [
        "version": .string(launched.version), "token": .string(launched.token),
        "attempt": .number(launched.attempt), "counted": .bool(launched.counted),
      ]
      if launched.byFolders { members["byFolders"] = true }
      members["sinceVerified"] = launched.sinceVerified.map(JsonValue.integer)
      members["pid"] = launched.pid.map(JsonValue.integer)
      members["forgiven"] = launched.forgiven.map(JsonValue.integer)
      if launched.retrial { members["retrial"] = true }
      return JsonValue.object(members)
    }
    let previous = log.previous.mapValues(JsonValue.string)
    var members: JsonObject = [
      "schema": 1, "launches": .object(launches), "previous": .object(previous),
    ]
    if !log.strikes.isEmpty {
      members["strikes"] = .object(log.strikes.mapValues(JsonValue.integer))
    }
    if !log.mandatory.isEmpty {
      members["mandatory"] = .object(log.mandatory.mapValues(JsonValue.string))
    }
    try write(launchPath(root), .object(members))
  }
}

private func parseGuard(_ value: JsonValue?) -> Guard {
  var read = Guard(rejected: [:], sequence: [:])
  for (bundle, list) in value?["rejected"]?.object ?? [:] where isBundleName(bundle) {
    guard let list = list.array else { continue }
    read.rejected[bundle] = list.compactMap(\.text).filter(isVersion)
  }
  read.sequence = parseCounts(value?["sequence"])
  return read
}

private func parseCounts(_ value: JsonValue?) -> Record<Int> {
  var counts = Record<Int>()
  for (key, count) in value?.object ?? [:] {
    if let count = countOf(count) { counts[key] = count }
  }
  return counts
}

private func parseLaunches(_ value: JsonValue?) -> LaunchLog {
  var read = LaunchLog()
  for (bundle, record) in value?["launches"]?.object ?? [:] {
    guard let version = record["version"]?.text, let token = record["token"]?.text,
      let attempt = record["attempt"]?.number
    else { continue }
    read.launches[bundle] = LaunchRecord(
      version: version, token: token, attempt: attempt,
      counted: record["counted"] != .bool(false), byFolders: record["byFolders"] == .bool(true),
      sinceVerified: countOf(record["sinceVerified"]), pid: countOf(record["pid"]),
      forgiven: countOf(record["forgiven"]), retrial: record["retrial"] == .bool(true))
  }
  read.previous = parseVersions(value?["previous"])
  read.strikes = parseCounts(value?["strikes"])
  read.mandatory = parseVersions(value?["mandatory"])
  return read
}

private func parseVersions(_ value: JsonValue?) -> Record<String> {
  var versions = Record<String>()
  for (bundle, version) in value?.object ?? [:] {
    if let version = version.text, isVersion(version) { versions[bundle] = version }
  }
  return versions
}

private func countOf(_ value: JsonValue?) -> Int? {
  value?.integer.flatMap { $0 >= 0 ? $0 : nil }
}

/// Notes the mandatory version of a bundle, or that it has none, where it is not noted yet (NAT-8).
func noteMandatory(_ records: Records, writer: RecordWriter, name: String, version: String?)
  throws
{
  // A log that cannot be read is no reason to leave a version that needs none of it.
  let read = version == nil ? try? records.readLaunches() : try records.readLaunches()
  guard var log = read, log.mandatory[name] != version else { return }
  log.mandatory[name] = version
  try writer.writeLaunches(log)
}

/// Adds what a state has quarantined to the guard. `nil` when the guard knew it all.
func guardRejected(_ known: Guard, state: BootState?) -> Guard? {
  var extended = known
  var isExtended = false
  for (bundle, versions) in state?.rejected ?? [:] {
    let listed = known.rejected[bundle] ?? []
    let names = Set(listed)  // a garbage record may hold a hundred thousand
    let added = versions.filter { !names.contains($0) }
    if added.isEmpty { continue }
    extended.rejected[bundle] = (listed + added).suffix(Limits.rejectedVersions)
    isExtended = true
  }
  return isExtended ? extended : nil
}
