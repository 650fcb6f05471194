import Foundation

/// The native plugin without its platform: the boot hook, and the operations that JavaScript calls.
/// Launches and answers are equal to those of lib/ota-device.
///
/// An operation is begun on any thread, in the order in which it was asked for, and answers on one of
/// the device's own. The device must live until it has answered.
public final class Device: Sendable {
  private let context: DeviceContext
  private let turns = Turns("dev.slipway.ota.state")
  private let stagingTurns = Turns("dev.slipway.ota.stage")  // DEV-15: a boot is confirmed meanwhile
  private let onProgress: @Sendable (OtaProgress) -> Void

  /// Takes the answer of an operation, or the error that rejects its promise: `StageError`, or `FileError`.
  public typealias Answer = @Sendable (Result<JsonValue, Error>) -> Void

  /// Opens the device whose files lie under `options.root`.
  ///
  /// - Parameter onProgress: Given each progress of a staging; not to be waited in.
  public init(_ options: DeviceOptions, onProgress: @escaping @Sendable (OtaProgress) -> Void) {
    let session = Session()
    let records = Records(options) { records, fits in
      let context = DeviceContext(options: options, records: records, session: session)
      try makeRoomUntil(context, kept: [], alone: { try $0() }, fits: fits)
    }
    context = DeviceContext(options: options, records: records, session: session)
    self.onProgress = onProgress
  }

  /// The boot hook: decides what this launch serves; never throws, whatever the disk does (DEV-1). Waits
  /// for the disk, on the caller's thread.
  public func launch(_ request: LaunchRequest) -> LaunchResult {
    turns.take { SlipwayOtaCore.launch(context, request: request) }
  }

  /// As `launch`, without waiting.
  public func launch(_ request: LaunchRequest, answer: @escaping @Sendable (LaunchResult) -> Void) {
    turns.begin { answer(SlipwayOtaCore.launch(self.context, request: request)) }
  }

  /// Confirms the recorded launch of a bundle, once: what the app does when it is fully booted.
  public func confirmLaunch(name: String, answer: @escaping Answer) {
    turns.begin {
      do {
        guard let launched = try self.context.records.readLaunches().launches[name] else {
          return answer(.success(.null))
        }
        self.turns.begin { self.confirm(name, token: launched.token, answer: answer) }
      } catch {
        answer(.failure(error))
      }
    }
  }

  /// The folder that a target is served from; `nil` for an embedded bundle that is not given.
  public func folderOf(_ name: String, target: BootTarget) -> String? {
    switch target {
    case .embedded: return context.options.embedded
    case .version(let version): return versionFolder(context.options.root, name: name, version: version)
    }
  }

  /// Begins one of the plugin's operations, `getState` among them, with its request as JavaScript sent
  /// it; `null` is the answer of those that have none.
  ///
  /// - Returns: Whether there is an operation of that name.
  @discardableResult
  public func call(_ operation: String, request: JsonValue, answer: @escaping Answer) -> Bool {
    if operation == "getState" {
      inTurn(answer) { try SlipwayOtaCore.getState(self.context).json }
      return true
    }
    guard let operation = RequestOperation(rawValue: operation) else { return false }
    switch operation {
    case .stageUpdate: stage(request, answer: answer) { try .zip(readStageUpdate(request)) }
    case .stageUpdateDelta: stage(request, answer: answer) { try .delta(readStageUpdateDelta(request)) }
    case .activate: inTurn(answer) { self.activate(request).json }
    case .confirmBoot:
      turns.begin {
        do {
          let asked = try granted { try readConfirmBoot(request) }
          self.confirm(asked.name, token: asked.token, answer: answer)
        } catch {
          answer(.failure(error))
        }
      }
    case .revert: inTurn(answer) { try settleWithoutAnswer { try self.revert(request) } }
    case .acceptSequence: inTurn(answer) { try settleWithoutAnswer { try self.acceptSequence(request) } }
    case .readManifest:
      startThread { answer(Result { try self.readManifest(request) }) }
    }
    return true
  }

  private func inTurn(_ answer: @escaping Answer, work: @escaping @Sendable () throws -> JsonValue) {
    turns.begin { answer(Result { try work() }) }
  }

  private func change<T>(_ work: (RecordWriter) throws -> T) throws -> T {
    try turns.take { try context.records.change(work: work) }
  }

