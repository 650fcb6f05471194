// Checks that a launch has no time for run after it was confirmed, and pause while the device is used:
// hashing, which takes seconds, finds bytes that changed in a file of the same size (DEV-26); sizes are
// checked if the launch looked at the folders only (DEV-62).

/// Launches of an active version from one hashing of its files to the next.
private let launchesBetween = 16

/// Looks at the files of the version that a launch serves, as far as that is due. Of a damaged one the
/// mark alone is removed, for the web view is being served from its folder: the next launch does not
/// find it, and the next staging puts it together again.
///
/// - Parameters:
///   - token: Of the launch, which was confirmed.
///   - change: Changes records, while nothing else does.
func verifyServed(
  _ context: DeviceContext, name: String, token: String,
  change: ((RecordWriter) throws -> Void) throws -> Void
) {
  // Cancelled, or the disk refused for the moment: it stays due.
  try? verify(context, name: name, token: token, change: change)
}

private func verify(
  _ context: DeviceContext, name: String, token: String,
  change: ((RecordWriter) throws -> Void) throws -> Void
) throws {
  let (options, records) = (context.options, context.records)
  let verifying = Cancel()
  let isBusy = context.session.with { values in
    values.verifying = verifying
    return values.stagings > 0
  }
  guard !isBusy, let due = try readDue(records, name: name, token: token) else { return }
  let version = due.version
  let isRight = try Cancel.any([options.cancel, verifying]) { cancel in
    switch due.look {
    case .bytes: return try hasItsBytes(options, name: name, version: version, cancel: cancel)
    case .sizes:
      return try hasMarkedFiles(
        of: BundleVersion(name: name, version: version),
        in: VersionFiles(files: options.files, root: options.root), cancel: cancel)
    }
  }
  try change { writer in
    var log = try records.readLaunches()
    // Launched again since: that confirmation looks again.
    guard var record = log.launches[name], record.token == token else { return }
    if isRight {
      if due.look == .bytes { record.sinceVerified = 0 }
      record.byFolders = false
      log.launches[name] = record
      return try writer.writeLaunches(log)
    }
    try options.files.remove(markPath(options.root, name: name, version: version))
    try options.files.sync(marksFolder(options.root))
  }
}

/// A version whose files are to be checked: by hash, or by size.
private struct Due {
  enum Look {
    case bytes, sizes
  }

  let version: String
  let look: Look
}

/// The version that the launch served, when its files are to be looked at; else `nil`.
private func readDue(_ records: Records, name: String, token: String) throws -> Due? {
  guard let launched = try records.readLaunches().launches[name], launched.token == token,
    launched.version != embeddedVersion
  else { return nil }
  let version = launched.version
  // One on trial was hashed when it was staged.
  let isActive = try launched.attempt <= 0 && records.readState()?.active[name] == version
  if isActive, launched.sinceVerified ?? launchesBetween >= launchesBetween {
    return Due(version: version, look: .bytes)
  }
  return launched.byFolders ? Due(version: version, look: .sizes) : nil
}

/// Whether each file of a marked version has its hash. True where there is nothing to compare with.
private func hasItsBytes(
  _ options: DeviceOptions, name: String, version: String, cancel: Cancel
) throws -> Bool {
  let (files, root) = (options.files, options.root)
  try cancel.throwIfCancelled()
  guard
    let mark = try files.read(markPath(root, name: name, version: version), maxBytes: Limits.manifestBytes)
  else {
    return false  // who removed it may have been killed before it was synced (DEV-9)
  }
  guard let manifest = try? parseManifest(mark, name: name, version: version) else { return true }
  let folder = versionFolder(root, name: name, version: version)
  for (path, ref) in manifest.files {  // one at a time: a game runs
    let isRight = { try hasContent(options, path: "\(folder)/\(path)", ref: ref, cancel: cancel) }
    if try !isRight(), try !isRight() { return false }  // a reading may fail, not twice
  }
  return true
}

/// Failures that stay; of what any other one hides nothing is known.
private let lastingCodes: [FileErrorCode] = [.disk, .notAFile, .isADirectory, .notADirectory]

private func hasContent(
  _ options: DeviceOptions, path: String, ref: ContentRef, cancel: Cancel
) throws -> Bool {
  try cancel.throwIfCancelled()
  do {
    return try isContent(options.files, hashing: options.hashing, path: path, content: ref, cancel: cancel)
  } catch let error as FileError where lastingCodes.contains(error.code) {
    try cancel.throwIfCancelled()
    return false
  }
}
