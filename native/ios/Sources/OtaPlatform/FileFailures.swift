import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

// What the system refuses, in the port's words: the same codes and sentences as adapters/node.

private let codes: [Int32: (name: String, code: FileErrorCode)] = [
  ENOENT: ("ENOENT", .missing),
  ENOTDIR: ("ENOTDIR", .notADirectory),
  EEXIST: ("EEXIST", .exists),
  EACCES: ("EACCES", .denied),
  EPERM: ("EPERM", .denied),
  EROFS: ("EROFS", .readOnly),
  EIO: ("EIO", .disk),
  EBADMSG: ("EBADMSG", .disk),  // a checksum of the file system is wrong
  ENOSPC: ("ENOSPC", .full),
  EDQUOT: ("EDQUOT", .full),
  EISDIR: ("EISDIR", .isADirectory),
  ENOTEMPTY: ("ENOTEMPTY", .notEmpty),
  EBUSY: ("EBUSY", .busy),
  ETXTBSY: ("ETXTBSY", .busy),
  EMFILE: ("EMFILE", .other),
  ENFILE: ("ENFILE", .other),
  ENAMETOOLONG: ("ENAMETOOLONG", .other),
  ELOOP: ("ELOOP", .other),
  EINVAL: ("EINVAL", .other),
  EXDEV: ("EXDEV", .other),
  ENXIO: ("ENXIO", .other),
]

private func reason(_ code: FileErrorCode, errno: Int32) -> String {
  if errno == EDQUOT { return "this user's share of the disk is used up" }
  switch code {
  case .missing: return "no such file or folder"
  case .exists: return "it exists already"
  case .denied: return "permission denied"
  case .readOnly: return "the disk is mounted read-only"
  case .disk: return "the disk failed"
  case .full: return "the disk is full"
  case .tooLarge: return "it is too large"
  case .notADirectory: return "a part of the path is not a folder"
  case .isADirectory: return "it is a folder"
  case .notAFile: return "not a file"
  case .notEmpty: return "the folder is not empty"
  case .busy: return "another program is using it"
  case .other: return "the file system refused"
  }
}

/// Action that was about to be done to a file.
struct FileAction {
  /// The verb: `read`, `make folder`.
  let action: String
  let path: String
  /// Target of a rename or a copy.
  var to: String?

  init(_ action: String, path: String, to: String? = nil) {
    self.action = action
    self.path = path
    self.to = to
  }

  /// The failure of a call that answered this `errno`.
  func failure(_ errno: Int32) -> FileError {
    let (name, code) = codes[errno] ?? ("errno \(errno)", .other)
    let what = to.map { "\(path) to \($0)" } ?? path
    return FileError(
      code, path: path, message: "Cannot \(action) \(what): \(reason(code, errno: errno)) (\(name))")
  }

  /// Calls the system until it is not interrupted by a signal; -1 is a failure.
  @discardableResult
  func call<T: SignedInteger>(_ system: () -> T) throws -> T {
    while true {
      let answer = system()
      if answer != -1 { return answer }
      let found = errno
      if found != EINTR { throw failure(found) }
    }
  }
}

/// Runs what opens a path, where nothing being there is an answer.
func orMissing<T>(_ path: String, operation: () throws -> T) throws -> T? {
  do {
    return try operation()
  } catch let error as FileError {
    // Below a file nothing can be: that is not there either.
    if error.code == .missing || error.code == .notADirectory && isNowhere(path) { return nil }
    throw error
  }
}

private func isNowhere(_ path: String) -> Bool {
  var found = stat()
  return lstat(path, &found) != 0
}
