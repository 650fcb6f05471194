import Foundation

/// Ports and settings of a staging.
struct StageDependencies: Sendable {
  let files: Files
  let http: Http
  let hashing: Hashing
  let inflating: Inflating
  let clock: Clock
  let root: String
  /// The folder of the bundle in the app binary.
  let embedded: String?
  /// The longest that a server may send nothing, in milliseconds.
  let stallMs: Int
  /// Gives the staging up.
  let cancel: Cancel
  /// The name of the staging, which begins with the id of its process.
  let id: String
  /// Identifies this process.
  let processes: ProcessOptions
  /// Whether the version is active, pending or served by the recorded launch, by now.
  let isInUse: @Sendable () throws -> Bool
  /// Does what changes names that others look at, while no other process does (DEV-25).
  let alone: @Sendable (() throws -> Void) throws -> Void
  /// Makes room, but for the versions that are `spared` and the files of `.partial` that are `kept`, until it
  /// `fits` (DEV-19).
  let makeRoom: @Sendable (_ spared: [String], _ kept: Set<String>, _ fits: () throws -> Bool) throws -> Void
  /// Called by one thread at a time, and not to be waited in.
  let onProgress: @Sendable (OtaProgress) -> Void
}

/// A version while it is put together.
struct Staging: Sendable {
  let dependencies: StageDependencies
  let manifest: Manifest
  let folder: String
  /// Contents that earlier stagings left.
  let partials: Partials
  let progress: StagingProgress
}

/// The shortest time between two progress events, in milliseconds: each crosses a bridge.
private let progressMs: Double = 200

/// Progress of a staging: counts that only grow, whichever thread adds to them. They are reported
/// at most once in 200 ms, and when every file is in place (DEV-16).
final class StagingProgress: Sendable {
  struct Counts {
    var bytesDone = 0
    var bytesTotal = 0
    var filesDone = 0
    fileprivate var reportedAt = -Double.infinity
  }

  private let manifest: Manifest
  private let clock: Clock
  private let onProgress: @Sendable (OtaProgress) -> Void
  private let counts = Locked(Counts())

  init(_ manifest: Manifest, clock: Clock, onProgress: @escaping @Sendable (OtaProgress) -> Void) {
    self.manifest = manifest
    self.clock = clock
    self.onProgress = onProgress
  }

  /// Changes the counts, and reports them.
  func report(_ change: (inout Counts) -> Void) {
    counts.withLock { counts in
      change(&counts)
      let filesTotal = manifest.files.count
      let now = clock.monotonic()
      if counts.filesDone < filesTotal && now - counts.reportedAt < progressMs { return }
      counts.reportedAt = now
      onProgress(
        OtaProgress(
          name: manifest.name, version: manifest.version, bytesDone: counts.bytesDone,
          bytesTotal: counts.bytesTotal, filesDone: counts.filesDone, filesTotal: filesTotal))
    }
  }

  /// Changes the counts, which are reported with the next bytes.
  func note(_ change: (inout Counts) -> Void) {
    counts.withLock(change)
  }
}

/// A download watches for it itself; what is copied or inflated has to be asked.
func throwIfCancelled(_ staging: Staging) throws {
  let manifest = staging.manifest
  if staging.dependencies.cancel.isCancelled {
    throw StageError(.cancelled, message: "\(manifest.name) \(manifest.version) was cancelled")
  }
}

/// Copies a file of the device to a path of the version, hashed on the way (DEV-11): each is opened once.
func copyContent(_ ref: ContentRef, to path: String, from source: String, in staging: Staging) throws {
  let (files, hashing) = (staging.dependencies.files, staging.dependencies.hashing)
  guard let body = try openBody(files, path: source, size: ref.size) else {
    throw StageError(.baseMissing, message: "\(source) is gone")
  }
  let checked = try verified(body, expected: NamedContent(ref, label: path), by: hashing)
  do {
    try files.write("\(staging.folder)/\(path)", body: checked, createNew: true, sync: true)
  } catch let error as FileError where error.code == .exists {
    throw sameFile(path)
  }
}

/// DEV-28: where a disk takes two names for one, a version would lack a file and seem whole.
func sameFile(_ path: String) -> StageError {
  let found = "\(quoted(path)) is the same file as another one of the manifest"
  return StageError(.invalid, message: "On this disk \(found)")
}
