// The boot watchdog as a pure function: (state, event, facts) → (state, target). No clock, no disk,
// nothing that can fail. Every count is kept by bundle, so that no bundle rolls another back
// (BOOT-18). TypeScript and Java hold the same function; vectors/boot holds all to it.

/// Bundle that the boot hook serves.
public enum BootTarget: Equatable, Sendable {
  case embedded
  case version(String)

  public var json: JsonValue {
    switch self {
    case .embedded: return ["kind": "embedded"]
    case .version(let version): return ["kind": "version", "version": .string(version)]
    }
  }
}

/// State and target after a boot decision. `state` nil: there was none, and none is written.
public struct BootDecision: Equatable, Sendable {
  /// The state to write; `nil` when there is none.
  public let state: BootState?
  /// Bundle to serve.
  public let target: BootTarget
}

/// Decides what this launch serves, and counts the attempt (BOOT-1 to BOOT-4, BOOT-8).
///
/// - Parameters:
///   - exists: Whether the folder of that version is staged, whole.
///   - recorded: `false` when the attempt could not be made durable.
public func boot(
  _ state: BootState?, bundle: String, recorded: Bool = true, exists: (String) -> Bool
) -> BootDecision {
  guard let state else { return BootDecision(state: nil, target: .embedded) }  // BOOT-1
  if !recorded {
    let served = serveActive(state, bundle: bundle, exists: exists)
    return BootDecision(state: state, target: served.target)  // BOOT-10
  }
  guard let pending = state.pending[bundle] else {
    return serveActive(state, bundle: bundle, exists: exists)  // BOOT-8
  }
  if !exists(pending) {
    // BOOT-2: no quarantine
    return serveActive(dropPending(state, bundle: bundle), bundle: bundle, exists: exists)
  }
  let attempts = state.bootAttempts[bundle] ?? 0
  if attempts >= Limits.bootAttempts {  // BOOT-3
    return serveActive(
      dropPending(quarantine(state, bundle: bundle, version: pending), bundle: bundle), bundle: bundle,
      exists: exists)
  }
  var counted = state
  counted.bootAttempts[bundle] = attempts + 1  // BOOT-4
  return BootDecision(state: counted, target: .version(pending))
}

/// Counts a launch that reported fully booted; the second one makes the pending version active.
///
/// - Parameters:
///   - booted: What that launch served.
///   - counted: Whether that launch was counted before.
public func confirm(
  _ state: BootState?, bundle: String, booted: BootTarget, counted: Bool
) -> BootState? {
  guard var state, let pending = state.pending[bundle] else { return state }  // BOOT-5
  if booted != .version(pending) { return state }  // BOOT-6
  let confirms = state.confirmedBoots[bundle] ?? 0
  let attempts = state.bootAttempts[bundle] ?? 0
  if counted || confirms >= attempts { return state }  // BOOT-7: once a launch
  if confirms + 1 < Limits.bootConfirms {
    state.confirmedBoots[bundle] = confirms + 1
    return state
  }
  state = dropPending(state, bundle: bundle)
  state.active[bundle] = pending  // BOOT-9
  return state
}

/// Makes a staged version pending, whatever was pending before (BOOT-17).
public func activate(_ state: BootState?, bundle: String, version: String) -> BootState {
  var changed = dropPending(state ?? BootState(), bundle: bundle)
  changed.pending[bundle] = version
  return changed
}

/// Puts the active version back on trial (BOOT-21). The previous one takes its place when it is staged
/// and not rejected, otherwise the embedded bundle does (BOOT-22).
///
/// - Parameters:
///   - previous: The version that was active before it.
///   - exists: Whether the folder of that version is staged, whole.
public func retrial(
  _ state: BootState?, bundle: String, previous: String?, exists: (String) -> Bool
) -> BootState? {
  guard let state, let version = state.active[bundle], state.pending[bundle] == nil else {
    return state
  }
  var changed = state
  changed.active[bundle] = previous.flatMap { previous in
    let canServe =
      previous != version && exists(previous) && mayStage(state, bundle: bundle, version: previous)
    return canServe ? previous : nil
  }
  return activate(changed, bundle: bundle, version: version)
}

