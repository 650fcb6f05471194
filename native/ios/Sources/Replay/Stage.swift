import Foundation
import SlipwayOtaCore
import SlipwayOtaPlatform

/// Stages on a disk of its own, from a server that follows its script (INTERPRETING.md).
func replayStage(_ input: JsonValue) throws -> JsonValue {
  guard let script = input["server"]?.object else {
    throw UnreadableVector("server is not an object")
  }
  let folder = temporaryFolder() + "/slipway-replay-\(UUID().uuidString)"
  let files = ScriptedFiles(free: input["free"]?.integer)
  defer { try? files.remove(folder) }
  let root = "\(folder)/root"
  try writeTree(files, folder: root, tree: input["disk"])
  try writeTree(files, folder: "\(folder)/embedded", tree: input["embedded"])
  guard let operation = input["op"]?.text,
    ["stageUpdate", "stageUpdateDelta"].contains(operation)
  else {
    throw UnreadableVector("op \(input["op"].map { jsonText($0) } ?? "undefined") is not a staging")
  }
  let (server, clock) = (ScriptedHttp(script), ImpatientClock())
  var options = DeviceOptions(
    files: files, http: server, hashing: SystemHashing(), ed25519: SystemEd25519(),
    inflating: SystemInflating(), clock: clock, root: root
  )
  options.embedded = "\(folder)/embedded"
  options.processes = ProcessOptions(pid: SlipwayOtaPlatform.processId, isAlive: SlipwayOtaPlatform.isAlive)
  let result = answerOf(Device(options) { _ in }, operation: operation, request: input["request"] ?? .null)
  var outcome: JsonObject = ["ok": result["ok"] ?? .null]
  outcome["code"] = result["code"]
  outcome["asked"] = .array(server.asked.map(JsonValue.string))
  if let pauses = input["pauses"] { outcome["waited"] = .bool(try clock.waited(within: pauses)) }
  let found = try filesIn(files, folder: root).sorted(by: isBefore)
  outcome["files"] = .array(found.map(JsonValue.string))
  return .object(outcome)
}

/// In memory where the system has ample room there: on a disk each file that is staged waits until it
/// is written, which takes most of the time of a replay.
private func temporaryFolder() -> String {
  let (memory, ample) = ("/dev/shm", 1 << 30)
  guard FileManager.default.isWritableFile(atPath: memory),
    let free = try? PosixFiles().freeSpace(memory), free >= ample
  else { return NSTemporaryDirectory() }
  return memory
}

private func answerOf(_ device: Device, operation: String, request: JsonValue) -> JsonValue {
  let ended = DispatchSemaphore(value: 0)
  let result = Locked(JsonValue.null)
  device.call(operation, request: request) { answer in
    if case .success(let value) = answer { result.withLock { $0 = value } }
    ended.signal()
  }
  ended.wait()
  return result.withLock(\.self)
}

/// Lays files below a folder.
private func writeTree(_ files: Files, folder: String, tree: JsonValue?) throws {
  try files.makeDirectory(folder)
  guard let tree = (tree ?? [:]).object else { throw UnreadableVector("a disk is not an object") }
  for (path, content) in tree {
    guard let text = textOf(content) else { throw UnreadableVector("\(path) is not text") }
    let file = "\(folder)/\(path)"
    try files.makeDirectory((file as NSString).deletingLastPathComponent)
    try files.write(file, bytes: Array(text.utf8))
  }
}

private let randomIds = try! NSRegularExpression(pattern: "(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])")

/// All that lies below a folder: path, a space, SHA-256.
private func filesIn(_ files: Files, folder: String, prefix: String = "") throws -> [String] {
  try (files.list("\(folder)/\(prefix)") ?? []).flatMap { entry -> [String] in
    let path = prefix + entry.name
    if entry.kind == .directory { return try filesIn(files, folder: folder, prefix: "\(path)/") }
    let bytes = try files.read("\(folder)/\(path)", maxBytes: 1 << 24) ?? []
    let range = NSRange(path.startIndex..., in: path)
    let shown = randomIds.stringByReplacingMatches(in: path, range: range, withTemplate: "<id>")
    return ["\(shown) \(SystemHashing().sha256Hex(bytes))"]
  }
}