  private func activate(_ request: JsonValue) -> StageResult {
    let records = context.records
    do {
      let (asked, mandatory) = try granted { try readActivate(request) }
      try records.change { writer in
        let (name, version) = (asked.name, asked.version)
        let staged = try isStaged(context.options, name: name, version: version)
        // An app that had no key yet may have staged it.
        let readsManifest = staged && context.options.trusted != nil
        let manifest =
          readsManifest ? try SlipwayOtaCore.readManifest(context, name: name, version: version) ?? "" : nil
        try requireTrusted(context, request: request, name: name, version: version, manifest: manifest)
        guard staged else {
          throw StageError(.invalid, message: "\(name) \(version) is not staged")
        }
        try noteMandatory(records, writer: writer, name: name, version: mandatory ? version : nil)
        let state = try records.readState()
        try writer.writeState(SlipwayOtaCore.activate(state, bundle: name, version: version))
      }
      context.session.with { values in
        values.fresh.removeValue(forKey: asked.name)
        values.waived.remove(asked.name)
      }
      return .ok
    } catch {
      return stageFailure(error)
    }
  }

  private func revert(_ request: JsonValue) throws {
    let asked = try granted { try readRevert(request) }
    let (records, name, how) = (context.records, asked.name, asked.options)
    try records.change { writer in
      let state = try records.readState()
      guard let next = SlipwayOtaCore.revert(state, bundle: name, options: how), next != state else {
        return try records.ensureDurable()
      }
      if how.quarantine, let extended = guardRejected(try records.readGuard(), state: next) {
        try writer.writeGuard(extended)  // DEV-5: before the state
      }
      if how.toEmbedded, let active = state?.active[name] {  // this process may be serving it
        var log = try records.readLaunches()
        log.previous[name] = active
        try writer.writeLaunches(log)
      }
      try writer.writeState(next)
    }
  }

  private func acceptSequence(_ request: JsonValue) throws {
    let asked = try granted { try readAcceptSequence(request) }
    let records = context.records
    try records.change { writer in
      try requireTrustedSequence(context, request: request, wanted: asked)
      var known = try records.readGuard()
      let embedded = try readEmbedded(context.options, session: context.session)
      let line = "\(asked.app)/\(asked.channel)"
      let accepted = acceptedSequences(embedded, known: known)[line] ?? 0
      try granted { try checkLeap(asked.sequence, accepted: accepted) }
      if asked.sequence <= known.sequence[line] ?? 0 { return try records.ensureDurable() }
      known.sequence[line] = asked.sequence
      try writer.writeGuard(known)
    }
  }

  /// DEV-14: what a delta builds on is what lies here, not what a server says of it.
  private func readManifest(_ request: JsonValue) throws -> JsonValue {
    let asked = try? readVersionRequest(request, mayBeEmbedded: true)
    let text = try asked.flatMap {
      try SlipwayOtaCore.readManifest(context, name: $0.name, version: $0.version)
    }
    return ["manifest": .text(text)]
  }

  /// Confirms a launch, in a turn. What follows has turns of its own, beside those of the state.
  private func confirm(_ name: String, token: String, answer: @escaping Answer) {
    do {
      var isBooted = context.session.with { $0.unrecorded.contains(name) }
      if !isBooted {
        isBooted = try settle {
          try context.records.change { try confirmBoot(context, writer: $0, name: name, token: token) }
        }
      }
      // A staging that runs has swept before it began, and its own folder is in the way.
      guard isBooted, context.session.with({ $0.stagings == 0 }) else {
        return answer(.success(.null))
      }
    } catch {
      return answer(.failure(error))
    }
    stagingTurns.begin {
      self.sweep()
      verifyServed(self.context, name: name, token: token) { try self.change($0) }
      answer(.success(.null))
    }
  }

  /// Removes what nothing needs; a launch waits for what is renamed, not for what is deleted (DEV-23).
  private func sweep() {
    let (options, session) = (context.options, context.session)
    var since = (try? readSince(options, state: nil)) ?? -.infinity
    try? change { _ in  // if a record cannot be read, nothing is removed
      let held = try readHeld(context)
      since = try readSince(options, state: held.state)
      let newBinary = session.with { $0.isNewBinary }
      setAside(options, dead: deadVersions(held, newBinary: newBinary), since: since)
      session.with { $0.isNewBinary = false }
    }
    emptyTrash(options, since: since)
  }

