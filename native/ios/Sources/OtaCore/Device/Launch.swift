/// A launch as the boot hook decided it.
public struct LaunchResult: Sendable {
  /// The version to serve.
  public let target: BootTarget
  /// Confirms this launch, once it is fully booted.
  public let token: String
  /// Script that the served document runs before its own: it sets the launch as
  /// `globalThis.slipwayLaunch` (NAT-7). Another document has another launch, or none.
  public let script: String
}

/// The arguments of the boot hook.
public struct LaunchRequest: Sendable {
  /// Bundle that this app runs.
  public let name: String
  /// The app binary's own version.
  public var binaryVersion: String?
  /// Whether no person sees this launch (a push, a widget, a prefetch): it decides as one that cannot
  /// be recorded, writes nothing, and nothing confirms it (DEV-34).
  public var background = false
  /// The processes of which the system says that the user ended them: a launch by one of them is no
  /// strike (DEV-55).
  public var endedByUser: [Int] = []

  public init(
    name: String, binaryVersion: String? = nil, background: Bool = false, endedByUser: [Int] = []
  ) {
    self.name = name
    self.binaryVersion = binaryVersion
    self.background = background
    self.endedByUser = endedByUser
  }
}

/// Web views from before 2018 have no `globalThis`; in a document it is the window.
private func scriptOf(_ launch: Launch) -> String {
  "window.slipwayLaunch=Object.freeze(\(String(decoding: jsonBytes(launch.json), as: UTF8.self)));"
}

/// The longest that a launch waits for another process, which takes milliseconds, in milliseconds.
private let waitMs = 2_000

/// A launch that is asked for.
struct AskedLaunch {
  let name: String
  let token: String
  let binaryVersion: String?
  let endedByUser: [Int]
}

/// The boot hook: decides what this launch serves, and records it first. Never throws (DEV-1).
func launch(_ context: DeviceContext, request: LaunchRequest) -> LaunchResult {
  let (records, session, name) = (context.records, context.session, request.name)
  let token = randomId()
  let serve = { (target: BootTarget) -> LaunchResult in
    let launch = Launch(name: name, version: versionOf(target), token: token)
    session.with { values in
      values.launch = launch
      values.served.insert("\(name)@\(launch.version)")
    }
    return LaunchResult(target: target, token: token, script: scriptOf(launch))
  }
  session.with { values in
    values.unrecorded.insert(name)
    values.waived.remove(name)
  }
  guard isBundleName(name) else { return serve(.embedded) }  // NAT-1: nothing is recorded of it
  let asked = AskedLaunch(
    name: name, token: token, binaryVersion: request.binaryVersion,
    endedByUser: request.endedByUser)
  if !request.background {
    do {
      let target = try records.change(waitMs: waitMs) { try record(context, writer: $0, asked: asked) }
      session.with { _ = $0.unrecorded.remove(name) }
      return serve(target)
    } catch {
      session.with { _ = $0.waived.insert(name) }
      invalidateLaunch(records, name: name)
    }
  }
  do {  // unseen, or not recorded because of the disk or another process: BOOT-10 decides
    let state = try readState(context, asked: asked).state
    // DEV-62: unrecorded, no later launch would check the files behind folders that this one trusts.
    let log = request.background ? try? records.readLaunches() : nil
    let exists = try look(context, name: name, state: state, log: log, recorded: false).exists
    return serve(boot(state, bundle: name, recorded: false, exists: exists).target)
  } catch {
    return serve(.embedded)  // the one bundle that no disk can take away
  }
}

/// The state on the disk, and the one that a launch of this binary decides on.
private func readState(_ context: DeviceContext, asked: AskedLaunch) throws -> (
  before: BootState?, state: BootState?
) {
  let before = try context.records.readState()
  return (before, asked.binaryVersion.map { newBinary(before, binaryVersion: $0) } ?? before)
}

/// Looks which of the versions that a launch may serve exist on the disk, and how the one that it serves
/// was found. Without a log, folders are not trusted.
private func look(
  _ context: DeviceContext, name: String, state: BootState?, log: LaunchLog?, recorded: Bool
) throws -> (exists: (String) -> Bool, byFolders: Bool) {
  let options = context.options
  var staged: Set<String> = []
  for case let version? in [state?.pending[name], state?.active[name]] {
    if try isStaged(options, name: name, version: version) { staged.insert(version) }
  }
  while true {  // DEV-32: only what would be served is looked at
    let exists = { [staged] in staged.contains($0) }
    let target = boot(state, bundle: name, recorded: recorded, exists: exists).target
    guard case .version(let version) = target else { return (exists, false) }
    let found = try lookAtVersion(
      BundleVersion(name: name, version: version),
      in: VersionFiles(files: options.files, root: options.root),
      trustsFolders: log.map { !isUnlooked($0, name: name, version: version) } ?? false, notes: recorded)
    if found != .damaged { return (exists, found == .byFolders) }
    staged.remove(version)
  }
}

