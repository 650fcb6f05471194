// Checks of an app whose binary contains the public key, before each operation (NAT-6).

/// Refuses to stage or to activate what no release says.
///
/// - Throws: `StageError` `untrusted`.
func requireTrusted(
  _ context: DeviceContext, request: JsonValue, name: String, version: String,
  manifest: String?
) throws {
  try granted {
    guard let release = try releaseOf(context, request: request) else { return }
    try checkWanted(
      release, name: name, version: version, manifest: manifest,
      binary: try readBinary(context, name: name), by: context.options.hashing
    )
  }
}

/// Refuses to accept a sequence that no release has: it would shut out all that are published next.
///
/// - Throws: `StageError` `untrusted`.
func requireTrustedSequence(
  _ context: DeviceContext, request: JsonValue, wanted: SequenceRequest
) throws {
  try granted {
    guard let release = try releaseOf(context, request: request) else { return }
    try checkWantedSequence(release, wanted: wanted)
  }
}

/// The release that came with a request; `nil` where the device does not look at one.
private func releaseOf(_ context: DeviceContext, request: JsonValue) throws -> Release? {
  guard let trusted = context.options.trusted else { return nil }
  let embedded = try readEmbedded(context.options, session: context.session)
  let accepted = acceptedSequences(embedded, known: try context.records.readGuard())
  let (app, channel) = (trusted.target.app, trusted.target.channel)
  let minSequence = accepted["\(app)/\(channel)"] ?? 0
  let release = request["release"]
  return try readTrusted(trusted, text: release, minSequence: minSequence, by: context.options.ed25519)
}

private func granted(_ check: () throws -> Void) throws {
  do {
    try check()
  } catch let refusal as Failure {
    throw StageError(.untrusted, message: refusal.message)
  }
}
