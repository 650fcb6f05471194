import Foundation
import SlipwayOtaCore

// Replays vectors with the Swift core (vectors/INTERPRETING.md).

func replay(_ scenario: Scenario) throws -> (ok: Bool, steps: [JsonValue]) {
  do {
    return scenario.kind == "boot"
      ? try replayBoot(scenario.steps) : try replayCases(scenario.kind, cases: scenario.steps)
  } catch let thrown as UnreadableVector {
    throw UnreadableVector("Cannot read \(scenario.file), \(jsonText(scenario.id)): \(thrown.message)")
  }
}

func refuse(_ message: String) -> Never {
  fflush(nil)  // all streams: Swift 6 takes the variable `stdout` for shared state
  FileHandle.standardError.write(Data("error: \(message)\n".utf8))
  exit(2)
}

let paths = CommandLine.arguments.dropFirst()
if paths.isEmpty { refuse("No path is given: expected files or folders of vectors") }
var passed = 0
var failed = 0
do {
  for scenario in try paths.flatMap(readScenarios) {
    let outcome = try replay(scenario)
    print(
      jsonText([
        "id": scenario.id, "ok": .bool(outcome.ok), "steps": .array(outcome.steps),
      ])
    )
    if outcome.ok { passed += 1 } else { failed += 1 }
  }
} catch let thrown as UnreadableVector {
  refuse(thrown.message)
}
print("\(passed) passed, \(failed) failed")
exit(failed == 0 ? 0 : 1)
