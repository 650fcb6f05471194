// Contents of the device, as its operations need them.

/// The state of the device, for the update check.
func getState(_ context: DeviceContext) throws -> DeviceState {
  let (options, records, session) = (context.options, context.records, context.session)
  try? records.ensureDurable()  // a disk that cannot sync can still be read
  let state = try records.readState()
  let quarantine = try records.readGuard()
  let embedded = try readEmbedded(options, session: session)
  var known = DeviceState()
  known.state = state
  known.sequence = acceptedSequences(embedded, known: quarantine)
  (known.launch, known.tellsToken) = session.with { ($0.launch, $0.served.count == 1) }
  known.pending = readPending(records, state: state, session: session)
  known.rejected = quarantine.rejected
  known.staged = listStaged(options)
  known.partial = (try? partialBytes(options.files, root: options.root)).flatMap { $0.isEmpty ? nil : $0 }
  known.publicKey = options.trusted?.publicKey
  known.embedded = embedded.map { [$0.name: $0.version] }
  known.published = embedded.flatMap { known in known.published.map { [known.name: $0] } }
  known.released = embedded.flatMap { known in known.released.map { [known.name: $0] } }
  known.knows = options.backOnTrial ? ["trial"] : nil
  return known
}

/// Reads what is pending of the bundle that was launched; of the first one, where the boot hook did not run.
private func readPending(_ records: Records, state: BootState?, session: Session) -> Pending? {
  let (launch, waived) = session.with { ($0.launch, $0.waived) }
  guard let name = launch?.name ?? state?.pending.keys.first, let version = state?.pending[name]
  else { return nil }
  let log = try? records.readLaunches()  // what cannot be read holds no game back
  let mandatory = log?.mandatory[name] == version && !waived.contains(name)
  return Pending(name: name, version: version, mandatory: mandatory)
}

/// The accepted sequence of every line of releases: the guard's, or the binary's where that is higher.
func acceptedSequences(_ embedded: EmbeddedIdentity?, known: Guard) -> Record<Int> {
  guard let embedded else { return known.sequence }
  let line = "\(embedded.app)/\(embedded.channel)"
  return known.sequence.with(line, value: max(known.sequence[line] ?? 0, embedded.sequence))
}

/// Every version that is marked complete, in order of its number, by bundle (DEV-18).
private func listStaged(_ options: DeviceOptions) -> Record<[String]> {
  let (files, root) = (options.files, options.root)
  var staged = Record<[String]>()
  for entry in (try? files.list(marksFolder(root))) ?? [] {
    guard let (name, version) = versionOf(mark: entry.name) else { continue }
    staged[name] = (staged[name] ?? []) + [version]
  }
  return staged.mapValues { $0.sorted(by: isOlder) }
}

/// The version that a mark is of, by its name: `<name>@<version>.json`.
private func versionOf(mark: String) -> (name: String, version: String)? {
  guard mark.hasSuffix(".json"), let at = mark.lastIndex(of: "@") else { return nil }
  let (name, version) = (String(mark[..<at]), String(mark[mark.index(after: at)...].dropLast(5)))
  return isBundleName(name) && isVersion(version) ? (name, version) : nil
}

/// Time that a device keeps what nothing needs just now, in milliseconds.
private let keptMs: Double = 7 * 24 * 60 * 60 * 1000

/// Reads the time before which unfinished work was abandoned, in milliseconds since the epoch: seven days
/// ago, or when the active version was staged, since no staging began before that one (DEV-39).
func readSince(_ options: DeviceOptions, state: BootState?) throws -> Double {
  var since = options.clock.now() - keptMs
  for (name, version) in state?.active ?? [:] {
    let path = markPath(options.root, name: name, version: version)
    let mark = try unlessUnreadable { try options.files.stat(path) }
    since = max(since, mark?.mtimeMs ?? since)
  }
  return since
}

/// Reads the records that a sweep depends on. Throws where one cannot be read: then nothing may go.
func readHeld(_ context: DeviceContext) throws -> HeldVersions {
  let state = try context.records.readState()
  let known = try context.records.readGuard()
  let log = try context.records.readLaunches()
  let served = log.launches.map { "\($0.key)@\($0.value.version)" }
  let (busy, fresh) = context.session.with { values in
    (values.busy, values.fresh.map { "\($0.key)@\($0.value)" })
  }
  return HeldVersions(
    state: state,
    previous: log.previous,
    rejected: (guardRejected(known, state: state) ?? known).rejected,
    staged: try listPresent(context.options),
    young: try listYoung(context.options),
    busy: busy + served + fresh)
}

