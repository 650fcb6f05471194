/// Folders that are synced at once: each waits for the disk.
private let syncs = 8

/// Version to stage, as a request has it.
private protocol Target {
  var name: String { get }
  var version: String { get }
  /// The text of the manifest.
  var manifest: String { get }
  /// The manifest of that text.
  var parsed: Manifest { get }
}

extension ZipStaging: Target {}
extension DeltaStaging: Target {}
extension StageDependencies: ExistingDependencies {}

/// Stages a version from its `bundle.zip`. Never throws.
func stageZip(_ dependencies: StageDependencies, request: ZipStaging) -> StageResult {
  let way = Way(
    spared: [],
    fetched: Array(request.parsed.files.keys),
    findResumable: { partials in  // with whole files alone
      let manifest = request.parsed
      let unpacked = manifest.files.values.filter { partials.bytes(of: $0) == $0.size }
      let (files, root) = (dependencies.files, dependencies.root)
      let tail = try manifest.bundleZip.flatMap { try findTail(files, root: root, zip: $0) }
      return partialFiles(partials, contents: unpacked).union(tail.map { [$0] } ?? [])
    },
    fill: { staging, room in
      var room = room
      room.extraBytes = tailRoom(staging.manifest)
      try requireSpace(staging, room: room)
      try fillFromZip(staging, zipUrl: request.zipUrl) { try requireSpace(staging, room: $0) }
    })
  return stageWithRoom(dependencies, target: request, way: way)
}

/// Stages a version from a base on the device and single downloads. Never throws.
func stageDelta(_ dependencies: StageDependencies, request: DeltaStaging) -> StageResult {
  // A file to copy from another version is fetched if that version was removed, and it has a URL.
  let copied = request.copy.compactMap { $0.url == nil ? $0.base : nil }
  let spared = [request.base] + copied
  let way = Way(
    spared: spared,
    fetched: request.download.map(\.path),
    findResumable: { partials in
      partialFiles(partials, contents: request.download.compactMap { request.parsed.files[$0.path] })
    },
    fill: { staging, room in
      let shared = try sharedBytes(staging, request: request)
      var room = room
      room.presentBytes += shared
      try requireSpace(staging, room: room, spared: spared)
      try fillFromBase(staging, request: request, shares: shared > 0)
    })
  return stageWithRoom(dependencies, target: request, way: way)
}

/// Way in which a version is filled.
private struct Way {
  /// Versions that are copied from, and must stay.
  let spared: [String]
  /// Paths whose contents come from the network.
  let fetched: [String]
  /// Finds the files of `.partial` that it resumes, each content once.
  let findResumable: (Partials) throws -> Set<KeptFile>
  let fill: (Staging, Room) throws -> Void

  /// The room of a way that needs only its files.
  func room(_ partials: Partials) throws -> Room {
    let resumable = try findResumable(partials)
    return Room(presentBytes: resumable.reduce(0) { $0 + $1.size }, kept: Set(resumable.map(\.path)))
  }
}

/// The files of `.partial` that hold these contents, each content once.
private func partialFiles(_ partials: Partials, contents: [ContentRef]) -> Set<KeptFile> {
  Set(contents.compactMap(partials.find))
}

/// Stages; once more with all the room that can be made, for a disk may be full before its bytes are
/// (DEV-19).
private func stageWithRoom(
  _ dependencies: StageDependencies, target: Target, way: Way
) -> StageResult {
  let staged = stageVersion(dependencies, target: target, way: way)
  guard case .failed(.diskFull, _) = staged else { return staged }
  let (files, root) = (dependencies.files, dependencies.root)
  do {
    let free = try files.freeSpace(root)
    let kept = try way.room(Partials(files, hashing: dependencies.hashing, root: root)).kept
    try dependencies.makeRoom(way.spared, kept) { false }
    if try files.freeSpace(root) <= free { return staged }
  } catch {
    return staged
  }
  return stageVersion(dependencies, target: target, way: way)
}

