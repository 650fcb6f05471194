private let retries = RetryRules(
  tries: 5, maxTries: 50, firstWaitMs: 250, longestWaitMs: 30_000)

/// Fewer bytes of an answer that does not say how many there are may be anything: a page, half a page.
private let doubtfulBytes = 64 * 1024

/// A try that failed in a way that may pass.
private struct Interrupted: Error {
  let message: String
  /// Wait that the server asked for, in milliseconds; 0 for none.
  var afterMs: Double = 0
}

/// Opens a URL as a stream of bytes. What may pass (a lost connection, a stall, an answer that is cut
/// short, 408, 425, 429, 5xx) is tried again with backoff and jitter, and goes on where it stopped: by
/// `Range`, or, where a server knows none, by passing over what was had before. No byte is handed on
/// twice (DEV-13), so progress never goes back. That both halves belong together is shown by the hash at
/// the end, whatever a server makes of `If-Range`: servers behind one name tag equal bytes differently,
/// so another tag alone does not begin again.
///
/// What an answer brought that broke off is handed on where it named the right size, or brought more than
/// 64 KiB: a page in the place of a content is not its beginning (DEV-36).
///
/// - Parameters:
///   - content: Its bytes, as the manifest says. Fewer is a connection that was lost, unless the server
///     itself named the smaller size: then that is what it has.
///   - from: Bytes that are there already: the first that is handed on comes after them.
///   - cancel: Gives the download up.
///   - maxRepeatedBytes: The most bytes that starting again may cost; infinite without another source.
func openDownload(
  _ dependencies: StageDependencies, url: String, content: ContentRef, from: Int,
  cancel: Cancel, maxRepeatedBytes: Double = .infinity
) -> ChunkSource {
  DownloadStream(
    dependencies, url: url, content: content, from: from, cancel: cancel, maxRepeatedBytes: maxRepeatedBytes)
}

private final class DownloadStream: ChunkSource {
  private let dependencies: StageDependencies
  private let cancel: Cancel
  private let url: String
  private let size: Int
  /// Bytes that are sent for one byte of it.
  private let rate: Double
  private let maxRepeatedBytes: Double
  /// Bytes that were there before.
  private let from: Int
  /// Bytes that were handed on, those that were there included.
  private var done: Int
  /// Bytes that came, those that were passed over included.
  private var receivedBytes = 0
  /// Tag of the bytes.
  private var validator: String?
  /// Whether the server may be asked for a range: one that got it wrong is not asked again.
  private var isRanged: Bool
  private var tries = Tries(retries)
  private var response: HttpResponse?
  /// Bytes that were handed on when the request was sent.
  private var before = 0
  /// Bytes of the answer that were had before, and are passed over.
  private var skip = 0
  /// Bytes that may not be of the content; `nil` once that is clear.
  private var held: [UInt8]?
  private var hasEnded = false

  init(
    _ dependencies: StageDependencies, url: String, content: ContentRef, from: Int,
    cancel: Cancel, maxRepeatedBytes: Double
  ) {
    self.dependencies = dependencies
    self.cancel = cancel
    self.url = url
    self.maxRepeatedBytes = maxRepeatedBytes
    self.from = from
    size = content.size
    let served = content.served ?? size
    isRanged = served == size  // ranges of what is stored coded are of the coded form
    rate = size == 0 ? 1 : Double(served) / Double(size)
    done = from
  }

