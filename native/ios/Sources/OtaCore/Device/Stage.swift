/// Folders that are synced at once: each waits for the disk.
private let syncs = 8

/// What a request says of the version to stage.
private protocol Target {
  var name: String { get }
  var version: String { get }
  /// The text of the manifest.
  var manifest: String { get }
  /// What it says.
  var parsed: Manifest { get }
}

extension ZipStaging: Target {}
extension DeltaStaging: Target {}
extension StageDependencies: ExistingDependencies {}

/// Stages a version from its `bundle.zip`. Never throws.
func stageZip(_ dependencies: StageDependencies, _ request: ZipStaging) -> StageResult {
  stageWithRoom(dependencies, request, spared: []) { staging in
    let (manifest, partials) = (staging.manifest, staging.partials)
    let unpacked = manifest.files.members.filter { partials.bytes(of: $0.value) == $0.value.size }
    let room = Room(
      besides: tailRoom(manifest), lying: bytesLying(staging, unpacked.map(\.key)))
    try requireSpace(staging, room)
    try fillFromZip(staging, request.zipUrl) { try requireSpace(staging, $0) }
  }
}

/// Stages a version from a base on the device and single downloads. Never throws.
func stageDelta(_ dependencies: StageDependencies, _ request: DeltaStaging) -> StageResult {
  // What is copied from another version is fetched when that had to go, where it has an address.
  let copied = request.copy.compactMap { $0.url == nil ? $0.base : nil }
  let spared = [request.base] + copied
  return stageWithRoom(dependencies, request, spared: spared) { staging in
    let lying = bytesLying(staging, request.download.map(\.path))
    try requireSpace(staging, Room(lying: lying), spared: spared)
    try fillFromBase(staging, request)
  }
}

/// Stages; once more with all the room that can be made, for a disk may be full before its bytes are
/// (DEV-19).
///
/// - Parameter spared: Versions that are copied from, and must stay.
private func stageWithRoom(
  _ dependencies: StageDependencies, _ target: Target, spared: [String],
  _ fill: (Staging) throws -> Void
) -> StageResult {
  let staged = stageVersion(dependencies, target, fill)
  guard case .failed(.diskFull, _) = staged else { return staged }
  let (files, root) = (dependencies.files, dependencies.root)
  do {
    let free = try files.freeSpace(root)
    try dependencies.makeRoom(spared, hashesOf(target.parsed)) { false }
    if try files.freeSpace(root) <= free { return staged }
  } catch {
    return staged
  }
  return stageVersion(dependencies, target, fill)
}

/// The order of a staging (DEV-6): nothing is visible under the version's name until every file is
/// written, synced and verified and the version is marked complete.
private func stageVersion(
  _ dependencies: StageDependencies, _ target: Target, _ fill: (Staging) throws -> Void
) -> StageResult {
  let (files, root) = (dependencies.files, dependencies.root)
  let (manifest, text) = (target.parsed, target.manifest)
  let folder = "\(stagingFolder(root))/\(target.name)@\(target.version).\(dependencies.id)"
  defer { try? files.remove(folder) }  // what stays is swept
  do {
    let progress = StagingProgress(manifest, dependencies.clock, dependencies.onProgress)
    let partials = try Partials(files, dependencies.hashing, root: root)
    if try checkExisting(dependencies, manifest, text) {
      try syncNames(dependencies, target.name)  // whoever put it there may have been killed before
      removePartials(dependencies, manifest)
      progress.report { $0.filesDone = manifest.files.count }
      return .ok
    }
    do {
      let staging = Staging(
        dependencies: dependencies, manifest: manifest, folder: folder, partials: partials,
        progress: progress)
      try makeFolders(staging)
      try fill(staging)
      try requireEachFile(staging)
      try seal(staging, text)
    } catch {
      // Another process that staged it meanwhile took what both had in .partial: its version is as good.
      guard (try? checkExisting(dependencies, manifest, text)) == true else { throw error }
    }
    try syncNames(dependencies, target.name)
    removePartials(dependencies, manifest)
    return .ok
  } catch {
    return stageFailure(error)
  }
}