/// Effects of a revert beside dropping the pending version.
public struct RevertOptions: Equatable, Sendable {
  /// Quarantines what it drops (BOOT-19).
  public var quarantine = false
  /// Forgets the active version as well, so that the embedded bundle is served (BOOT-20).
  public var toEmbedded = false

  public init(quarantine: Bool = false, toEmbedded: Bool = false) {
    self.quarantine = quarantine
    self.toEmbedded = toEmbedded
  }
}

/// Drops the pending version (BOOT-11); when there is nothing to drop nothing changes.
public func revert(_ state: BootState?, bundle: String, options: RevertOptions = .init())
  -> BootState?
{
  guard var changed = state else { return nil }
  if options.quarantine, let pending = changed.pending[bundle] {
    changed = quarantine(changed, bundle: bundle, version: pending)
  }
  if options.toEmbedded { changed.active[bundle] = nil }
  let hasPending = changed.pending[bundle] != nil
  return hasPending || changed != state ? dropPending(changed, bundle: bundle) : state
}

/// Notes which app binary runs; another one than last time starts afresh (BOOT-12, BOOT-13).
public func newBinary(_ state: BootState?, binaryVersion: String) -> BootState {
  var kept = state ?? BootState()
  if let seen = kept.lastSeenBinaryVersion, !isSame(seen, binaryVersion) {
    let rejected = kept.rejected
    kept = BootState()
    kept.rejected = rejected
  }
  kept.lastSeenBinaryVersion = binaryVersion
  return kept
}

/// Whether quarantine lets a version be staged; it never keeps one from booting (BOOT-14).
public func mayStage(_ state: BootState?, bundle: String, version: String) -> Bool {
  !(state?.rejected[bundle] ?? []).contains(version)
}

/// Reads `state.json`. It is damaged as a whole when any of the six fields has a wrong type, a count
/// is not a whole number ≥ 0, or a name or version breaks the rules; other fields are ignored
/// (BOOT-15).
///
/// - Returns: `nil` when damaged, which every decision treats as no state at all.
public func parseBootState(_ value: JsonValue?) -> BootState? {
  guard let value = value?.object else { return nil }
  let binary = value["lastSeenBinaryVersion"]
  let none: JsonValue = [:]
  guard let active = readMap(value["active"] ?? none, read: readVersion),
    let pending = readMap(value["pending"] ?? none, read: readVersion),
    let bootAttempts = readMap(value["bootAttempts"] ?? none, read: readCount),
    let confirmedBoots = readMap(value["confirmedBoots"] ?? none, read: readCount),
    let rejected = readMap(value["rejected"] ?? none, read: readVersions),
    binary == nil || binary?.text != nil
  else { return nil }
  var state = BootState()
  state.active = active
  state.pending = pending
  state.bootAttempts = bootAttempts
  state.confirmedBoots = confirmedBoots
  state.rejected = rejected.filter { !$0.value.isEmpty }
  state.lastSeenBinaryVersion = binary?.text
  return state
}

private func serveActive(_ state: BootState, bundle: String, exists: (String) -> Bool)
  -> BootDecision
{
  guard let version = state.active[bundle] else {
    return BootDecision(state: state, target: .embedded)
  }
  if exists(version) { return BootDecision(state: state, target: .version(version)) }
  var changed = state
  changed.active[bundle] = nil
  return BootDecision(state: changed, target: .embedded)
}

private func dropPending(_ state: BootState, bundle: String) -> BootState {
  var changed = state
  changed.pending[bundle] = nil
  changed.bootAttempts[bundle] = nil
  changed.confirmedBoots[bundle] = nil
  return changed
}

private func quarantine(_ state: BootState, bundle: String, version: String) -> BootState {
  let known = state.rejected[bundle] ?? []
  let listed = known.contains(version) ? known : known + [version]  // an entry keeps its place
  var changed = state
  changed.rejected[bundle] = Array(listed.suffix(Limits.rejectedVersions))  // BOOT-16
  return changed
}

private func readCount(_ value: JsonValue) -> Int? {
  value.integer.flatMap { $0 >= 0 ? $0 : nil }
}

private func readVersions(_ value: JsonValue) -> [String]? {
  guard let members = value.array else { return nil }
  let versions = members.compactMap(readVersion)
  return versions.count == members.count ? versions : nil
}
