/// An operation whose request is checked.
public enum RequestOperation: String, Sendable {
  case stageUpdate, stageUpdateDelta, activate, readManifest, confirmBoot, revert, acceptSequence
}

/// Checks a request as its operation does before it looks at the disk (NAT-1 to NAT-5): with the
/// device's own reader, so that other languages can be compared with it.
///
/// - Parameter accepted: The sequence that the device has accepted; 0 for none.
/// - Throws: `Failure` of the code `invalid`.
public func checkRequest(_ operation: RequestOperation, request: JsonValue?, accepted: Int = 0)
  throws
{
  switch operation {
  case .stageUpdate: _ = try readStageUpdate(request)
  case .stageUpdateDelta: _ = try readStageUpdateDelta(request)
  case .activate: _ = try readActivate(request)
  case .readManifest: _ = try readVersionRequest(request, mayBeEmbedded: true)
  case .confirmBoot: _ = try readConfirmBoot(request)
  case .revert: _ = try readRevert(request)
  case .acceptSequence: try checkLeap(try readAcceptSequence(request).sequence, accepted: accepted)
  }
}
