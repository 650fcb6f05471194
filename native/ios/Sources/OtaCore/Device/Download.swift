private let retries = RetryRules(
  tries: 5, mostTries: 50, firstWaitMs: 250, longestWaitMs: 30_000)

/// A try that failed in a way that may pass.
private struct Interrupted: Error {
  let message: String
  /// What the server asked to be waited, in milliseconds; 0 for nothing.
  var afterMs: Double = 0
}

/// Opens a URL as a stream of bytes. What may pass (a lost connection, a stall, an answer that is cut
/// short, 408, 425, 429, 5xx) is tried again with backoff and jitter, and goes on where it stopped: by
/// `Range`, or, where a server knows none, by passing over what was had before. No byte is handed on
/// twice (DEV-13), so progress never goes back. That both halves belong together is shown by the hash at
/// the end, whatever a server makes of `If-Range`: servers behind one name tag equal bytes differently,
/// so another tag alone does not begin again.
///
/// - Parameters:
///   - size: Bytes in all, as the manifest says. Fewer is a connection that was lost, unless the server
///     itself named the smaller size: then that is what it has.
///   - from: Bytes that are there already: the first that is handed on comes after them.
///   - cancel: Gives the download up.
func openDownload(
  _ dependencies: StageDependencies, _ url: String, size: Int, from: Int, _ cancel: Cancel
) -> ChunkSource {
  DownloadStream(dependencies, url, size, from, cancel)
}

private final class DownloadStream: ChunkSource {
  private let dependencies: StageDependencies
  private let cancel: Cancel
  private let url: String
  private let size: Int
  /// Bytes that were handed on, those that were there included.
  private var done: Int
  /// What the bytes were tagged with.
  private var validator: String?
  /// Whether the server may be asked for a range: one that got it wrong is not asked again.
  private var isRanged = true
  private var tries = Tries(retries)
  private var response: HttpResponse?
  /// Bytes that were handed on when the request was sent.
  private var before = 0
  /// Bytes of the answer that were had before, and are passed over.
  private var skip = 0
  private var hasEnded = false

  init(
    _ dependencies: StageDependencies, _ url: String, _ size: Int, _ from: Int, _ cancel: Cancel
  ) {
    self.dependencies = dependencies
    self.cancel = cancel
    self.url = url
    self.size = size
    done = from
  }

  func next() throws -> [UInt8]? {
    while !hasEnded {
      do {
        if let fresh = try nextOnce() { return fresh }
        hasEnded = true
      } catch let thrown as Interrupted {
        close()
        hasEnded = done == size && done > before  // only the end is lost
        if !hasEnded { try wait(thrown) }
      }
    }
    return nil
  }

  func close() {
    response?.close()
    response = nil
  }

  private func wait(_ interrupted: Interrupted) throws {
    let waitMs = tries.next(further: done > before, afterMs: interrupted.afterMs)
    guard let waitMs else {
      throw StageError(
        .download, "\(interrupted.message); gave up after \(tries.failed) tries")
    }
    try? dependencies.clock.sleep(waitMs, cancel)  // the next try tells
  }

  /// The next bytes of the answer; `nil` at the end of all.
  private func nextOnce() throws -> [UInt8]? {
    let answer = try response ?? open()
    while let piece = try attempt({ try answer.read(timeoutMs: dependencies.stallMs) }) {
      let known = min(skip, piece.count)
      skip -= known
      if known == piece.count { continue }
      done += piece.count - known
      return known == 0 ? piece : Array(piece[known...])
    }
    close()
    if done < size && !isShort(answer) {
      throw Interrupted(message: "\(url) ended after \(done) of \(size) bytes")
    }
    return nil
  }

  /// One request, from where the last one stopped.
  private func open() throws -> HttpResponse {
    before = done
    let headers = done > 0 && isRanged ? rangeHeaders(from: done, validator: validator) : [:]
    let answer = try attempt {
      try dependencies.http.open(
        url, headers: headers, timeoutMs: dependencies.stallMs, cancel: cancel)
    }
    response = answer
    skip = try skippedBytes(answer)
    return answer
  }

  private func attempt<T>(_ step: () throws -> T) throws -> T {
    do {
      try cancel.throwIfCancelled()
      return try step()
    } catch {
      if cancel.isCancelled { throw StageError(.cancelled, "\(url) was cancelled") }
      let isStalled = error is TimeoutError
      let why =
        isStalled ? "the server sent nothing for \(dependencies.stallMs) ms" : "\(error)"
      throw Interrupted(message: "\(url) was interrupted: \(why)")
    }
  }

  /// Looks at an answer's beginning. Answers how many of its first bytes were had before.
  ///
  /// - Throws: `Interrupted` when asking again may help, `StageError` when it does not.
  private func skippedBytes(_ answer: HttpResponse) throws -> Int {
    let status = answer.status
    if url.hasPrefix("https:") && answer.url.hasPrefix("http:") {
      throw StageError(.download, "\(url) redirects to plain http at \(answer.url)")
    }
    let from = isRanged ? done : 0
    switch readRange(answer, from: from) {
    case .again(let afterMs):
      throw Interrupted(message: "\(url) answered \(status)", afterMs: afterMs)
    case .refused:
      let code: StageFailureCode = status >= 400 && status < 500 ? .missing : .download
      throw StageError(code, "\(url) answered \(status), expected 200")
    case .rest(let total) where total == nil || total == size:
      return 0
    // Some systems do not decode what they were not to ask for: such bytes cannot be passed over.
    case .whole where from == 0 || codingOf(answer) == nil:
      validator = validatorOf(answer)
      if codingOf(answer) != nil { isRanged = false }  // its ranges would be of the coded form
      return done
    default:
      isRanged = false
      throw Interrupted(message: "\(url) answered \(status) without the bytes from \(done) on")
    }
  }

  /// Whether the server has fewer bytes than the manifest says, and sent them all.
  private func isShort(_ answer: HttpResponse) -> Bool {
    answer.status == 200 && codingOf(answer) == nil
      && answer.header("content-length").flatMap(wholeNumber) == done
  }
}
