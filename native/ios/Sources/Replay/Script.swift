import Foundation
import SlipwayOtaCore
import SlipwayOtaPlatform

/// A network that answers by a script.
final class ScriptedHttp: Http {
  private let script: JsonObject
  private let requests = Locked<[(url: String, line: String)]>([])

  init(_ script: JsonObject) { self.script = script }

  /// Requests in the order in which they came: address, range, condition.
  var asked: [String] { requests.withLock { $0.map(\.line) } }

  func open(_ url: String, headers: [String: String], timeoutMs: Int, cancel: Cancel) throws
    -> HttpResponse
  {
    let conditions = ["range", "if-range"].compactMap { name in
      headers.first { $0.key.lowercased() == name }?.value
    }
    let turn = requests.withLock { requests in
      requests.append((url, ([url] + conditions).joined(separator: " ")))
      return requests.filter { $0.url == url }.count
    }
    guard let answers = script[url]?.array, !answers.isEmpty else {
      throw FetchError("nothing answers \(url)")
    }
    let response = ScriptedResponse(url, answer: answers[min(turn, answers.count) - 1])
    if response.status == 0 { try response.end(timeoutMs) }
    return response
  }
}

/// One answer, with its body as far as it comes.
private final class ScriptedResponse: HttpResponse {
  let status: Int
  let url: String
  private let answer: JsonValue
  private var body: [UInt8]

  init(_ url: String, answer: JsonValue) {
    self.answer = answer
    self.url = answer["url"]?.text ?? url
    status = answer["status"]?.integer ?? 0
    body = Data(base64Encoded: answer["body"]?.text ?? "").map(Array.init) ?? []
  }

  func header(_ name: String) -> String? {
    answer["headers"]?.object?.first { $0.key.lowercased() == name.lowercased() }?.value.text
  }

  func read(timeoutMs: Int) throws -> [UInt8]? {
    if [204, 304].contains(status) { return nil }
    defer { body = [] }
    if body.isEmpty { try end(timeoutMs) }
    return body.isEmpty ? nil : body
  }

  func close() {}

  /// Gives what comes behind the body, or in place of an answer.
  func end(_ timeoutMs: Int) throws {
    switch answer["ending"]?.text {
    case "lost": throw FetchError("the connection was lost")
    case "stall": throw TimeoutError(timeoutMs: timeoutMs)
    default: break
    }
  }
}

/// A clock on which every pause is over at once.
final class ImpatientClock: Clock {
  private let pauses = Locked<[Double]>([])

  func now() -> Double { 0 }

  func monotonic() -> Double { 0 }

  func sleep(ms: Double, cancel: Cancel?) throws {
    pauses.withLock { $0.append(ms) }
  }

  /// Whether there were as many pauses as there are bounds, each within its own.
  func waited(within bounds: JsonValue) throws -> Bool {
    guard let bounds = bounds.array else { throw UnreadableVector("pauses is not a list") }
    let pauses = pauses.withLock(\.self)
    return pauses.count == bounds.count
      && zip(pauses, bounds).allSatisfy { pause, bound in
        guard let ends = bound.array, ends.count == 2, let minimum = ends[0].number,
          let maximum = ends[1].number
        else { return false }
        return pause >= minimum && pause <= maximum
      }
  }
}

/// The disk of this machine, which may say that so many bytes are free.
final class ScriptedFiles: Files {
  private let disk = PosixFiles()
  private let free: Int?

  init(free: Int?) { self.free = free }

  func stat(_ path: String) throws -> FileStat? { try disk.stat(path) }
  func list(_ directory: String) throws -> [DirectoryEntry]? { try disk.list(directory) }
  func read(_ path: String, maxBytes: Int) throws -> [UInt8]? {
    try disk.read(path, maxBytes: maxBytes)
  }
  func openRead(_ path: String) throws -> ChunkSource? { try disk.openRead(path) }
  func readRange(_ path: String, offset: Int, length: Int) throws -> [UInt8]? {
    try disk.readRange(path, offset: offset, length: length)
  }
  func write(_ path: String, body: FileBody, createNew: Bool, sync: Bool) throws {
    try disk.write(path, body: body, createNew: createNew, sync: sync)
  }
  func writeAtomic(_ path: String, bytes: [UInt8]) throws { try disk.writeAtomic(path, bytes: bytes) }
  func append(_ path: String, bytes: [UInt8]) throws { try disk.append(path, bytes: bytes) }
  func makeDirectory(_ path: String) throws { try disk.makeDirectory(path) }
  func rename(_ from: String, to: String) throws { try disk.rename(from, to: to) }
  func link(_ from: String, to: String) throws { try disk.link(from, to: to) }
  func remove(_ path: String) throws { try disk.remove(path) }
  func sync(_ path: String) throws { try disk.sync(path) }
  func freeSpace(_ path: String) throws -> Int { try free ?? disk.freeSpace(path) }
}
