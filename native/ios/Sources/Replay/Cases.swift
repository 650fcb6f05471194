import SlipwayOtaCore
import SlipwayOtaPlatform

private let kinds: [String: @Sendable (JsonValue) throws -> JsonValue] = [
  "path": replayPath,
  "json": replayJson,
  "signature": replaySignature,
  "diff": replayDiff,
  "limit": replayLimit,
  "release": replayRelease,
  "manifest": replayManifest,
  "native": replayNative,
  "pace": replayPace,
  "stage": replayStage,
  "sweep": replaySweep,
  "trusted": replayTrusted,
  "wanted": replayWanted,
]

/// Replays the cases of a scenario of that kind (INTERPRETING.md).
func replayCases(_ kind: String, cases: [JsonValue]) throws -> (ok: Bool, steps: [JsonValue]) {
  guard let replay = kinds[kind] else {
    throw UnreadableVector("kind \(quoted(kind)) is not known")
  }
  var steps: [JsonValue] = []
  var ok = true
  for entry in cases {
    guard let input = entry["input"], input.object != nil, let expect = entry["expect"]?.object
    else { throw UnreadableVector("a case without input and expect") }
    var outcome = try replay(input)
    // What goes on side by side is asked for or not, by chance, once something failed.
    if expect["asked"] == nil, var told = outcome.object, told["asked"] != nil {
      told["asked"] = nil
      outcome = .object(told)
    }
    steps.append(outcome)
    ok = ok && expect.allSatisfy { outcome[$0.key] == $0.value }
  }
  return (ok, steps)
}

private func outcomeOf(_ decide: () throws -> Void) rethrows -> JsonValue {
  do {
    try decide()
    return ["ok": true]
  } catch let failure as Failure {
    return ["ok": false, "code": .string(failure.code)]
  }
}

private func replayPath(_ input: JsonValue) throws -> JsonValue {
  if let path = input["path"].flatMap(wtf8Of) { return try outcomeOf { try checkPath(path) } }
  if let name = textOf(input["name"]) { return ["ok": .bool(isBundleName(name))] }
  if let version = textOf(input["version"]) { return ["ok": .bool(isVersion(version))] }
  guard let paths = input["paths"]?.array?.map(wtf8Of), !paths.contains(nil) else {
    throw UnreadableVector("paths is not a list of texts")
  }
  return try outcomeOf { try checkPaths(paths.compactMap { $0 }) }
}

/// No Swift string holds a lone surrogate, so a path with one is refused alone, in its turn.
private func checkPaths(_ paths: [[UInt8]]) throws {
  let texts = paths.prefix { decodeUtf8($0) != nil }.compactMap(decodeUtf8)
  do {
    try checkPathSet(texts)
  } catch let failure as Failure {
    // Paths are compared with each other last: a path that follows is refused before that.
    let isCompared = failure.code == PathFailureCode.fileAndFolder.rawValue
    if texts.count == paths.count || !isCompared { throw failure }
  }
  if texts.count < paths.count { try checkPath(paths[texts.count]) }
}

private func replayJson(_ input: JsonValue) throws -> JsonValue {
  do {
    let text = input["text"].flatMap(wtf8Of)
    let value = try text.map(parseStrictJson) ?? parseStrictJsonBytes(bytesOf(input["base64url"]))
    return ["ok": true, "canonical": .string(canonicalJson(value))]
  } catch let failure as Failure {
    return ["ok": false, "code": .string(failure.code)]
  }
}

private func replaySignature(_ input: JsonValue) throws -> JsonValue {
  let ed25519 = SystemEd25519()
  let publicKey = try text(input["publicKey"])
  guard let record = textOf(input["record"]) else {
    let message = try bytesOf(input["message"])
    let sig = try text(input["sig"])
    return ["valid": .bool(verifySignature(message, signature: sig, publicKey: publicKey, by: ed25519))]
  }
  let read = try? readRecord(Array(record.utf8))
  return ["valid": .bool(read.map { isSigned($0, publicKey: publicKey, by: ed25519) } ?? false)]
}

private func replayDiff(_ input: JsonValue) throws -> JsonValue {
  let current = try filesOf(input["current"])
  let zip = input["target"]?["bundleZip"].flatMap(readContentRef)
  let target = try filesOf(input["target"])
  guard let others = (input["others"] ?? []).array else {
    throw UnreadableVector("others is not a list")
  }
  let held = try others.map { OtherBase(at: try text($0["at"]), files: try filesOf($0)) }
  let partial = (input["partial"]?.object ?? [:]).mapValues { $0.integer ?? 0 }
  let plan = planStage(current, target: target, others: held)
  let diff = diffManifests(current, target: target)
  return [
    "diff": [
      "copy": .array(diff.copy.map(JsonValue.string)),
      "download": .array(diff.download.map(jsonOf)),
      "remove": .array(diff.remove.map(JsonValue.string)),
    ],
    "plan": [
      "copy": .array(plan.copy.map(jsonOf)),
      "download": .array(plan.download.map(jsonOf)),
      "downloadBytes": .number(plan.downloadBytes),
    ],
    "way": .string(cheaperWay(plan.download, files: target, bundleZip: zip, partial: partial).rawValue),
  ]
}

private func jsonOf(_ file: Download) -> JsonValue {
  ["path": .string(file.path), "hash": .string(file.hash), "size": .integer(file.size)]
}

private func jsonOf(_ copy: Copy) -> JsonValue {
  var members: JsonObject = ["from": .string(copy.from)]
  members["base"] = copy.base.map(JsonValue.string)
  members["path"] = .string(copy.path)
  return .object(members)
}

