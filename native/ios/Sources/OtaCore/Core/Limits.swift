private let KIB = 1024
private let MIB = 1024 * KIB
private let GIB = 1024 * MIB

/// Every bound of the update records, in one table (LIM-1). All are inclusive: the value itself is
/// allowed, one more is not.
public enum LIMITS {
  /// `release.json`, in bytes.
  public static let releaseBytes = 256 * KIB
  /// `manifest.json`, in bytes.
  public static let manifestBytes = 8 * MIB
  /// Files in one bundle.
  public static let bundleFiles = 20_000
  /// One file, in bytes.
  public static let fileBytes = 512 * MIB
  /// All files of a bundle together, and its zip, in bytes.
  public static let bundleBytes = 2 * GIB
  /// A file path, in UTF-8 bytes.
  public static let pathBytes = 512
  /// One segment of a path, in UTF-8 bytes.
  public static let segmentBytes = 200
  /// Nesting of a JSON record; the outermost object is depth 1.
  public static let jsonDepth = 32
  /// How far ahead of the accepted sequence a record may be.
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