private func removePartials(_ dependencies: StageDependencies, _ manifest: Manifest) {
  let staged = hashesOf(manifest)
  try? removeStagedPartials(dependencies.files, dependencies.root, staged: staged)  // swept
}

private func requireSpace(_ staging: Staging, _ room: Room, spared: [String] = []) throws {
  let (dependencies, manifest) = (staging.dependencies, staging.manifest)
  let needed = manifest.files.values.reduce(0) { $0 + $1.size } + room.besides - room.lying
  let freeSpace = { try dependencies.files.freeSpace(dependencies.root) }
  if try freeSpace() < needed {
    try dependencies.makeRoom(spared, hashesOf(manifest)) { try freeSpace() >= needed }
  }
  let free = try freeSpace()
  if free < needed {
    throw StageError(
      .diskFull, "\(manifest.version) needs \(needed) bytes, \(free) are free")
  }
}

private func hashesOf(_ manifest: Manifest) -> Set<String> {
  var hashes = Set(manifest.files.values.map(\.hash))
  if let zip = manifest.bundleZip { hashes.insert(zip.hash) }
  return hashes
}

/// Bytes of what is to be fetched that lie in `.partial` already, each content once.
private func bytesLying(_ staging: Staging, _ download: [String]) -> Int {
  var contents: [String: ContentRef] = [:]
  for path in download {
    if let ref = staging.manifest.files[path] { contents[ref.hash] = ref }
  }
  return contents.values.reduce(0) { $0 + staging.partials.bytes(of: $1) }
}

private func makeFolders(_ staging: Staging) throws {
  let (files, root) = (staging.dependencies.files, staging.dependencies.root)
  try makeRoot(files, root)
  try files.makeDirectory(partialFolder(root))
  try files.makeDirectory(staging.folder)
  for path in foldersOf(staging.manifest) { try files.makeDirectory("\(staging.folder)/\(path)") }
}

/// Every folder that the manifest's paths need, parents first.
private func foldersOf(_ manifest: Manifest) -> [String] {
  var folders = Record<Bool>()
  for path in manifest.files.keys {
    for slash in path.utf8.indices where path.utf8[slash] == UInt8(ascii: "/") {
      folders[String(path[..<slash])] = true
    }
  }
  return folders.keys.sorted { $0.utf8.count < $1.utf8.count }
}

/// Counts what was written: copies replace what lies under an equal name (DEV-28).
private func requireEachFile(_ staging: Staging) throws {
  var expected: [Utf8Key: [String]] = [:]
  for path in staging.manifest.files.keys {
    let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { String(path[..<$0]) } ?? ""
    let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
    expected[Utf8Key(text: parent), default: []].append(name)
  }
  let files = staging.dependencies.files
  for (parent, names) in expected {
    let folder = "\(staging.folder)/\(parent.text)"
    let found = Set((try files.list(folder) ?? []).map { Utf8Key(text: $0.name) })
    if let lost = names.first(where: { !found.contains(Utf8Key(text: $0)) }) {
      throw sameFile(parent.text == "" ? lost : "\(parent.text)/\(lost)")
    }
  }
}

/// Makes the version visible: folders synced, mark written, renamed.
private func seal(_ staging: Staging, _ text: String) throws {
  let (dependencies, manifest, folder) = (staging.dependencies, staging.manifest, staging.folder)
  let (files, root) = (dependencies.files, dependencies.root)
  let (name, version) = (manifest.name, manifest.version)
  try forEachParallel(foldersOf(manifest), syncs) { try files.sync("\(folder)/\($0)") }
  try files.sync(folder)
  try files.makeDirectory(marksFolder(root))
  try files.makeDirectory("\(root)/\(name)")
  try dependencies.alone {
    try files.writeAtomic(markPath(root, name, version), Array(text.utf8))
    try files.rename(folder, to: versionFolder(root, name, version))
  }
}

/// Makes the names of a bundle's versions last.
private func syncNames(_ dependencies: StageDependencies, _ name: String) throws {
  try dependencies.files.sync("\(dependencies.root)/\(name)")
  try dependencies.files.sync(dependencies.root)
}
