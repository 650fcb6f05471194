import Foundation
import SlipwayOtaCore

/// A vector that breaks the format: the runner ends with 2.
struct UnreadableVector: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

/// A scenario of any kind.
struct Scenario {
  /// The file that it stands in.
  let file: String
  /// A text.
  let id: JsonValue
  let kind: String
  let steps: [JsonValue]
}

/// Reads scenarios from a file, or from all `.json` files below a folder but those of `schema/`.
func readScenarios(_ path: String) throws -> [Scenario] {
  try vectorFiles(path).flatMap { file in
    do {
      guard let bytes = FileManager.default.contents(atPath: file) else {
        throw UnreadableVector("no such file")
      }
      // As people's tools read: what is not UTF-8 becomes U+FFFD.
      let content = try readPlainJson(Array(String(decoding: bytes, as: UTF8.self).utf8))
      return try (content.array ?? [content]).map { try parseScenario(file, value: $0) }
    } catch let refusal as JsonRefusal {
      throw UnreadableVector("Cannot read \(file): \(refusal.message)")
    } catch let thrown as UnreadableVector {
      throw UnreadableVector("Cannot read \(file): \(thrown.message)")
    }
  }
}

private func vectorFiles(_ path: String) throws -> [String] {
  guard let isFolder = isFolder(path) else {
    throw UnreadableVector("Cannot read \(path): no such file")
  }
  if !isFolder { return [path] }
  let names = try FileManager.default.contentsOfDirectory(atPath: path)
  return try names.sorted(by: isBefore).flatMap { name -> [String] in
    let inner = path.hasSuffix("/") ? path + name : "\(path)/\(name)"
    let isTaken = Replay.isFolder(inner) == true ? name != "schema" : name.hasSuffix(".json")
    return isTaken ? try vectorFiles(inner) : []
  }
}

/// Through links; `nil` when nothing is there.
private func isFolder(_ path: String) -> Bool? {
  var isFolder: ObjCBool = false
  return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    ? isFolder.boolValue : nil
}

private func parseScenario(_ file: String, value: JsonValue) throws -> Scenario {
  guard value.object != nil else { throw UnreadableVector("a scenario is not an object") }
  guard let id = value["id"], textOf(id) != nil else { throw UnreadableVector("a scenario has no id") }
  guard let kind = (value["kind"] ?? "boot").text else {
    throw UnreadableVector("\(jsonText(id)): kind is not text")
  }
  guard let steps = value[kind == "boot" ? "steps" : "cases"]?.array else {
    throw UnreadableVector("\(jsonText(id)): it has neither steps nor cases")
  }
  return Scenario(file: file, id: id, kind: kind, steps: steps)
}
