import SlipwayOtaCore

/// Replays what a release means for a device, from its text on. The check itself is TypeScript's; what the
/// second lock and quarantine decide of it is decided here by the core's own functions.
func replayWanted(_ input: JsonValue) throws -> JsonValue {
  let name = try text(input["name"])
  let engineApi = try integer(input["engineApi"])
  let release: Release
  do {
    let record = try readRecord(Array(try text(input["release"]).utf8))
    release = try parseRelease(record, for: defaultTarget)
  } catch let failure as Failure {
    return ["result": .string(resultOfUnusable(failure.code))]
  }
  let state = parseBootState(input["state"] ?? [:])
  let binary = try binaryOf(input["embedded"])
  let quarantined = try listsOf(input["rejected"])[name] ?? []
  guard let named = release.bundles[name] else { return ["result": "no-release-for-bundle"] }
  let running = state?.active[name] ?? binary.embedded ?? embeddedVersion
  func answer(_ result: String, version: String) -> JsonValue {
    ["result": .string(result), "version": .string(version)]
  }
  if named == state?.pending[name] || named == running { return answer("up-to-date", version: named) }
  if !mayStage(state, bundle: name, version: named) || quarantined.contains(named) {
    return answer("version-rejected", version: named)
  }
  if engineApi < 1 || release.minEngineApi > engineApi {
    return answer("engine-api-too-old", version: named)
  }
  return isOlderThanBinary(release, name: name, binary: binary)
    ? answer("up-to-date", version: running) : answer("stage", version: named)
}

private func resultOfUnusable(_ code: String) -> String {
  let none: [ReleaseFailureCode] = [
    .notJson, .notObject, .unknownSchema, .unsupported, .malformed,
  ]
  return none.map(\.rawValue).contains(code) ? "no-release-for-bundle" : "signature-invalid"
}

/// Of an app's binary: the version of its bundle, and what was released when it was built.
func binaryOf(_ value: JsonValue?) throws -> BinaryBundle {
  BinaryBundle(
    embedded: try value?["version"].map { try text($0) },
    released: try value?["released"].map { try text($0) }
  )
}
