/// A version of a bundle.
public struct BundleVersion: Equatable, Sendable {
  /// The bundle.
  public let name: String
  /// `v<N>`.
  public let version: String

  public init(name: String, version: String) {
    self.name = name
    self.version = version
  }
}

/// Versions that a device holds, and those of them that it needs.
public struct HeldVersions: Sendable {
  /// Record of the version that boots.
  public let state: BootState?
  /// The version to go back to, by bundle.
  public let previous: Record<String>
  /// Every version that is quarantined, by bundle.
  public let rejected: Record<[String]>
  /// Every version that lies on the device, by bundle.
  public let staged: Record<[String]>
  /// Versions that were staged in the last seven days, as `<name>@<version>`.
  public let young: [String]
  /// Versions that are served, staged or copied from, as `<name>@<version>`.
  public let busy: [String]

  public init(
    state: BootState?, previous: Record<String>, rejected: Record<[String]>,
    staged: Record<[String]>, young: [String], busy: [String]
  ) {
    self.state = state
    self.previous = previous
    self.rejected = rejected
    self.staged = staged
    self.young = young
    self.busy = busy
  }
}

/// The versions that nothing needs any more, in the order in which they go: quarantined ones first,
/// then by bundle and number (DEV-22). A quarantined version is what the next one is copied from, so
/// it stays until a newer one is active, a new app binary was launched, or it goes `forRoom`. Where
/// nothing is active or pending, as after a new binary, the newest good version that is young stays, but
/// for room: the next check may want it.
public func deadVersions(
  _ held: HeldVersions, forRoom: Bool = false, newBinary: Bool = false
) -> [BundleVersion] {
  var quarantined: [BundleVersion] = []
  var others: [BundleVersion] = []
  for (name, versions) in held.staged.sorted() {
    let active = held.state?.active[name]
    let pending = held.state?.pending[name]
    let wanted = versions.sorted(by: isOlder).last {
      !forRoom && active == nil && pending == nil && held.young.contains("\(name)@\($0)")
        && held.rejected[name]?.contains($0) != true
    }
    let needed = [active, pending, wanted]
    for version in versions.sorted(by: isOlder) {
      if needed.contains(version) || held.busy.contains("\(name)@\(version)") { continue }
      let dead = BundleVersion(name: name, version: version)
      if held.rejected[name]?.contains(version) == true {
        if forRoom || newBinary || active.map({ isOlder(version, than: $0) }) == true {
          quarantined.append(dead)
        }
      } else if version != held.previous[name] {
        others.append(dead)
      }
    }
  }
  return quarantined + others
}
