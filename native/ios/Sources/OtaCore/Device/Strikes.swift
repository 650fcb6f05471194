// When the active version goes back on trial (DEV-50): three launches of it in a row that were not
// confirmed before the next one. TypeScript and Java count alike; `retrial` says what follows.

/// Launches without a confirmation that put the active version back on trial.
private let maxStrikes = 3

/// Launches in a row that are forgiven; after more, no player is impatient: the game does not come up.
private let maxForgiven = 6

/// Counts of the launches before this one.
struct Strikes {
  /// Launches in a row that were not confirmed.
  var count = 0
  /// Launches in a row that the user ended, and that are no strikes for that (DEV-55).
  var forgiven = 0

  /// Whether so many put the version back on trial.
  var isDue: Bool { count >= maxStrikes }

  /// Puts what the count of the next launch needs into the record of this one.
  func mark(_ launched: inout LaunchRecord, pid: Int?) {
    launched.pid = pid
    launched.forgiven = forgiven > 0 ? forgiven : nil
    // Without an attempt the files of what was due are gone: the version before it is served (BOOT-2).
    launched.retrial = isDue && launched.attempt > 0
  }
}

/// Counts the strikes of a bundle at a launch that is recorded.
///
/// - Parameters:
///   - state: The state that the launch decides on.
///   - log: The log as the launch before left it.
///   - endedByUser: Processes of the app that the user ended.
func countStrikes(of name: String, state: BootState?, log: LaunchLog, endedByUser: [Int])
  -> Strikes
{
  guard let active = state?.active[name], state?.pending[name] == nil,
    let last = log.launches[name], last.version == active, !last.counted
  else { return Strikes() }
  // It was to be on trial, and the state could not be written: due again (DEV-51).
  if last.retrial { return Strikes(count: maxStrikes) }
  let (count, forgiven) = (log.strikes[name] ?? 0, last.forgiven ?? 0)
  let isForgiven = last.pid.map(endedByUser.contains) == true && forgiven < maxForgiven
  return isForgiven
    ? Strikes(count: count, forgiven: forgiven + 1)
    : Strikes(count: count + 1, forgiven: forgiven)
}

/// The version that a trial of the active one may go back to: the one that was active before it. A
/// higher one was left for the active one by a release that went back, so it is not run again (DEV-56).
func versionBefore(_ name: String, state: BootState?, log: LaunchLog) -> String? {
  guard let active = state?.active[name], let before = log.previous[name] else { return nil }
  return isOlder(before, than: active) ? before : nil
}

/// Whether a confirmation of the active version is noted: its launch counted strikes (DEV-50).
func notesConfirmation(of name: String, log: LaunchLog, state: BootState?) -> Bool {
  guard log.strikes[name] != nil, let launched = log.launches[name], !launched.counted else {
    return false
  }
  return launched.version == state?.active[name]
}