private func filesOf(_ manifest: JsonValue?) throws -> Record<ContentRef> {
  guard let members = manifest?["files"]?.object else {
    throw UnreadableVector("a manifest without files")
  }
  return try Record(
    members.map { path, value in
      guard let ref = readContentRef(value) else {
        throw UnreadableVector("files[\(quoted(path))] is not {hash, size}")
      }
      return (key: path, value: ref)
    }
  )
}

private func replayLimit(_ input: JsonValue) throws -> JsonValue {
  let name = try text(input["limit"])
  guard let limit = Limits.byName[name] else {
    throw UnreadableVector("limit \(quoted(name)) is not known")
  }
  guard let value = input["value"], value.number != nil else { return ["value": .integer(limit)] }
  return ["allowed": .bool(value.integer.map { $0 >= 0 && $0 <= limit } ?? false)]
}

private func replayRelease(_ input: JsonValue) throws -> JsonValue {
  let bytes = Array(try text(input["record"]).utf8)
  return try outcomeOf {
    let target = ReleaseTarget(
      app: textOf(input["app"]) ?? defaultTarget.app,
      channel: textOf(input["channel"]) ?? defaultTarget.channel
    )
    let release = try parseRelease(try readRecord(bytes), for: target)
    guard let minSequence = input["floor"] else { return }
    try checkSequence(release.sequence, minSequence: try integer(minSequence))
  }
}

private func replayManifest(_ input: JsonValue) throws -> JsonValue {
  let bytes = Array(try text(input["text"]).utf8)
  if input["embedded"] == true {
    return try outcomeOf { _ = try parseEmbeddedManifest(bytes) }
  }
  let (name, version) = (try text(input["name"]), try text(input["version"]))
  return try outcomeOf { _ = try parseManifest(bytes, name: name, version: version) }
}

private func replayNative(_ input: JsonValue) throws -> JsonValue {
  guard let operation = input["op"]?.text.flatMap(RequestOperation.init) else {
    throw UnreadableVector("op \(input["op"].map { jsonText($0) } ?? "undefined") is not known")
  }
  let accepted = try input["accepted"].map(integer) ?? 0
  return try outcomeOf { try checkRequest(operation, request: input["request"], accepted: accepted) }
}

private func replayPace(_ input: JsonValue) throws -> JsonValue {
  if let hold = input["hold"], hold.object != nil {
    return ["allowed": .bool(mayHold(try paceOf(hold), holdMs: try integer(input["holdMs"])))]
  }
  return ["allowed": .bool(mayRead(try paceOf(input["read"]), deadlineMs: try integer(input["deadlineMs"])))]
}

private func paceOf(_ value: JsonValue?) throws -> Pace {
  guard let value, value.object != nil else {
    throw UnreadableVector("a case has neither read nor hold")
  }
  return Pace(
    awakeMs: try integer(value["awakeMs"]),
    idleMs: try integer(value["idleMs"]),
    bytes: try integer(value["bytes"]),
    isLoading: value["isLoading"] == true
  )
}

private func replaySweep(_ input: JsonValue) throws -> JsonValue {
  guard let busy = (input["busy"] ?? []).array?.map(textOf), !busy.contains(nil) else {
    throw UnreadableVector("busy is not a list of texts")
  }
  guard let young = (input["young"] ?? []).array?.map(textOf), !young.contains(nil) else {
    throw UnreadableVector("young is not a list of texts")
  }
  let state = input["state"] == .null ? nil : input["state"]
  let held = HeldVersions(
    state: parseBootState(state ?? [:]),
    previous: try (input["previous"]?.object ?? [:]).mapValues { try text($0) },
    rejected: try listsOf(input["rejected"]),
    staged: try listsOf(input["staged"]),
    young: young.compactMap { $0 },
    busy: busy.compactMap { $0 }
  )
  let dead = deadVersions(
    held, forRoom: input["forRoom"] == true, newBinary: input["newBinary"] == true)
  return ["dead": .array(dead.map { .string("\($0.name)@\($0.version)") })]
}

private func replayTrusted(_ input: JsonValue) throws -> JsonValue {
  let trusted = TrustedReleases(
    publicKey: try text(input["publicKey"]), app: textOf(input["app"]),
    channel: textOf(input["channel"])
  )
  let accepted = try input["accepted"].map(integer) ?? 0
  return try outcomeOf {
    let release = try readTrusted(trusted, text: input["release"], minSequence: accepted, by: SystemEd25519())
    if let sequence = input["sequence"], sequence.object != nil {
      let line = (app: try text(sequence["app"]), channel: try text(sequence["channel"]))
      let wanted = SequenceRequest(
        app: line.app, channel: line.channel, sequence: try integer(sequence["sequence"])
      )
      try checkWantedSequence(release, wanted: wanted)
    } else if let name = input["name"] {
      try checkWanted(
        release, name: try text(name), version: try text(input["version"]),
        manifest: try input["manifest"].map { try text($0) },
        binary: try binaryOf(input["embedded"]), by: SystemHashing()
      )
    }
  }
}

func listsOf(_ value: JsonValue?) throws -> Record<[String]> {
  let lists = value?.object ?? [:]
  return try Record(
    lists.map { name, list in
      let versions = list.array?.compactMap(textOf).filter(isVersion)
      guard let versions, versions.count == list.array?.count else {
        throw UnreadableVector("\(name) has no list of versions")
      }
      return (key: name, value: versions)
    }
  )
}
