private let kib = 1024
private let mib = 1024 * kib
private let gib = 1024 * mib

/// Every bound of the update records, in one table (LIM-1). All are inclusive: the value itself is
/// allowed, one more is not.
public enum Limits {
  /// `release.json`, in bytes.
  public static let releaseBytes = 256 * kib
  /// `manifest.json`, in bytes.
  public static let manifestBytes = 8 * mib
  /// Files in one bundle.
  public static let bundleFiles = 20_000
  /// One file, in bytes.
  public static let fileBytes = 512 * mib
  /// All files of a bundle together, and its zip, in bytes.
  public static let bundleBytes = 2 * gib
  /// A file path, in UTF-8 bytes.
  public static let pathBytes = 512
  /// One segment of a path, in UTF-8 bytes.
  public static let segmentBytes = 200
  /// Nesting of a JSON record; the outermost object is depth 1.
  public static let jsonDepth = 32
  /// Distance that a record may be ahead of the accepted sequence.
  public static let sequenceJump = 1_000_000
  /// Launches that a pending version gets (BOOT-3).
  public static let bootAttempts = 3
  /// Launches that must confirm a pending version (BOOT-9).
  public static let bootConfirms = 2
  /// Quarantined versions remembered per bundle (BOOT-16).
  public static let rejectedVersions = 10

  /// Every bound by its name.
  public static let byName: Record<Int> = [
    "releaseBytes": releaseBytes,
    "manifestBytes": manifestBytes,
    "bundleFiles": bundleFiles,
    "fileBytes": fileBytes,
    "bundleBytes": bundleBytes,
    "pathBytes": pathBytes,
    "segmentBytes": segmentBytes,
    "jsonDepth": jsonDepth,
    "sequenceJump": sequenceJump,
    "bootAttempts": bootAttempts,
    "bootConfirms": bootConfirms,
    "rejectedVersions": rejectedVersions,
  ]
}
