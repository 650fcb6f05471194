import Foundation
import SlipwayOtaCore

/// The disk and the clock of the other end, as it reports them ahead: asking takes longer than all that a
/// device makes of it. What is not plain (`nil`) is asked: a file that is no folder says so itself.
final class Told: Sendable {
  /// A path: the bytes of a file, or a folder, and when it changed, in milliseconds.
  private enum Entry {
    case file([UInt8], mtimeMs: Double)
    case folder(mtimeMs: Double)
  }

  private struct State {
    var entries: [String: Entry] = ["": .folder(mtimeMs: 0)]  // by path, the root's without its slash
    var time = (now: 0.0, monotonic: 0.0)

    mutating func removeAll(below path: String) {
      for other in entries.keys.filter({ $0.hasPrefix("\(path)/") }) { entries[other] = nil }
    }
  }

  private let state: Locked<State>

  /// Begins with what the device before was told; with nothing where there was none.
  init(after before: Told?) {
    state = Locked(before.map { $0.state.withLock { $0 } } ?? State())
  }

  /// Time of the clock.
  var time: (now: Double, monotonic: Double) { state.withLock(\.time) }

  /// Takes in what has changed: a file as `[base64, time]`, a folder as `[true, time]`, or `null`.
  func take(_ told: JsonValue) {
    state.withLock { state in
      for (path, value) in told["files"]?.object?.members ?? [] {
        let isFolder = value.array?.first == JsonValue.bool(true)
        if case .folder? = state.entries[path], !isFolder { state.removeAll(below: path) }
        state.entries[path] = entryOf(value)
      }
      state.time.now = told["now"]?.number ?? state.time.now
      state.time.monotonic = told["monotonic"]?.number ?? state.time.monotonic
    }
  }

  private func entryOf(_ value: JsonValue) -> Entry? {
    guard let pair = value.array, let time = pair.last?.number else { return nil }
    return bytesOf(pair[0]).map { Entry.file($0, mtimeMs: time) } ?? Entry.folder(mtimeMs: time)
  }

  private func entry(_ path: String) -> Entry? {
    state.withLock { $0.entries[path.hasSuffix("/") ? String(path.dropLast()) : path] }
  }

  /// Facts about what is there; `.some(nil)` when nothing is.
  func stat(_ path: String) -> FileStat?? {
    switch entry(path) {
    case .file(let bytes, let time): return FileStat(kind: .file, size: bytes.count, mtimeMs: time)
    case .folder(let time): return FileStat(kind: .directory, size: 0, mtimeMs: time)
    case nil: return .some(nil)
    }
  }

  /// The bytes of a file; `.some(nil)` when nothing is there.
  func bytes(_ path: String) -> [UInt8]?? {
    switch entry(path) {
    case .file(let bytes, _): return bytes
    case .folder: return nil
    case nil: return .some(nil)
    }
  }

  /// The entries of a folder in order; `.some(nil)` when nothing is there.
  func list(_ directory: String) -> [DirectoryEntry]?? {
    switch entry(directory) {
    case .file: return nil
    case nil: return .some(nil)
    case .folder: break
    }
    let start = directory.hasSuffix("/") ? directory : "\(directory)/"
    return state.withLock(\.entries).compactMap { path, entry in
      guard path.hasPrefix(start) else { return nil }
      let name = path.dropFirst(start.count)
      guard !name.isEmpty && !name.contains("/") else { return nil }
      if case .folder = entry { return DirectoryEntry(name: String(name), kind: .directory) }
      return DirectoryEntry(name: String(name), kind: .file)
    }.sorted { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
  }
}

/// The bytes of a file that was told, as one piece.
final class ToldChunks: ChunkSource {
  private var rest: [UInt8]?

  init(_ bytes: [UInt8]) {
    rest = bytes.isEmpty ? nil : bytes
  }

  func next() -> [UInt8]? {
    defer { rest = nil }
    return rest
  }

  func close() {
    rest = nil
  }
}