  private func stage(
    _ request: JsonValue, answer: @escaping Answer, read: () throws -> StagingWay
  ) {
    let way: StagingWay
    do {
      way = try granted(read)
    } catch {
      return answer(.success(stageFailure(error).json))
    }
    let verifying = context.session.with { values in
      values.stagings += 1
      return values.verifying
    }
    verifying?.cancel()
    stagingTurns.begin {
      let result = self.stage(way, request: request)
      self.context.session.with { values in
        values.stagings -= 1
        if values.stagings == 0 { values.busy = [] }
      }
      answer(.success(result.json))
    }
  }

  private func stage(_ way: StagingWay, request: JsonValue) -> StageResult {
    let (context, options) = (context, context.options)
    let (name, version) = (way.name, way.version)
    do {
      try requireTrusted(context, request: request, name: name, version: version, manifest: way.manifest)
      guard try isAllowed(context, name: name, version: version) else {
        return .failed(.quarantined, detail: "\(name) \(version) failed to boot before")
      }
    } catch {
      return stageFailure(error)
    }
    let setBusy = { @Sendable (bases: [String]) in
      let busy = Set([version] + bases).map { "\(name)@\($0)" }
      context.session.with { $0.busy = busy }
    }
    setBusy(way.bases)
    sweep()
    let alone = { @Sendable (work: () throws -> Void) in try self.change { _ in try work() } }
    let id = processId(options.processes)
    context.session.with { $0.stagingId = id }
    let result = way.run(
      StageDependencies(
        files: options.files, http: options.http, hashing: options.hashing,
        inflating: options.inflating, clock: options.clock, root: options.root,
        embedded: options.embedded, stallMs: options.stallMs, cancel: options.cancel,
        id: id, processes: options.processes,
        isInUse: { try SlipwayOtaCore.isInUse(context, name: name, version: version) },
        alone: alone,
        makeRoom: { spared, kept, fits in
          setBusy(spared)
          try makeRoomUntil(context, kept: kept, alone: alone, fits: fits)
        },
        onProgress: onProgress))
    context.session.with { $0.stagingId = nil }
    if case .ok = result { context.session.with { $0.fresh[name] = version } }
    return result
  }
}

/// Way in which a request is staged.
private enum StagingWay: Sendable {
  case zip(ZipStaging)
  case delta(DeltaStaging)

  var name: String {
    switch self {
    case .zip(let request): return request.name
    case .delta(let request): return request.name
    }
  }

  var version: String {
    switch self {
    case .zip(let request): return request.version
    case .delta(let request): return request.version
    }
  }

  var manifest: String {
    switch self {
    case .zip(let request): return request.manifest
    case .delta(let request): return request.manifest
    }
  }

  /// Versions that it may copy from.
  var bases: [String] {
    switch self {
    case .zip: return []
    case .delta(let request): return [request.base] + request.copy.map { $0.base ?? request.base }
    }
  }

  func run(_ dependencies: StageDependencies) -> StageResult {
    switch self {
    case .zip(let request): return stageZip(dependencies, request: request)
    case .delta(let request): return stageDelta(dependencies, request: request)
    }
  }
}

/// Removes what nothing needs, until it fits.
private func makeRoomUntil(
  _ context: DeviceContext, kept: Set<String>,
  alone: @escaping (() throws -> Void) throws -> Void, fits: () throws -> Bool
) throws {
  let dead = deadVersions(try readHeld(context), forRoom: true)
  let stagingId = context.session.with { $0.stagingId }
  let request = RoomRequest(dead: dead, kept: kept, stagingId: stagingId, alone: alone)
  makeRoom(context.options, request: request, until: fits)
}

/// Reads a request. A refusal is thrown as the failure of a staging.
private func granted<T>(_ read: () throws -> T) throws -> T {
  do {
    return try read()
  } catch let refusal as Failure {
    throw StageError(.invalid, message: refusal.message)
  }
}

/// Runs an operation without an answer; what the disk refuses is thrown with a code of staging (NAT-5).
private func settle<T>(_ operation: () throws -> T) throws -> T {
  do {
    return try operation()
  } catch let error as FileError {
    guard case .failed(let code, let detail) = stageFailure(error) else { throw error }
    throw StageError(code, message: detail)
  }
}

private func settleWithoutAnswer(_ operation: () throws -> Void) throws -> JsonValue {
  try settle { () -> JsonValue in
    try operation()
    return .null
  }
}
