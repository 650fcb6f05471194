/// Times that a content is started at most: its bytes on disk were wrong, or another process took them.
private let maxStarts = 3

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
///   - onBytes: Called with the bytes on disk, too.
///   - onRestart: Called with the bytes that are fetched again: counts only grow (DEV-16).
/// - Returns: Its file, synced, with size and hash right.
func fetchContent(
  _ dependencies: StageDependencies, partials: Partials, content: Fetching, cancel: Cancel,
  maxRepeatedBytes: Double = .infinity, onBytes: (Int) -> Void, onRestart: (Int) -> Void
) throws -> String {
  let (path, ref) = (content.path, content.ref)
  for _ in 1...maxStarts {
    let partial = try partials.open(NamedContent(ref, label: path))
    if partial.from > 0 { onBytes(partial.from) }
    if partial.from < ref.size {
      let download = openDownload(
        dependencies, url: content.url, content: ref, from: partial.from, cancel: cancel,
        maxRepeatedBytes: maxRepeatedBytes
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
