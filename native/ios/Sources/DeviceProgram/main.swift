import Foundation
import SlipwayOtaCore
import SlipwayOtaPlatform

// The device as a process, driven over JSON lines: so the suites of lib/ota-device run over this core,
// and a web view's calls can be bridged to it. tests/support/native-device.ts is the other end.

let line = Line()
var device: Device?
var cancel = Cancel()
var told: Told?

signal(SIGPIPE, SIG_IGN)
line.read { message in
  if message["open"] != nil { told = message["told"].map { _ in Told(after: told) } }
  if let changes = message["told"] { told?.take(changes) }
  if let returned = message["return"]?.integer {
    line.take(returned, answer: message)
  } else if let opening = message["open"] {
    device = open(opening)
  } else if let id = message["id"]?.integer, let operation = message["op"]?.text {
    let line = line
    run(operation, request: message["request"] ?? [:]) { result in
      switch result {
      case .success(let answer): line.send(["id": .integer(id), "answer": answer])
      case .failure(let error): line.send(["id": .integer(id), "error": errorJson(error)])
      }
    }
  }
}

@MainActor func open(_ opening: JsonValue) -> Device {
  let line = line
  let supplied = opening["supplies"]?.array?.compactMap(\.text) ?? []
  cancel = Cancel()
  var options = DeviceOptions(
    files: supplied.contains("files") ? LineFiles(line, told: told) : PosixFiles(),
    http: supplied.contains("http") ? LineHttp(line) : UrlSessionHttp(),
    hashing: SystemHashing(), ed25519: SystemEd25519(), inflating: SystemInflating(),
    clock: supplied.contains("clock") ? LineClock(line, told: told) : SystemClock(),
    root: opening["root"]?.text ?? "")
  options.embedded = opening["embedded"]?.text
  options.trusted = opening["publicKey"]?.text.map { publicKey in
    TrustedReleases(
      publicKey: publicKey, app: opening["app"]?.text, channel: opening["channel"]?.text)
  }
  options.backOnTrial = opening["backOnTrial"]?.bool ?? false
  options.stallMs = opening["stallMs"]?.integer ?? options.stallMs
  options.cancel = cancel
  let living = opening["isAlive"]?.array?.compactMap(\.integer)
  options.processes = ProcessOptions(
    pid: opening["pid"]?.integer ?? SlipwayOtaPlatform.processId,
    isAlive: living.map { living in { @Sendable in living.contains($0) } } ?? SlipwayOtaPlatform.isAlive)
  return Device(options) { line.send(["event": "otaProgress", "progress": $0.json]) }
}

@MainActor func run(_ operation: String, request: JsonValue, answer: @escaping Device.Answer) {
  if operation == "cancel" {
    cancel.cancel()
    return answer(.success(.null))
  }
  guard let device else { return answer(.failure(Misuse("Nothing is open: send `open` first"))) }
  let name = request["name"]?.text ?? ""
  switch operation {
  case "launch":
    let launching = LaunchRequest(
      name: name, binaryVersion: request["binaryVersion"]?.text,
      background: request["background"]?.bool ?? false,
      endedByUser: request["endedByUser"]?.array?.compactMap(\.integer) ?? [])
    device.launch(launching) { launched in
      let target = launched.target.json
      answer(
        .success([
          "target": target, "token": .string(launched.token), "script": .string(launched.script),
        ]))
    }
  case "confirmLaunch": device.confirmLaunch(name: name, answer: answer)
  case "folderOf":
    let version = request["target"]?["version"]?.text
    let folder = device.folderOf(name, target: version.map(BootTarget.version) ?? .embedded)
    answer(.success(.text(folder)))
  default:
    if !device.call(operation, request: request, answer: answer) {
      answer(.failure(Misuse("The device has no \(operation)")))
    }
  }
}

func errorJson(_ error: Error) -> JsonValue {
  let code = (error as? StageError)?.code.rawValue ?? (error as? FileError)?.code.rawValue
  return ["code": .string(code ?? "other"), "message": .string("\(error)")]
}

/// A line that this program cannot do anything with.
struct Misuse: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
