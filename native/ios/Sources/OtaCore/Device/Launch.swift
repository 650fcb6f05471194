/// A launch as the boot hook decided it.
public struct LaunchResult {
  /// What to serve.
  public let target: BootTarget
  /// Confirms this launch, once it is fully booted.
  public let token: String
}

/// What the boot hook is told.
public struct LaunchRequest {
  /// Which bundle this app runs.
  public let name: String
  /// The app binary's own version.
  public var binaryVersion: String?
  /// Whether no person sees this launch (a push, a widget, a prefetch): it decides as one that cannot
  /// be recorded, writes nothing, and nothing confirms it (DEV-34).
  public var background = false

  public init(name: String, binaryVersion: String? = nil, background: Bool = false) {
    self.name = name
    self.binaryVersion = binaryVersion
    self.background = background
  }
}

/// The longest that a launch waits for another process, which takes milliseconds, in milliseconds.
private let waitMs = 2_000

/// A launch that is asked for.
struct AskedLaunch {
  let name: String
  let token: String
  let binaryVersion: String?
}

/// The boot hook: decides what this launch serves, and records it first. Never throws (DEV-1).
func launch(_ context: DeviceContext, _ request: LaunchRequest) -> LaunchResult {
  let (records, session, name) = (context.records, context.session, request.name)
  let token = randomId()
  let serve = { (target: BootTarget) -> LaunchResult in
    session.with { $0.launch = Launch(name: name, version: versionOf(target), token: token) }
    return LaunchResult(target: target, token: token)
  }
  session.with { _ = $0.unrecorded.insert(name) }
  guard isBundleName(name) else { return serve(.embedded) } // NAT-1: nothing is recorded of it
  let asked = AskedLaunch(name: name, token: token, binaryVersion: request.binaryVersion)
  if !request.background {
    do {
      let target = try records.change(waitMs: waitMs) { try record(context, $0, asked) }
      session.with { _ = $0.unrecorded.remove(name) }
      return serve(target)
    } catch {
      invalidateLaunch(records, name)
    }
  }
  do { // seen by nobody, refused by the disk or by another process: BOOT-10 says what is booted
    let seen = try look(context, asked, recorded: false)
    return serve(boot(seen.state, name, recorded: false, exists: seen.exists).target)
  } catch {
    return serve(.embedded) // the one bundle that no disk can take away
  }
}

/// What a launch has to know of the disk.
private struct Seen {
  let before: BootState?
  let state: BootState?
  let exists: (String) -> Bool
}

private func look(_ context: DeviceContext, _ asked: AskedLaunch, recorded: Bool) throws -> Seen {
  let (options, name) = (context.options, asked.name)
  let before = try context.records.readState()
  let state = asked.binaryVersion.map { newBinary(before, $0) } ?? before
  var staged: Set<String> = []
  for case let version? in [state?.pending[name], state?.active[name]] {
    if try isStaged(options, name, version) { staged.insert(version) }
  }
  while true { // DEV-32: only what would be served is looked at
    let exists = { [staged] in staged.contains($0) }
    let target = boot(state, name, recorded: recorded, exists: exists).target
    guard case .version(let version) = target,
      try !looksWhole(options.files, options.root, name, version)
    else { return Seen(before: before, state: state, exists: exists) }
    staged.remove(version)
  }
}

/// Sees to it that a later process cannot confirm a launch that was not recorded. Best effort:
/// where this is refused as well, only a confirmation without a launch before it could count.
private func invalidateLaunch(_ records: Records, _ name: String) {
  try? records.change(waitMs: 0) { writer in
    var log = try records.readLaunches()
    guard var launched = log.launches[name], !launched.counted else { return }
    launched.counted = true
    log.launches[name] = launched
    try writer.writeLaunches(log)
  }
}

/// Decides, and makes it durable before it is acted on (DEV-2). Throws what the disk refuses.
private func record(_ context: DeviceContext, _ writer: RecordWriter, _ asked: AskedLaunch) throws
  -> BootTarget
{
  let (records, name) = (context.records, asked.name)
  let seen = try look(context, asked, recorded: true)
  let decision = boot(seen.state, name, exists: seen.exists)
  let (target, next) = (decision.target, decision.state)
  let isNewBinary = seen.before?.lastSeenBinaryVersion.map { binary in
    !isSame(binary, seen.state?.lastSeenBinaryVersion ?? "")
  } ?? false
  let read = try records.readLaunches()
  var log = isNewBinary ? LaunchLog() : read // nothing of before may be gone back to
  let version = versionOf(target)
  let last = log.launches[name]
  log.launches[name] = LaunchRecord(
    version: version, token: asked.token, attempt: Double(next?.bootAttempts[name] ?? 0),
    counted: false,
    sinceVerified: last?.version == version ? last?.sinceVerified.map { $0 + 1 } : nil)
  try writer.writeLaunches(log)
  if let grown = guardRejected(try records.readGuard(), next) { try writer.writeGuard(grown) }
  if let next, next != seen.before { try writer.writeState(next) }
  if isNewBinary { context.session.with { $0.isNewBinary = true } }
  return target
}

/// `v<N>` or `embedded`.
private func versionOf(_ target: BootTarget) -> String {
  switch target {
  case .embedded: return EMBEDDED
  case .version(let version): return version
  }
}

/// Counts the launch that the token is of, once.
///
/// - Returns: Whether the token is of a launch.
func confirmBoot(
  _ context: DeviceContext, _ writer: RecordWriter, _ name: String, _ token: String
) throws -> Bool {
  let records = context.records
  var log = try records.readLaunches()
  guard var launched = log.launches[name], launched.token == token else { return false }
  let state = try records.readState()
  let booted: BootTarget =
    launched.version == EMBEDDED ? .embedded : .version(launched.version)
  let isRecorded = launched.attempt == Double(state?.bootAttempts[name] ?? 0) // DEV-3
  let next =
    isRecorded ? confirm(state, name, booted: booted, counted: launched.counted) : state
  guard let next, next != state else {
    try records.ensureDurable()
    return true
  }
  let replaced = state?.active[name]
  if let replaced, next.active[name] != replaced { log.previous[name] = replaced }
  // Counted before credited: a crash in between loses a confirmation, never grants two (DEV-4).
  launched.counted = true
  log.launches[name] = launched
  try writer.writeLaunches(log)
  try writer.writeState(next)
  return true
}