  func next() throws -> [UInt8]? {
    while !hasEnded {
      do {
        if let fresh = try readNext() { return fresh }
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
    if !isRanged { try requireWorth(interrupted.message) }
    let waitMs = tries.next(further: done > before, afterMs: interrupted.afterMs)
    guard let waitMs else {
      throw StageError(
        .download, message: "\(interrupted.message); gave up after \(tries.failed) tries")
    }
    try? dependencies.clock.sleep(ms: waitMs, cancel: cancel)  // cancelled: the next try throws it
  }

  /// The next bytes of the answer; `nil` at the end of all.
  private func readNext() throws -> [UInt8]? {
    let answer = try response ?? open()
    while let piece = try attempt({ try answer.read(timeoutMs: dependencies.stallMs) }) {
      receivedBytes += piece.count
      let known = min(skip, piece.count)
      skip -= known
      if known == piece.count { continue }
      guard let released = releaseHeld(known == 0 ? piece : Array(piece[known...])) else { continue }
      done += released.count
      return released
    }
    close()
    let rest = held ?? []
    held = nil
    let seen = done + rest.count
    if seen < size && !isShort(answer, seen: seen) {
      throw Interrupted(message: "\(url) ended after \(seen) of \(size) bytes")
    }
    done = seen
    hasEnded = true
    return rest.isEmpty ? nil : rest
  }

  /// All that was held back, once it is clear that it is of the content; `nil` before.
  private func releaseHeld(_ fresh: [UInt8]) -> [UInt8]? {
    guard let known = held else { return fresh }
    let all = known + fresh
    let isClear = done + all.count >= size || all.count > doubtfulBytes
    held = isClear ? nil : all
    return isClear ? all : nil
  }

  /// Requires that an answer that has to come again is worth it: what came of it is lost, and the other way
  /// may cost less than that.
  private func requireWorth(_ why: String) throws {
    let lost = done - from
    if lost == 0 || Double(receivedBytes + lost) * rate <= maxRepeatedBytes { return }
    let cost = Int((Double(lost) * rate).rounded(.up))
    throw StageError(.download, message: "\(why); \(url) would cost \(cost) bytes again")
  }

  /// One request, from where the last one stopped.
  private func open() throws -> HttpResponse {
    before = done
    let wasRanged = isRanged
    let headers = done > 0 && isRanged ? rangeHeaders(from: done, validator: validator) : [:]
    let answer = try attempt {
      try dependencies.http.open(
        url, headers: headers, timeoutMs: dependencies.stallMs, cancel: cancel)
    }
    response = answer
    skip = try skippedBytes(answer)
    if skip > 0 && wasRanged { try requireWorth("\(url) knows no ranges") }
    held = namesSize(answer) ? nil : []
    return answer
  }

  private func attempt<T>(_ step: () throws -> T) throws -> T {
    do {
      try cancel.throwIfCancelled()
      return try step()
    } catch {
      if cancel.isCancelled { throw StageError(.cancelled, message: "\(url) was cancelled") }
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
      throw StageError(.download, message: "\(url) redirects to plain http at \(answer.url)")
    }
    if isPage(answer) {
      throw StageError(.missing, message: "\(url) answered \(status) with a page, expected a file")
    }
    let from = isRanged ? done : 0
    switch readRange(answer, from: from) {
    case .again(let afterMs):
      throw Interrupted(message: "\(url) answered \(status)", afterMs: afterMs)
    case .refused:
      let code: StageFailureCode = status >= 400 && status < 500 ? .missing : .download
      throw StageError(code, message: "\(url) answered \(status), expected 200")
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
  private func isShort(_ answer: HttpResponse, seen: Int) -> Bool {
    answer.status == 200 && codingOf(answer) == nil
      && answer.header("content-length").flatMap(wholeNumber) == seen
  }

  /// Whether an answer itself says that the content has as many bytes as it should (DEV-36).
  private func namesSize(_ answer: HttpResponse) -> Bool {
    if codingOf(answer) != nil { return false }
    if answer.status != 206 { return answer.header("content-length").flatMap(wholeNumber) == size }
    let total = (answer.header("content-range") ?? "").split(separator: "/").last
    return total.flatMap(wholeNumber) == size
  }

  /// No content is stored as a page: a rule of the host put one in its place.
  private func isPage(_ answer: HttpResponse) -> Bool {
    let type = (answer.header("content-type") ?? "").split(separator: ";").first ?? ""
    if trimmed(String(type)).lowercased() != "text/html" { return false }
    return answer.status == 206 || (answer.status == 200 && !namesSize(answer))
  }
}
