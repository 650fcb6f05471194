import Foundation

// An app with the plugin in it, over the fakes, driven over JSON lines: each line is one step of its
// life, `[verb, argument…]`, and is answered by what came of it (tests/native/ios-bridge.test.ts).

signal(SIGPIPE, SIG_IGN)
try MainActor.assumeIsolated {
  let app = App()
  while let line = readLine() {
    guard let step = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [Any] else { exit(2) }
    let told = try JSONSerialization.data(withJSONObject: app.take(step), options: .sortedKeys)
    print(String(decoding: told, as: UTF8.self))
    fflush(nil)  // all streams: Swift 6 takes the variable `stdout` for shared state
  }
}
