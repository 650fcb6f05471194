import Foundation

/// This process's id.
public let processId = Int(ProcessInfo.processInfo.processIdentifier)

/// Whether a process of this machine still runs, by the signal that does nothing.
public func isAlive(_ pid: Int) -> Bool {
  guard pid > 0, let id = pid_t(exactly: pid) else { return false }
  // ESRCH alone says that nothing runs under the id; who may not ask is told EPERM.
  return kill(id, 0) == 0 || errno != ESRCH
}
