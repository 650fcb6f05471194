import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// What Apple's C library and Foundation have, and Linux has not.

let F_FULLFSYNC: Int32 = 51
let F_BARRIERFSYNC: Int32 = 85

/// Flushes of the process, in order.
final class Flushes: @unchecked Sendable {
  static let all = Flushes()
  private let lock = NSLock()
  private var paths: [(command: Int32, path: String)] = []
  /// Commands that the disk does not know.
  private var unknown: Set<Int32> = []

  func forget(unknown: Set<Int32>) {
    lock.withLock {
      paths = []
      self.unknown = unknown
    }
  }

  /// Flushes as `<command> <path>`.
  var lines: [String] {
    lock.withLock { paths.map { "\($0.command == F_FULLFSYNC ? "full" : "barrier") \($0.path)" } }
  }

  /// As the drive does it, `ENOTSUP` where it cannot.
  func flush(_ descriptor: Int32, _ command: Int32) -> Int32 {
    lock.withLock {
      if unknown.contains(command) {
        errno = ENOTSUP
        return -1
      }
      let link = "/proc/self/fd/\(descriptor)"
      let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) ?? "?"
      paths.append((command, path))
      return fsync(descriptor)
    }
  }
}

func fcntl(_ descriptor: Int32, _ command: Int32) -> Int32 {
  Flushes.all.flush(descriptor, command)
}

extension stat {
  var st_mtimespec: timespec { st_mtim }
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

/// A file of its own that shares its bytes; here it is the same file.
func clonefile(_ from: String, _ to: String, _ flags: UInt32) -> Int32 {
  link(from, to)
}
