import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Functions of Apple's C library and Foundation that Linux lacks.

let F_FULLFSYNC: Int32 = 51
let F_BARRIERFSYNC: Int32 = 85

/// Flushes of the process, in order.
final class Flushes: Sendable {
  static let all = Flushes()

  private struct State {
    var paths: [(command: Int32, path: String)] = []
    /// Commands that the disk does not know.
    var unknown: Set<Int32> = []
  }

  private let state = Locked(State())

  func forget(unknown: Set<Int32>) {
    state.withLock { $0 = State(unknown: unknown) }
  }

  /// Flushes as `<command> <path>`.
  var lines: [String] {
    state.withLock(\.paths).map { "\($0.command == F_FULLFSYNC ? "full" : "barrier") \($0.path)" }
  }

  /// Flushes as the drive does; `ENOTSUP` if it cannot.
  func flush(_ descriptor: Int32, _ command: Int32) -> Int32 {
    state.withLock { state in
      if state.unknown.contains(command) {
        errno = ENOTSUP
        return -1
      }
      let link = "/proc/self/fd/\(descriptor)"
      let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? "?"
      state.paths.append((command, path))
      return fsync(descriptor)
    }
  }
}

func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
  Flushes.all.flush(descriptor, command)
}

extension stat {
  var st_mtimespec: timespec { st_mtim }
  var st_ctimespec: timespec { st_ctim }
}

extension URLSessionConfiguration {
  var allowsExpensiveNetworkAccess: Bool {
    get { true }
    set { precondition(newValue, "the plugin looks at the line itself") }
  }

  var allowsConstrainedNetworkAccess: Bool {
    get { true }
    set { precondition(newValue, "the plugin looks at the line itself") }
  }
}

/// Answers as an app's sandbox does: only its own process can be signalled.
func kill(_ process: pid_t, _ signal: Int32) -> Int32 {
  if process == getpid() { return 0 }
  errno = FileManager.default.fileExists(atPath: "/proc/\(process)") ? EPERM : ESRCH
  return -1
}

/// A file of its own that shares its bytes; here it is the same file.
func clonefile(_ from: String, _ to: String, _ flags: UInt32) -> Int32 {
  link(from, to)
}
