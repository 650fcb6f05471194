import Foundation
import SlipwayOtaCore

/// The line to the process that drives this program: JSON objects, one a line, both ways.
final class Line: Sendable {
  private struct State {
    var calls = 0
    var waiting: [Int: @Sendable (JsonValue) -> Void] = [:]
  }

  private let state = Locked(State())
  private let output = NSLock()

  func send(_ message: JsonValue) {
    let bytes = jsonBytes(message) + [UInt8(ascii: "\n")]
    output.withLock {
      bytes.withUnsafeBytes { all in
        var sent = 0
        while sent < all.count {
          let count = write(1, all.baseAddress?.advanced(by: sent), all.count - sent)
          if count < 0 && errno != EINTR { exit(1) }  // the reader is gone
          sent += max(count, 0)
        }
      }
    }
  }

  /// Asks the other end, and waits for what it returns.
  ///
  /// - Parameter cancel: Gives the call up, at both ends.
  /// - Throws: `Refusal`, or `Cancelled`.
  func call(_ port: String, method: String, args: JsonValue, cancel: Cancel? = nil) throws
    -> JsonValue
  {
    let answered = DispatchSemaphore(value: 0)
    let returned = Locked(JsonValue.null)
    let id = state.withLock { state in
      state.calls += 1
      state.waiting[state.calls] = { value in
        returned.withLock { $0 = value }
        answered.signal()
      }
      return state.calls
    }
    send([
      "call": .integer(id), "port": .string(port), "method": .string(method), "args": args,
    ])
    let giveUp = cancel?.onCancel { self.send(["cancel": .integer(id)]) }
    answered.wait()  // a cancelled request is answered immediately
    if let giveUp { cancel?.forget(giveUp) }
    let answer = returned.withLock(\.self)
    guard let error = answer["error"] else { return answer["value"] ?? .null }
    try cancel?.throwIfCancelled()
    throw Refusal(
      code: error["code"]?.text ?? "", path: error["path"]?.text ?? "",
      message: error["message"]?.text ?? "")
  }

  /// Takes what the other end returned.
  func take(_ id: Int, answer: JsonValue) {
    state.withLock { $0.waiting.removeValue(forKey: id) }?(answer)
  }

  /// Reads messages until the other end closes the line.
  func read(_ hear: (JsonValue) -> Void) {
    var begun: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 256 * 1024)
    while true {
      let count = Foundation.read(0, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return }
      var rest = piece[..<count]
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        begun += rest[..<end]
        rest = rest[(end + 1)...]
        if let message = parseJson(begun) { hear(message) } else { complain(begun) }
        begun.removeAll(keepingCapacity: begun.count < piece.count)
      }
      begun += rest
    }
  }

  private func complain(_ line: [UInt8]) {
    let found = String(decoding: line.prefix(200), as: UTF8.self)
    FileHandle.standardError.write(Data("Found a line that is not JSON: \(found)\n".utf8))
  }
}

/// A port call that the other end refused.
struct Refusal: Error {
  let code: String
  let path: String
  let message: String
}