/// The order of a staging (DEV-6): nothing is visible under the version's name until every file is
/// written, synced and verified and the version is marked complete.
private func stageVersion(
  _ dependencies: StageDependencies, target: Target, way: Way
) -> StageResult {
  let (files, root) = (dependencies.files, dependencies.root)
  let (manifest, text) = (target.parsed, target.manifest)
  let folder = "\(stagingFolder(root))/\(target.name)@\(target.version).\(dependencies.id)"
  defer { try? files.remove(folder) }  // what stays is swept
  do {
    let progress = StagingProgress(manifest, clock: dependencies.clock, onProgress: dependencies.onProgress)
    takeBack(dependencies, manifest: manifest, fetched: way.fetched)
    let partials = try Partials(files, hashing: dependencies.hashing, root: root)
    if try checkExisting(dependencies, manifest: manifest, text: text) {
      try syncNames(dependencies, name: target.name)  // whoever put it there may have been killed before
      removePartials(dependencies, manifest: manifest)
      progress.report { $0.filesDone = manifest.files.count }
      return .ok
    }
    do {
      let staging = Staging(
        dependencies: dependencies, manifest: manifest, folder: folder, partials: partials,
        progress: progress)
      try makeFolders(staging)
      try way.fill(staging, way.room(partials))
      try requireEachFile(staging)
      try seal(staging, text: text)
    } catch {
      // Another process that staged it meanwhile took what both had in .partial: its version is as good.
      guard (try? checkExisting(dependencies, manifest: manifest, text: text)) == true else { throw error }
    }
    try syncNames(dependencies, name: target.name)
    noteFolders(of: manifest, text: text, in: VersionFiles(files: files, root: root))
    removePartials(dependencies, manifest: manifest)
    return .ok
  } catch {
    return stageFailure(error)
  }
}

private func removePartials(_ dependencies: StageDependencies, manifest: Manifest) {
  let staged = hashesOf(manifest)
  try? removeStagedPartials(dependencies.files, root: dependencies.root, staged: staged)  // swept
}

private func requireSpace(_ staging: Staging, room: Room, spared: [String] = []) throws {
  let (dependencies, manifest) = (staging.dependencies, staging.manifest)
  let needed = manifest.files.values.reduce(0) { $0 + $1.size } + room.extraBytes - room.presentBytes
  let freeSpace = { try dependencies.files.freeSpace(dependencies.root) }
  if try freeSpace() < needed {
    try dependencies.makeRoom(spared, room.kept) { try freeSpace() >= needed }
  }
  let free = try freeSpace()
  if free < needed {
    throw StageError(
      .diskFull, message: "\(manifest.version) needs \(needed) bytes, \(free) are free")
  }
}

private func hashesOf(_ manifest: Manifest) -> Set<String> {
  var hashes = Set(manifest.files.values.map(\.hash))
  if let zip = manifest.bundleZip { hashes.insert(zip.hash) }
  return hashes
}

private func makeFolders(_ staging: Staging) throws {
  let (files, root) = (staging.dependencies.files, staging.dependencies.root)
  try makeRoot(files, root: root)
  try files.makeDirectory(partialFolder(root))
  try files.makeDirectory(staging.folder)
  for path in foldersOf(staging.manifest) { try files.makeDirectory("\(staging.folder)/\(path)") }
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
private func seal(_ staging: Staging, text: String) throws {
  let (dependencies, manifest, folder) = (staging.dependencies, staging.manifest, staging.folder)
  let (files, root) = (dependencies.files, dependencies.root)
  let (name, version) = (manifest.name, manifest.version)
  try forEachParallel(foldersOf(manifest), limit: syncs) { try files.sync("\(folder)/\($0)") }
  try files.sync(folder)
  try files.makeDirectory(marksFolder(root))
  try files.makeDirectory("\(root)/\(name)")
  try dependencies.alone {
    try files.writeAtomic(markPath(root, name: name, version: version), bytes: Array(text.utf8))
    try files.rename(folder, to: versionFolder(root, name: name, version: version))
  }
}

/// Makes the names of a bundle's versions last.
private func syncNames(_ dependencies: StageDependencies, name: String) throws {
  try dependencies.files.sync("\(dependencies.root)/\(name)")
  try dependencies.files.sync(dependencies.root)
}
