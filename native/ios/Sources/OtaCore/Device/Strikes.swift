// When the active version goes back on trial (DEV-50): three launches of it in a row that were not
// confirmed before the next one. TypeScript and Java count alike; `retrial` says what follows.

/// Launches without a confirmation that put the active version back on trial.
let maxStrikes = 3

/// Counts the strikes of a bundle at a launch that is recorded.
///
/// - Parameters:
///   - state: The state that the launch decides on.
///   - log: The log as the launch before left it.
///   - endedByUser: Whether the user ended the process of the launch before.
func countStrikes(_ name: String, _ state: BootState?, _ log: LaunchLog, endedByUser: Bool) -> Int {
  guard let active = state?.active[name], state?.pending[name] == nil,
    let last = log.launches[name], last.version == active, !last.counted
  else { return 0 }
  // It was to be on trial, and the power went before the state was written: due again (DEV-51).
  if last.attempt > 0 { return maxStrikes }
  let before = log.strikes[name] ?? 0
  return endedByUser ? before : before + 1
}

/// Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50).
func notesConfirmation(_ name: String, _ log: LaunchLog, _ state: BootState?) -> Bool {
  guard log.strikes[name] != nil, let launched = log.launches[name], !launched.counted else {
    return false
  }
  return launched.version == state?.active[name]
}
