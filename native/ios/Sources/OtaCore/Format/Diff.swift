/// A file to fetch.
public struct Download: Equatable, Sendable {
  /// Path in the bundle that it goes to.
  public let path: String
  /// 64 lower-case hexadecimal digits.
  public let hash: String
  /// Bytes.
  public let size: Int
}

/// Difference between two manifests, path by path.
public struct ManifestDiff: Equatable, Sendable {
  /// Paths whose content stays the same.
  public var copy: [String] = []
  /// Paths that are new or have new content.
  public var download: [Download] = []
  /// Paths that are gone.
  public var remove: [String] = []
}

/// A file that the device holds already.
public struct Copy: Equatable, Sendable {
  /// The path that holds the content.
  public let from: String
  /// Bundle that holds it, as the device names it; absent: the plan's own base.
  public let base: String?
  /// Path in the bundle that it goes to.
  public let path: String
}

/// Plan of a version: what is copied from what the device has, and what is fetched.
public struct StagePlan: Equatable, Sendable {
  /// Every file that a base holds somewhere: the same path first, else any path of that content.
  public var copy: [Copy] = []
  /// Files that no base holds.
  public var download: [Download] = []
  /// Bytes to fetch, decoded, of each content once: the total that progress reports.
  public var downloadBytes: Double = 0
}

/// Members of a manifest that are compared.
public typealias ManifestFiles = Record<ContentRef>

/// A bundle that the device holds beside the base of a plan.
public struct OtherBase: Sendable {
  /// Name that the device has for it: a version, or `embedded`.
  public let at: String
  public let files: ManifestFiles

  public init(at: String, files: ManifestFiles) {
    self.at = at
    self.files = files
  }
}

/// Cost of a request beside the bytes of its answer, in bytes (DIFF-4).
public let requestBytes = 16 * 1024

/// Compares path and hash: no rename is detected (DIFF-1). Lists are ordered by path.
public func diffManifests(_ current: ManifestFiles, target: ManifestFiles) -> ManifestDiff {
  var diff = ManifestDiff()
  for (path, ref) in target.sorted() {
    if current[path]?.hash == ref.hash {
      diff.copy.append(path)
    } else {
      diff.download.append(Download(path: path, hash: ref.hash, size: ref.size))
    }
  }
  diff.remove = current.sorted().map(\.key).filter { target[$0] == nil }
  return diff
}

/// Plans the staging of `target` on top of `base`. What ``diffManifests(_:target:)`` would download is
/// copied where the base holds the content under any name, so renames and swaps cost nothing
/// (DIFF-2), else where one of `others` does, in their order (DIFF-3).
public func planStage(
  _ base: ManifestFiles, target: ManifestFiles, others: [OtherBase] = []
) -> StagePlan {
  var holders: [String: (from: String, base: String?)] = [:]
  func addHolders(_ files: ManifestFiles, name: String?) {
    for (from, ref) in files.sorted() where holders[ref.hash] == nil {
      holders[ref.hash] = (from, name)
    }
  }
  addHolders(base, name: nil)
  for other in others { addHolders(other.files, name: other.at) }
  let diff = diffManifests(base, target: target)
  var plan = StagePlan(copy: diff.copy.map { Copy(from: $0, base: nil, path: $0) })
  for file in diff.download {
    if let holder = holders[file.hash] {
      plan.copy.append(Copy(from: holder.from, base: holder.base, path: file.path))
    } else {
      plan.download.append(file)
    }
  }
  plan.downloadBytes = contentsOf(plan.download).reduce(0) { $0 + Double($1.size) }
  return plan
}

/// A way to a version.
public enum StageWay: String, Sendable {
  case delta, zip
}

/// Bytes that lie on a device of contents on their way, by hash.
public typealias PartialBytes = Record<Int>

/// Chooses the cheaper way to a version: its single files, or its whole bundle (DIFF-4). A way costs the
/// bytes as served and ``requestBytes`` a request, one for each content; of two equal ones the delta
/// is taken, which needs less room. What lies on the device is not fetched again (DIFF-5). They are
/// added as JavaScript adds: each of thousands of files may claim 2^53 of them, and an `Int` would
/// overflow.
public func cheaperWay(
  _ download: [Download], files: ManifestFiles, bundleZip: ContentRef?,
  partial: PartialBytes = [:]
) -> StageWay {
  func cost(_ hash: String, size: Int, served: Int?) -> Double {
    let presentBytes = partial[hash] ?? 0
    if presentBytes > 0, presentBytes >= size { return 0 }
    // A coded content cannot be resumed.
    return Double(requestBytes) + (served.map(Double.init) ?? Double(size) - Double(presentBytes))
  }
  guard let zip = bundleZip else { return .delta }
  let delta = contentsOf(download).reduce(0) {
    $0 + cost($1.hash, size: $1.size, served: files[$1.path]?.served)
  }
  return cost(zip.hash, size: zip.size, served: zip.served) < delta ? .zip : .delta
}

/// Contents that a device fetches of a plan: each once, however many paths have it.
public func contentsOf(_ download: [Download]) -> [Download] {
  Record(download.map { (key: $0.hash, value: $0) }).values
}
