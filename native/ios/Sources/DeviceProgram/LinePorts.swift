import Foundation
import SlipwayOtaCore

// Ports that are asked of the other end of the line: a test's own disk, network and time.

final class LineFiles: Files {
  private let line: Line
  private let told: Told?

  init(_ line: Line, told: Told?) {
    self.line = line
    self.told = told
  }

  func stat(_ path: String) throws -> FileStat? {
    if let known = told?.stat(path) { return known }
    let found = try ask("stat", args: ["path": .string(path)])
    guard let kind = found["kind"]?.text.flatMap(FileKind.init) else { return nil }
    return FileStat(
      kind: kind, size: found["size"]?.integer ?? 0, mtimeMs: found["mtimeMs"]?.number ?? 0,
      changedMs: found["changedMs"]?.number, inode: found["inode"]?.integer.map(UInt64.init))
  }

  func list(_ directory: String) throws -> [DirectoryEntry]? {
    if let known = told?.list(directory) { return known }
    return try ask("list", args: ["path": .string(directory)]).array?.compactMap { entry in
      guard let name = entry["name"]?.text, let kind = entry["kind"]?.text.flatMap(FileKind.init)
      else { return nil }
      return DirectoryEntry(name: name, kind: kind)
    }
  }

  func read(_ path: String, maxBytes: Int) throws -> [UInt8]? {
    if let known = told?.bytes(path), known?.count ?? 0 <= maxBytes { return known }
    return bytesOf(try ask("read", args: ["path": .string(path), "maxBytes": .integer(maxBytes)]))
  }

  func openRead(_ path: String) throws -> ChunkSource? {
    if let known = told?.bytes(path) { return known.map(ToldChunks.init) }
    let handle = try ask("openRead", args: ["path": .string(path)])
    return handle == .null ? nil : LineChunks(self, handle: handle)
  }

  func readRange(_ path: String, offset: Int, length: Int) throws -> [UInt8]? {
    if let known = told?.bytes(path) { return known.map { Array($0.dropFirst(offset).prefix(length)) } }
    let args: JsonValue = [
      "path": .string(path), "offset": .integer(offset), "length": .integer(length),
    ]
    return bytesOf(try ask("readRange", args: args))
  }

  func write(_ path: String, body: FileBody, createNew: Bool, sync: Bool) throws {
    var bytes: [UInt8] = []
    switch body {
    case .bytes(let whole): bytes = whole
    case .chunks(let source):
      defer { source.close() }
      while let piece = try source.next() { bytes += piece }
    }
    let args: JsonValue = [
      "path": .string(path), "body": coded(bytes), "createNew": .bool(createNew),
      "sync": .bool(sync),
    ]
    _ = try ask("write", args: args)
  }

  func writeAtomic(_ path: String, bytes: [UInt8]) throws {
    _ = try ask("writeAtomic", args: ["path": .string(path), "body": coded(bytes)])
  }

  func append(_ path: String, bytes: [UInt8]) throws {
    _ = try ask("append", args: ["path": .string(path), "body": coded(bytes)])
  }

  func makeDirectory(_ path: String) throws {
    _ = try ask("makeDirectory", args: ["path": .string(path)])
  }

  func rename(_ from: String, to: String) throws {
    _ = try ask("rename", args: ["from": .string(from), "to": .string(to)])
  }

  func link(_ from: String, to: String) throws {
    _ = try ask("link", args: ["from": .string(from), "to": .string(to)])
  }

  func remove(_ path: String) throws {
    _ = try ask("remove", args: ["path": .string(path)])
  }

  func sync(_ path: String) throws {
    _ = try ask("sync", args: ["path": .string(path)])
  }

  func freeSpace(_ path: String) throws -> Int {
    let bytes = try ask("freeSpace", args: ["path": .string(path)]).number ?? 0
    return Int(exactly: bytes.rounded(.down)) ?? Int.max
  }

