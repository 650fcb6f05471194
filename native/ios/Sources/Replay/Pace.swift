// When a transfer is too slow to be waited for. It is the web view that decides so, in TypeScript
// (lib/ota-client/pace.ts); here it is that every kind of vector can be replayed.

/// A transfer so far: times in milliseconds that the device was awake.
struct Pace {
  /// Since it began.
  let awakeMs: Int
  /// Since its last piece.
  let idleMs: Int
  /// Bytes that came.
  let bytes: Int
  /// Whether bytes are still to come; what a device does without any is not slow.
  let isLoading: Bool
}

/// From here on the mean counts, in milliseconds: a connection that was just made says little.
private let meanFromMs = 60_000

/// The slowest mean at which a record is read, in bytes a second.
private let readBytesPerSecond = 512

/// The slowest mean at which a game waits for an update, in bytes a second.
private let holdBytesPerSecond = 4096

/// Whether a record is read on (CHECK-10).
func mayRead(_ pace: Pace, deadlineMs: Int) -> Bool {
  pace.idleMs < deadlineMs && !isBelow(readBytesPerSecond, pace)
}

/// Whether a game that could start waits on for a mandatory update (CHECK-11).
func mayHold(_ hold: Pace, holdMs: Int) -> Bool {
  hold.awakeMs < holdMs && !(hold.isLoading && isBelow(holdBytesPerSecond, hold))
}

private func isBelow(_ bytesPerSecond: Int, _ pace: Pace) -> Bool {
  pace.awakeMs >= meanFromMs && Double(pace.bytes) * 1000 < Double(bytesPerSecond) * Double(pace.awakeMs)
}
