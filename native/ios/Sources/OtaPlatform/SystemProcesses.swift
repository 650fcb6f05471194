import Foundation

/// This process's id.
public let processId = Int(ProcessInfo.processInfo.processIdentifier)

/// Whether a process of this app is running, by the signal that does nothing.
///
/// Only processes of the app can write to its folder, and the sandbox lets an app signal no others: where it
/// answers `EPERM`, the system has given the id to another app's process (DEV-57).
public func isAlive(_ pid: Int) -> Bool {
  guard pid > 0, let id = pid_t(exactly: pid) else { return false }
  return kill(id, 0) == 0
}