  fileprivate func ask(_ method: String, args: JsonValue) throws -> JsonValue {
    do {
      return try line.call("files", method: method, args: args)
    } catch let refusal as Refusal {
      let code = FileErrorCode(rawValue: refusal.code) ?? .other
      throw FileError(code, path: refusal.path, message: refusal.message)
    }
  }
}

private final class LineChunks: ChunkSource {
  private let files: LineFiles
  private let handle: JsonValue

  init(_ files: LineFiles, handle: JsonValue) {
    self.files = files
    self.handle = handle
  }

  func next() throws -> [UInt8]? {
    bytesOf(try files.ask("readChunk", args: ["handle": handle]))
  }

  func close() {
    _ = try? files.ask("closeRead", args: ["handle": handle])
  }
}

final class LineHttp: Http {
  private let line: Line

  init(_ line: Line) {
    self.line = line
  }

  func open(_ url: String, headers: [String: String], timeoutMs: Int, cancel: Cancel) throws
    -> HttpResponse
  {
    var named = JsonObject()
    for (name, value) in headers { named[name] = .string(value) }
    let args: JsonValue = [
      "url": .string(url), "headers": .object(named), "timeoutMs": .integer(timeoutMs),
    ]
    let opened = try askNetwork(line, method: "open", args: args, timeoutMs: timeoutMs, cancel: cancel)
    return LineResponse(line, opened: opened, cancel: cancel)
  }
}

private final class LineResponse: HttpResponse {
  let status: Int
  let url: String
  private let line: Line
  private let stream: JsonValue
  private let headers: JsonObject
  private let cancel: Cancel

  init(_ line: Line, opened: JsonValue, cancel: Cancel) {
    self.line = line
    self.cancel = cancel
    status = opened["status"]?.integer ?? 0
    url = opened["url"]?.text ?? ""
    stream = opened["stream"] ?? .null
    headers = opened["headers"]?.object ?? [:]
  }

  func header(_ name: String) -> String? {
    headers[name.lowercased()]?.text
  }

  func read(timeoutMs: Int) throws -> [UInt8]? {
    let args: JsonValue = ["stream": stream, "timeoutMs": .integer(timeoutMs)]
    while true {  // a network may bring an empty piece
      guard
        let piece = bytesOf(
          try askNetwork(line, method: "read", args: args, timeoutMs: timeoutMs, cancel: cancel))
      else {
        return nil
      }
      if !piece.isEmpty { return piece }
    }
  }

  func close() {
    _ = try? line.call("http", method: "close", args: ["stream": stream])
  }
}

private func askNetwork(
  _ line: Line, method: String, args: JsonValue, timeoutMs: Int, cancel: Cancel
) throws -> JsonValue {
  do {
    try cancel.throwIfCancelled()
    return try line.call("http", method: method, args: args, cancel: cancel)
  } catch let refusal as Refusal {
    if refusal.code == "timeout" { throw TimeoutError(timeoutMs: timeoutMs) }
    throw FetchError(refusal.message)
  }
}

final class LineClock: Clock {
  private let line: Line
  private let told: Told?

  init(_ line: Line, told: Told?) {
    self.line = line
    self.told = told
  }

  func now() -> Double {
    if let told { return told.time.now }
    return (try? line.call("clock", method: "now", args: [:]))?.number ?? 0
  }

  func monotonic() -> Double {
    if let told { return told.time.monotonic }
    return (try? line.call("clock", method: "monotonic", args: [:]))?.number ?? 0
  }

  func sleep(ms: Double, cancel: Cancel?) throws {
    try cancel?.throwIfCancelled()
    _ = try line.call("clock", method: "sleep", args: ["ms": .number(ms)], cancel: cancel)
  }
}

private func coded(_ bytes: [UInt8]) -> JsonValue {
  .string(Data(bytes).base64EncodedString())
}

func bytesOf(_ value: JsonValue) -> [UInt8]? {
  value.text.flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) }
}
