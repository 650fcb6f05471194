/// Most beginnings of a content: what lay there of it was wrong, or another process took it.
private let mostBeginnings = 3

/// A content to fetch: where it goes, what it is and where it is.
struct Fetching: Sendable {
  let path: String
  let ref: ContentRef
  let url: String
}

/// Fetches a content into `.partial`, from where an earlier process stopped (DEV-20). What arrived stays
/// there when it fails.
///
/// - Parameters:
///   - onBytes: Given the bytes that lay there too.
///   - onRestart: Given the bytes that have to be fetched besides, for counts only grow (DEV-16).
/// - Returns: Its file, synced, with size and hash right.
func fetchContent(
  _ dependencies: StageDependencies, partials: Partials, content: Fetching, cancel: Cancel,
  mostAgain: Double = .infinity, onBytes: (Int) -> Void, onRestart: (Int) -> Void
) throws -> String {
  let (path, ref) = (content.path, content.ref)
  for _ in 1...mostBeginnings {
    let partial = try partials.open(NamedContent(ref, label: path))
    if partial.from > 0 { onBytes(partial.from) }
    if partial.from < ref.size {
      let download = openDownload(
        dependencies, url: content.url, content: ref, from: partial.from, cancel: cancel, mostAgain: mostAgain
      )
      defer { download.close() }
      do {
        while let chunk = try download.next() {
          try partial.append(chunk)
          onBytes(chunk.count)
        }
      } catch {
        try? partial.flush()  // the first error is thrown
        throw error
      }
    }
    if try partial.finish() { return partial.path }
    onRestart(ref.size)
  }
  throw StageError(.io, message: "\(path) was changed by another process while it was fetched")
}
