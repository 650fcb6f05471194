// Leftovers of a killed process in `.staging`: copied files, and fetched ones that were in place. Fetched
// files are moved back to `.partial`, so they are not fetched again (DEV-38).

/// Reads the name of what is put together, `<name>@<version>.<id>`; `nil` for what no staging has put
/// there.
func readStaging(_ name: String) -> (bundle: String, id: String)? {
  guard let dot = name.lastIndex(of: "."), isMarkName(String(name[..<dot])),
    let at = name[..<dot].lastIndex(of: "@")
  else { return nil }
  let id = String(name[name.index(after: dot)...])
  let parts = id.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
  guard parts.count <= 2, let random = parts.last, random.count == 24,
    random.allSatisfy(isHexDigit)
  else { return nil }
  if parts.count == 2 && (parts[0].isEmpty || !parts[0].allSatisfy(isDigit)) { return nil }
  return (String(name[..<at]), id)
}

/// Takes contents that were put in place back to `.partial`, and removes the folders that they lay in.
/// What cannot be moved is fetched again (DEV-72), and its folder is swept.
func takeBack(_ dependencies: StageDependencies, manifest: Manifest, fetched: [String]) {
  let (files, staging) = (dependencies.files, stagingFolder(dependencies.root))
  for entry in (try? files.list(staging)) ?? [] {
    guard let left = readStaging(entry.name), left.bundle == manifest.name,
      !isOthers(left.id, options: dependencies.processes)
    else { continue }
    let folder = "\(staging)/\(entry.name)"
    do {
      try takeFrom(folder, dependencies: dependencies, manifest: manifest, fetched: fetched)
      try files.remove(folder)
    } catch {
      continue
    }
  }
}

private func takeFrom(
  _ folder: String, dependencies: StageDependencies, manifest: Manifest, fetched: [String]
) throws {
  let (files, root) = (dependencies.files, dependencies.root)
  let partials = try Partials(files, hashing: dependencies.hashing, root: root)
  var taken = Set<String>()
  for path in fetched {
    guard let ref = manifest.files[path], ref.size > 0, !taken.contains(ref.hash),
      partials.bytes(of: ref) != ref.size
    else { continue }
    let from = "\(folder)/\(path)"
    // Something else may be in the way. The hash is looked at when it is used (DEV-20).
    guard let stat = try? files.stat(from), stat.kind == .file, stat.size == ref.size else {
      continue
    }
    taken.insert(ref.hash)
    try files.makeDirectory(partialFolder(root))
    try files.rename(from, to: "\(partialFolder(root))/\(ref.hash).\(randomId())")
  }
}