/// Versions that were staged in the last seven days, as `<name>@<version>`.
private func listYoung(_ options: DeviceOptions) throws -> [String] {
  let (since, folder) = (options.clock.now() - keptMs, marksFolder(options.root))
  return try (options.files.list(folder) ?? []).compactMap { entry in
    guard entry.name.hasSuffix(".json"),
      let mark = try unlessUnreadable({ try options.files.stat("\(folder)/\(entry.name)") }),
      mark.mtimeMs >= since
    else { return nil }
    return String(entry.name.dropLast(".json".count))
  }
}

/// Every version of which the mark or the folder is there.
private func listPresent(_ options: DeviceOptions) throws -> Record<[String]> {
  let (files, root) = (options.files, options.root)
  var present = listStaged(options)
  for entry in try files.list(root) ?? [] {
    guard entry.kind == .directory, isBundleName(entry.name) else { continue }
    var versions = present[entry.name] ?? []
    for folder in try unlessUnreadable({ try files.list("\(root)/\(entry.name)") }) ?? [] {
      if isVersion(folder.name), !versions.contains(folder.name) { versions.append(folder.name) }
    }
    present[entry.name] = versions
  }
  return present
}

/// Whether a version's folder is there and marked complete; what is not a name or a version never is.
func isStaged(_ options: DeviceOptions, name: String, version: String) throws -> Bool {
  guard isBundleName(name), isVersion(version) else { return false }
  let (markPath, path) = (
    markPath(options.root, name: name, version: version),
    versionFolder(options.root, name: name, version: version)
  )
  let mark = try unlessUnreadable { try options.files.stat(markPath) }
  let folder = try unlessUnreadable { try options.files.stat(path) }
  return mark != nil && folder?.kind == .directory
}

/// The manifest of a version that is staged, or of the embedded bundle; else `nil` (DEV-14).
func readManifest(_ context: DeviceContext, name: String, version: String) throws -> String? {
  let (files, root) = (context.options.files, context.options.root)
  if version == embeddedVersion {
    guard let folder = context.options.embedded,
      try readEmbedded(context.options, session: context.session)?.name == name
    else { return nil }
    return try readText(files, path: "\(folder)/\(embeddedManifestFile)")
  }
  guard try isStaged(context.options, name: name, version: version) else { return nil }
  return try readText(files, path: markPath(root, name: name, version: version))
}

/// The embedded bundle's name and place in time: read once, for the binary stays while it runs.
func readEmbedded(_ options: DeviceOptions, session: Session) throws -> EmbeddedIdentity? {
  guard let folder = options.embedded else { return nil }
  if let known = session.with({ $0.embedded }) { return known }
  let path = "\(folder)/\(embeddedManifestFile)"
  guard let bytes = try options.files.read(path, maxBytes: Limits.manifestBytes),
    let parsed = try? parseEmbeddedManifest(bytes)
  else { return nil }
  let identity = EmbeddedIdentity(
    name: parsed.manifest.name, version: parsed.manifest.version, app: parsed.app, channel: parsed.channel,
    sequence: parsed.sequence, published: parsed.published, released: parsed.released)
  session.with { $0.embedded = identity }
  return identity
}

/// Reads the version of a bundle in the app's binary.
func readBinary(_ context: DeviceContext, name: String) throws -> BinaryBundle {
  guard let embedded = try readEmbedded(context.options, session: context.session), embedded.name == name
  else { return BinaryBundle() }
  return BinaryBundle(embedded: embedded.version, released: embedded.released)
}

private func readText(_ files: Files, path: String) throws -> String? {
  try unlessUnreadable { try files.read(path, maxBytes: Limits.manifestBytes) }.flatMap(decodeUtf8)
}

/// Whether quarantine lets a version be staged, by both files.
func isAllowed(_ context: DeviceContext, name: String, version: String) throws -> Bool {
  let rejected = try context.records.readGuard().rejected
  let state = try context.records.readState()
  return mayStage(state, bundle: name, version: version) && !(rejected[name] ?? []).contains(version)
}

/// Whether a version may be booted, or is being served: then it is not touched (DEV-7).
func isInUse(_ context: DeviceContext, name: String, version: String) throws -> Bool {
  let state = try context.records.readState()
  let served = try context.records.readLaunches().launches[name]?.version
  return [state?.active[name], state?.pending[name], served].contains(version)
}