/// Whether the last launch of the bundle took the version by its folders, and its files were not looked
/// at since.
private func isUnlooked(_ log: LaunchLog, name: String, version: String) -> Bool {
  guard let last = log.launches[name] else { return false }
  return last.version == version && last.byFolders
}

/// The state with the active version back on trial (DEV-50).
private func putOnTrial(
  _ context: DeviceContext, name: String, state: BootState?, log: LaunchLog
) throws -> BootState? {
  let (options, previous) = (context.options, versionBefore(name, state: state, log: log))
  let rejected = try context.records.readGuard().rejected[name] ?? []
  let canServe =
    try previous.map { previous in
      try !rejected.contains(previous) && isStaged(options, name: name, version: previous)
        && lookAtVersion(
          BundleVersion(name: name, version: previous),
          in: VersionFiles(files: options.files, root: options.root), trustsFolders: true, notes: false)
          != .damaged
    } ?? false
  return retrial(state, bundle: name, previous: previous) { _ in canServe }
}

/// Sees to it that a later process cannot confirm a launch that was not recorded: takes the token of
/// the recorded one away, which stays as it is for strikes. Best effort: where this is refused as well,
/// only a confirmation without a launch before it could count.
private func invalidateLaunch(_ records: Records, name: String) {
  try? records.change(waitMs: 0) { writer in
    var log = try records.readLaunches()
    guard var launched = log.launches[name], !launched.counted, launched.token != noToken else {
      return
    }
    launched.token = noToken
    log.launches[name] = launched
    try writer.writeLaunches(log)
  }
}

/// Token of a launch that cannot be confirmed.
private let noToken = ""

/// Decides, and makes it durable before it is acted on (DEV-2). Throws what the disk refuses.
private func record(_ context: DeviceContext, writer: RecordWriter, asked: AskedLaunch) throws
  -> BootTarget
{
  let (records, name) = (context.records, asked.name)
  let (before, state) = try readState(context, asked: asked)
  let isNewBinary =
    before?.lastSeenBinaryVersion.map { binary in
      !isSame(binary, state?.lastSeenBinaryVersion ?? "")
    } ?? false
  let read = try records.readLaunches()
  var log = isNewBinary ? LaunchLog() : read  // nothing of before may be gone back to
  let strikes =
    context.options.backOnTrial
    ? countStrikes(of: name, state: state, log: log, endedByUser: asked.endedByUser) : nil
  let isDue = strikes?.isDue ?? false
  let decided = isDue ? try putOnTrial(context, name: name, state: state, log: log) : state
  let (exists, byFolders) = try look(context, name: name, state: decided, log: log, recorded: true)
  let decision = boot(decided, bundle: name, exists: exists)
  let (target, next) = (decision.target, decision.state)
  let version = versionOf(target)
  let last = log.launches[name]
  var launched = LaunchRecord(
    version: version, token: asked.token, attempt: Double(next?.bootAttempts[name] ?? 0),
    counted: false, byFolders: byFolders,
    sinceVerified: last?.version == version ? last?.sinceVerified.map { $0 + 1 } : nil)
  strikes?.mark(&launched, pid: context.options.processes.pid)
  log.launches[name] = launched
  log.strikes[name] = isDue ? 0 : strikes?.count
  try writer.writeLaunches(log)
  if let extended = guardRejected(try records.readGuard(), state: next) { try writer.writeGuard(extended) }
  if let next, next != before { try writer.writeState(next) }
  if isNewBinary { context.session.with { $0.isNewBinary = true } }
  return target
}

/// `v<N>` or `embedded`.
private func versionOf(_ target: BootTarget) -> String {
  switch target {
  case .embedded: return embeddedVersion
  case .version(let version): return version
  }
}

/// Counts the launch that the token is of, once.
///
/// - Returns: Whether the token is of a launch.
func confirmBoot(
  _ context: DeviceContext, writer: RecordWriter, name: String, token: String
) throws -> Bool {
  let records = context.records
  var log = try records.readLaunches()
  guard token != noToken, var launched = log.launches[name], launched.token == token else {
    return false
  }
  let state = try records.readState()
  let booted: BootTarget =
    launched.version == embeddedVersion ? .embedded : .version(launched.version)
  let isRecorded = launched.attempt == Double(state?.bootAttempts[name] ?? 0)  // DEV-3
  let next =
    isRecorded ? confirm(state, bundle: name, booted: booted, counted: launched.counted) : state
  guard let next, next != state else {
    guard isRecorded, notesConfirmation(of: name, log: log, state: state) else {
      try records.ensureDurable()
      return true
    }
    launched.counted = true
    log.launches[name] = launched
    try writer.writeLaunches(log)
    return true
  }
  let replaced = state?.active[name]
  if next.active[name] != replaced { log.previous[name] = replaced }
  // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
  launched.counted = true
  log.launches[name] = launched
  try writer.writeLaunches(log)
  try writer.writeState(next)
  return true
}
