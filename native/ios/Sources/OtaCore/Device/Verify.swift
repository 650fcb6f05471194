// DEV-26: bytes that changed on the disk while their file kept its size. Hashing takes seconds, so it
// is done after a launch was confirmed, and gives way to whatever is asked of the device.

/// Launches of an active version from one hashing of its files to the next.
private let launchesBetween = 16

/// Hashes the files of the active version that a launch serves, when that is due. Of a damaged one the
/// mark alone is removed, for the web view is being served from its folder: the next launch does not
/// find it, and the next staging puts it together again.
///
/// - Parameters:
///   - token: Of the launch, which was confirmed.
///   - change: Changes records, while nothing else does.
func verifyServed(
  _ context: DeviceContext, _ name: String, _ token: String,
  change: ((RecordWriter) throws -> Void) throws -> Void
) {
  // Cancelled, or the disk refused for the moment: it stays due.
  try? verify(context, name, token, change: change)
}

private func verify(
  _ context: DeviceContext, _ name: String, _ token: String,
  change: ((RecordWriter) throws -> Void) throws -> Void
) throws {
  let (options, records) = (context.options, context.records)
  let verifying = Cancel()
  let isBusy = context.session.with { values in
    values.verifying = verifying
    return values.stagings > 0
  }
  guard !isBusy, let version = try readDue(records, name, token) else { return }
  let isRight = try Cancel.any([options.cancel, verifying]) { cancel in
    try hasItsBytes(options, name, version, cancel)
  }
  try change { writer in
    var log = try records.readLaunches()
    // Launched again since: that confirmation looks again.
    guard var record = log.launches[name], record.token == token else { return }
    if isRight {
      record.sinceVerified = 0
      log.launches[name] = record
      return try writer.writeLaunches(log)
    }
    try options.files.remove(markPath(options.root, name, version))
    try options.files.sync(marksFolder(options.root))
  }
}

/// The version that the launch served as the active one, when its files are to be hashed; else `nil`.
private func readDue(_ records: Records, _ name: String, _ token: String) throws -> String? {
  guard let launched = try records.readLaunches().launches[name], launched.token == token,
    launched.version != embeddedVersion, launched.attempt <= 0  // one on trial was hashed when it was staged
  else { return nil }
  let isActive = try records.readState()?.active[name] == launched.version
  let isDue = launched.sinceVerified ?? launchesBetween >= launchesBetween
  return isActive && isDue ? launched.version : nil
}

/// Whether each file of a marked version has its hash. True where there is nothing to compare with.
private func hasItsBytes(
  _ options: DeviceOptions, _ name: String, _ version: String, _ cancel: Cancel
) throws -> Bool {
  let (files, root) = (options.files, options.root)
  try cancel.throwIfCancelled()
  guard
    let mark = try files.read(markPath(root, name, version), maxBytes: Limits.manifestBytes)
  else {
    return false  // who removed it may have been killed before it was synced (DEV-9)
  }
  guard let manifest = try? parseManifest(mark, name: name, version: version) else { return true }
  let folder = versionFolder(root, name, version)
  for (path, ref) in manifest.files {  // one at a time: a game runs
    let isRight = { try hasContent(options, "\(folder)/\(path)", ref, cancel) }
    if try !isRight(), try !isRight() { return false }  // a reading may fail, not twice
  }
  return true
}

/// Failures that stay; of what any other one hides nothing is known.
private let lasting: [FileErrorCode] = [.disk, .notAFile, .isADirectory, .notADirectory]

private func hasContent(
  _ options: DeviceOptions, _ path: String, _ ref: ContentRef, _ cancel: Cancel
) throws -> Bool {
  try cancel.throwIfCancelled()
  do {
    return try isContent(options.files, options.hashing, path, ref, cancel)
  } catch let error as FileError where lasting.contains(error.code) {
    try cancel.throwIfCancelled()
    return false
  }
}
