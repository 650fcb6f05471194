import Foundation

#if !COCOAPODS
  import SlipwayOtaCore
#endif

/// `Files.write`: what fails leaves no file that was not there.
func writeInPlace(_ path: String, body: FileBody, createNew: Bool, sync: Bool) throws {
  defer { if case .chunks(let source) = body { source.close() } }
  let (file, isNew) = try openToWrite(FileAction("write", path: path), createNew: createNew)
  do {
    switch body {
    case .bytes(let bytes): try file.write(bytes)
    case .chunks(let source): while let piece = try source.next() { try file.write(piece) }
    }
    if sync { try file.syncInOrder() }
    try file.close()
  } catch {
    file.closeQuietly()
    if isNew { unlink(path) }
    throw error
  }
}

/// `Files.writeAtomic`.
func writeBeside(_ path: String, bytes: [UInt8]) throws {
  let temporary = "\(path).\(UUID().uuidString.lowercased()).tmp"
  let action = FileAction("write", path: path)
  do {
    let file = try OpenFile(.create, action: FileAction("write", path: temporary))
    defer { file.closeQuietly() }
    try file.write(bytes)
    try file.sync()
    try file.close()
    try action.call { Foundation.rename(temporary, path) }
  } catch {
    unlink(temporary)
    throw error
  }
  try syncPath(action, path: parentOf(path))
}

/// `Files.append`.
func appendTo(_ path: String, bytes: [UInt8]) throws {
  let file = try OpenFile(.append, action: FileAction("write", path: path))
  defer { file.closeQuietly() }
  try file.write(bytes)
  try file.close()
}

/// Flushes a file, or a folder where the disk can: some network disks cannot.
func syncPath(_ action: FileAction, path: String) throws {
  let file = try OpenFile(.read, action: FileAction(action.action, path: path), orFolder: true)
  defer { file.closeQuietly() }
  if file.isFolder { try file.sync() } else { try file.syncInOrder() }
}

private func openToWrite(_ action: FileAction, createNew: Bool) throws -> (OpenFile, isNew: Bool) {
  do {
    return (try OpenFile(.create, action: action), true)
  } catch let error as FileError where error.code == .exists && !createNew {
    return (try OpenFile(.write, action: action), false)
  }
}

private func parentOf(_ path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}
