import Foundation

/// An owner that holds the lock this long, in milliseconds, counts as dead: the guarded work takes a few.
private let staleMs: Double = 5_000
/// The same for half a token: one that is just being written, or that a power cut tore.
private let tornLockMs: Double = 1_000
private let retryMs: Double = 20
/// The longest wait, in milliseconds: other processes keep taking the lock, or their tokens are equal.
private let lockTimeoutMs = 60_000

/// The files of a lock.
struct LockFiles {
  /// A whole file, or `nil` when it is not there.
  let read: (_ path: String, _ maxBytes: Int) throws -> [UInt8]?
  /// Writes a new file, `exists` where one is there.
  let create: (_ path: String, _ bytes: [UInt8]) throws -> Void
  /// Removes a file; missing is fine.
  let remove: (_ path: String) throws -> Void
}

/// Owner of a lock.
struct LockOwner {
  /// A token that no other owner ever has: a UUID, after hex digits and `-`.
  let token: String
  /// Whether the process that wrote this token has ended, so that its lock need not be waited for.
  let isGone: (String) -> Bool
}

/// A lock that is a file: of several writers one holds it.
///
/// A lock whose owner died is taken over by exactly one of those who wait: the one that creates the
/// file named after the dead owner's token.
struct FileLock {
  let files: LockFiles
  let clock: Clock
  let owner: LockOwner
  let path: String
  /// The longest that the lock is waited for, in milliseconds.
  var timeoutMs = lockTimeoutMs

  /// Runs `work` while this writer alone holds the file. `work` gets a function that tells whether the
  /// lock is still its own, to be asked right before what must not happen twice.
  func hold<T>(_ work: (_ isStillHeld: @escaping () throws -> Bool) throws -> T) throws -> T {
    let began = clock.monotonic()
    var watch = Watch(clock: clock, isGone: owner.isGone)
    while !(try create(path)) {
      guard let holder = try ownerOf(path) else { continue }  // given back just now
      if watch.isSilent(path, text: holder) { try removeDeadLock(holder, watch: &watch) }
      if clock.monotonic() - began > Double(timeoutMs) {
        throw FileError(.busy, path: path, message: "\(path) stayed locked for \(timeoutMs / 1000) s")
      }
      try clock.sleep(ms: retryMs * Double.random(in: 0.5..<1.5), cancel: nil)
    }
    let isStillHeld = { try ownerOf(path) == owner.token }
    // If the lock cannot be released, the process that waits next takes it over when it has become stale.
    defer { if (try? isStillHeld()) == true { try? files.remove(path) } }
    return try work(isStillHeld)
  }

  /// Takes a dead owner's lock away; of several that try, one does.
  private func removeDeadLock(_ dead: String, watch: inout Watch) throws {
    let claim = "\(path).\(isToken(dead) ? dead : "damaged")"
    guard try create(claim) else {
      if let claimer = try ownerOf(claim), watch.isSilent(claim, text: claimer) {
        try files.remove(claim)
      }
      return
    }
    if try ownerOf(path) == dead { try files.remove(path) }
    if try ownerOf(claim) == owner.token { try files.remove(claim) }
  }

  /// Writes the token into a new file; `false` where one is there.
  private func create(_ path: String) throws -> Bool {
    do {
      try files.create(path, Array(owner.token.utf8))
      return true
    } catch let error as FileError where error.code == .exists {
      return false
    }
  }

  private func ownerOf(_ path: String) throws -> String? {
    try files.read(path, 100).map { decodeUtf8($0) ?? "" }  // bytes that a power cut left have no owner
  }
}

/// Tells whether a file has held the same text for so long that who wrote it is taken for dead. By our
/// own monotonic clock: the times of files may be another machine's, or just wrong.
private struct Watch {
  let clock: Clock
  let isGone: (String) -> Bool
  private var seen: [String: (text: String, since: Double)] = [:]

  init(clock: Clock, isGone: @escaping (String) -> Bool) {
    self.clock = clock
    self.isGone = isGone
  }

  mutating func isSilent(_ path: String, text: String) -> Bool {
    if isGone(text) { return true }
    if let before = seen[path], before.text == text {
      return clock.monotonic() - before.since > (isToken(text) ? staleMs : tornLockMs)
    }
    seen[path] = (text, clock.monotonic())
    return false
  }
}

/// Whether a text is a UUID, alone or after hex digits and dashes that end in a dash.
private func isToken(_ text: String) -> Bool {
  let bytes = Array(text.utf8)
  let groups = bytes.suffix(36).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  let before = bytes.dropLast(36)
  return groups.map(\.count) == [8, 4, 4, 4, 12] && groups.joined().allSatisfy(isHexDigit)
    && (before.isEmpty || before.count > 1 && before.last == UInt8(ascii: "-"))
    && before.allSatisfy { isHexDigit($0) || $0 == UInt8(ascii: "-") }
}

func isHexDigit(_ byte: UInt8) -> Bool {
  isDigit(byte) || byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "f")
}
