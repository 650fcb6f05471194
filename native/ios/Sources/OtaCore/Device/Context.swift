import Foundation

/// The parts and the settings of a device.
public struct DeviceOptions: Sendable {
  /// The file system that the device lives on.
  public let files: Files
  /// The network.
  public let http: Http
  /// Hashes every file.
  public let hashing: Hashing
  /// Looks at signatures, where the app's binary holds a key.
  public let ed25519: Ed25519
  /// Unpacks a whole bundle.
  public let inflating: Inflating
  /// Measures stalls.
  public let clock: Clock
  /// The app-private folder; created when it is not there.
  public let root: String
  /// The bundle inside the app binary, with its `ota-embedded-manifest.json`.
  public var embedded: String?
  /// Key and line of the releases that are taken, if the app's binary has them (NAT-6); else the client
  /// decides.
  public var trusted: TrustedReleases?
  /// Whether an active version that is not confirmed three launches in a row goes back on trial
  /// (DEV-50).
  public var backOnTrial = false
  /// The longest that a server may send nothing, in milliseconds.
  public var stallMs = 30_000
  /// Gives a running staging up, and every later one.
  public var cancel = Cancel()
  public var processes = ProcessOptions(pid: nil, isAlive: nil)

  public init(
    files: Files, http: Http, hashing: Hashing, ed25519: Ed25519, inflating: Inflating,
    clock: Clock, root: String
  ) {
    self.files = files
    self.http = http
    self.hashing = hashing
    self.ed25519 = ed25519
    self.inflating = inflating
    self.clock = clock
    self.root = root
  }
}

/// Values that the operations of one device share.
struct DeviceContext: Sendable {
  let options: DeviceOptions
  let records: Records
  let session: Session
}

/// Memory of the device while its process runs, shared by all threads.
final class Session: Sendable {
  private let values = Locked(SessionValues())

  /// Reads or changes values, while no other thread does.
  func with<T>(_ work: (inout SessionValues) throws -> T) rethrows -> T {
    try values.withLock(work)
  }
}

struct SessionValues {
  /// Launch that the boot hook served last.
  var launch: Launch?
  /// Every version that was served, as `<name>@<version>`.
  var served: Set<String> = []
  /// Bundles whose launch could not be recorded: nothing confirms it.
  var unrecorded: Set<String> = []
  /// Bundles whose game does not wait for the pending version, because no launch can be recorded (NAT-9).
  var waived: Set<String> = []
  /// Stagings that were asked for and have not ended.
  var stagings = 0
  /// Ends the hashing of what is served, as a staging does.
  var verifying: Cancel?
  /// Names what the staging under way puts together.
  var stagingId: String?
  /// Versions that the staging under way needs, as `<name>@<version>`.
  var busy: [String] = []
  /// The version that was staged last and is not active yet, by bundle.
  var fresh: [String: String] = [:]
  /// Whether a launch met another app binary than last time, and nothing was swept since.
  var isNewBinary = false
  /// The identity of the embedded bundle; `nil` before its manifest was read.
  var embedded: EmbeddedIdentity?
}

/// Members of the embedded manifest that every check asks for; its files may be twenty thousand.
struct EmbeddedIdentity {
  let name: String
  let version: String
  let app: String
  let channel: String
  let sequence: Int
  let published: String?
  let released: String?
}
