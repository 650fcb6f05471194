import SlipwayOtaCore

/// The machine between steps: its state, and per bundle what this launch served and counted.
private struct Machine {
  var state: BootState?
  var served = Record<BootTarget>()
  var counted = Record<Bool>()
}

/// Replays the steps of a boot scenario (INTERPRETING.md).
func replayBoot(_ steps: [JsonValue]) throws -> (ok: Bool, steps: [JsonValue]) {
  var machine = Machine()
  var outcomes: [JsonValue] = []
  var ok = true
  for step in steps {
    guard step.object != nil else { throw UnreadableVector("a step is not an object") }
    guard let expect = (step["expect"] ?? [:]).object else {
      throw UnreadableVector("expect is not an object")
    }
    let outcome = try replayStep(&machine, step: step)
    outcomes.append(outcome)
    ok = ok && expect.allSatisfy { withoutEmpty(outcome[$0.key]) == withoutEmpty($0.value) }
  }
  return (ok, outcomes)
}

private func replayStep(_ machine: inout Machine, step: JsonValue) throws -> JsonValue {
  if let state = step["state"] { machine = Machine(state: parseBootState(state)) }
  func text(_ member: String) throws -> String {
    guard let text = textOf(step[member]) else { throw UnreadableVector("\(member) is not text") }
    return text
  }
  func state() -> JsonValue { machine.state?.json ?? .null }
  switch step["op"]?.text {
  case "boot":
    let bundle = try text("bundle")
    let exists = try existsOf(step, bundle: bundle)
    let decision = boot(
      machine.state, bundle: bundle, recorded: step["recorded"] != false, exists: exists)
    machine.state = decision.state
    machine.served[bundle] = decision.target
    machine.counted[bundle] = nil
    return ["state": state(), "target": decision.target.json]
  case "confirm":
    let bundle = try text("bundle")
    let booted = try bootedOf(machine, step: step, bundle: bundle)
    let counted = machine.counted[bundle] ?? false
    let next = confirm(machine.state, bundle: bundle, booted: booted, counted: counted)
    if next != machine.state { machine.counted[bundle] = true }
    machine.state = next
    return ["state": state()]
  case "activate":
    machine.state = activate(machine.state, bundle: try text("bundle"), version: try text("version"))
    return ["state": state()]
  case "retrial":
    let bundle = try text("bundle")
    let previous = step["previous"] == .null ? nil : try text("previous")
    let exists = try existsOf(step, bundle: bundle)
    machine.state = retrial(machine.state, bundle: bundle, previous: previous, exists: exists)
    return ["state": state()]
  case "revert":
    let options = RevertOptions(
      quarantine: step["quarantine"] == true, toEmbedded: step["toEmbedded"] == true
    )
    machine.state = revert(machine.state, bundle: try text("bundle"), options: options)
    return ["state": state()]
  case "newBinary":
    machine.state = newBinary(machine.state, binaryVersion: try text("binaryVersion"))
    return ["state": state()]
  case "mayStage":
    let allowed = mayStage(machine.state, bundle: try text("bundle"), version: try text("version"))
    return ["state": state(), "allowed": .bool(allowed)]
  default:
    throw UnreadableVector("op \(step["op"].map { jsonText($0) } ?? "undefined") is not known")
  }
}

/// Whether a version of the bundle is among those that a step lists as staged.
private func existsOf(_ step: JsonValue, bundle: String) throws -> (String) -> Bool {
  guard let exists = (step["exists"] ?? []).array else {
    throw UnreadableVector("exists is not a list")
  }
  return { exists.contains(.string("\(bundle)/\($0)")) }
}

private func bootedOf(_ machine: Machine, step: JsonValue, bundle: String) throws -> BootTarget {
  if let booted = step["booted"] { return try targetOf(booted) }
  return machine.served[bundle] ?? machine.state?.pending[bundle].map(BootTarget.version)
    ?? .embedded
}

/// A target, or just its version.
private func targetOf(_ value: JsonValue) throws -> BootTarget {
  let isObject = value.object != nil
  let kind = isObject ? value["kind"] : "version"
  let version = isObject ? value["version"] : value
  if kind == "embedded" || version == "embedded" { return .embedded }
  guard kind == "version", let version = textOf(version) else {
    throw UnreadableVector("booted is neither a version nor a target")
  }
  return .version(version)
}

/// A value without its empty maps and lists, its members in order: what is compared.
private func withoutEmpty(_ value: JsonValue?) -> JsonValue {
  kept(value) ?? [:]
}

private func kept(_ value: JsonValue?) -> JsonValue? {
  switch value {
  case .array(let items):
    return items.isEmpty ? nil : .array(items.map(withoutEmpty))
  case .object(let members):
    let full = members.sorted().compactMap { key, value in
      kept(value).map { (key: key, value: $0) }
    }
    return full.isEmpty ? nil : .object(JsonObject(full))
  default: return value
  }
}
