import Foundation

// Two processes of one app may share a root: what is being written carries the id of its process.

/// Identifies this process. Without it, a lock is watched until it is stale.
public struct ProcessOptions: Sendable {
  /// This process's id.
  let pid: Int?
  /// Whether a process still runs: what a killed one holds is taken over at once.
  let isAlive: (@Sendable (Int) -> Bool)?

  public init(pid: Int?, isAlive: (@Sendable (Int) -> Bool)?) {
    self.pid = pid
    self.isAlive = isAlive
  }
}

/// A random id, after that of this process: `<pid>-<24 hex digits>`, or the digits alone.
func processId(_ options: ProcessOptions) -> String {
  options.pid.map { "\($0)-\(randomId())" } ?? randomId()
}

/// Whether another process that lives drew that id.
func isOthers(_ id: String, options: ProcessOptions) -> Bool {
  guard let pid = pidOf(id), pid != options.pid, let isAlive = options.isAlive else { return false }
  return isAlive(pid)
}

/// Tokens of the locks of this process, whichever device took them.
private let ownTokens = Locked<Set<String>>([])

/// Owners of a lock that one device takes again and again, never twice at the same time.
func lockOwners(_ options: ProcessOptions) -> @Sendable () -> LockOwner {
  let last = Locked<String?>(nil)  // not "": so a lock reads that another is just writing
  return {
    let token = "\(processId(options))-\(UUID().uuidString.lowercased())"
    let before = last.withLock { last in
      defer { last = token }
      return last  // still there only when it could not be given back
    }
    ownTokens.withLock { tokens in
      if let before { tokens.remove(before) }
      tokens.insert(token)
    }
    return LockOwner(token: token) { other in
      if other == before { return true }
      guard let pid = pidOf(other) else { return false }
      // Ids come back: what this process did not draw under its own is of a dead one (DEV-57).
      if pid == options.pid { return !ownTokens.withLock { $0.contains(other) } }
      return options.isAlive?(pid) == false
    }
  }
}

/// The process that drew an id; 0, which no process has, for a number that none could have.
private func pidOf(_ id: String) -> Int? {
  guard let dash = id.utf8.firstIndex(of: UInt8(ascii: "-")), dash > id.startIndex else {
    return nil
  }
  let digits = id.utf8[..<dash]
  return digits.allSatisfy(isDigit) ? Int(String(digits) ?? "") ?? 0 : nil
}
