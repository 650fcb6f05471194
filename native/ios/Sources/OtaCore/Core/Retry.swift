import Foundation

// May this answer be asked for again, and when.

/// Whether the same request may be answered otherwise later, by the status alone: 408, 425, 429, and
/// what the server blames on itself, except that it cannot do it at all (501) (RFC 9110 §15).
func isTransient(_ status: Int) -> Bool {
  status == 408 || status == 425 || status == 429 || (status >= 500 && status != 501)
}

/// Reads the wait that an answer asks for, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110
/// §10.2.3); 0 for none. A date counts from the answer's own `Date`, so that no clock needs to be right.
func retryAfterMs(_ answer: HttpResponse) -> Double {
  let value = trimmed(answer.header("retry-after"))
  if !value.isEmpty, value.utf8.allSatisfy(isDigit) {
    return (Double(value) ?? 0) * 1000
  }
  guard let sent = httpDate(answer.header("date")), let until = httpDate(value) else { return 0 }
  return max((until - sent) * 1000, 0)
}

/// Seconds since the epoch of `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7); `nil` for what is no date.
private func httpDate(_ text: String?) -> Double? {
  let format = DateFormatter()
  format.locale = Locale(identifier: "en_US_POSIX")
  format.timeZone = TimeZone(identifier: "GMT")
  format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss zzz"
  return format.date(from: trimmed(text))?.timeIntervalSince1970
}

/// Number and pace of attempts.
struct RetryRules {
  /// Tries in a row that come no further.
  let tries: Int
  /// Tries in all, so that a line that breaks after every byte has an end.
  let maxTries: Int
  /// The wait after the first try, in milliseconds; it doubles with every one that comes no further.
  let firstWaitMs: Double
  /// The longest wait, whatever a server asks for, in milliseconds.
  let longestWaitMs: Double
}

/// The tries of one piece of work: counts those that failed, and spreads those to come.
struct Tries {
  /// Tries that failed so far.
  private(set) var failed = 0
  private let rules: RetryRules
  private var triesInRow = 0

  init(_ rules: RetryRules) {
    self.rules = rules
  }

  /// Counts a failed try, which came `further` than all before or not, and after which the server asked
  /// to wait. Answers milliseconds before the next one; `nil` when there is none.
  mutating func next(further: Bool, afterMs: Double) -> Double? {
    failed += 1
    triesInRow = further ? 1 : triesInRow + 1
    if triesInRow >= rules.tries || failed >= rules.maxTries { return nil }
    let backoffMs = rules.firstWaitMs * pow(2, Double(triesInRow - 1)) * Double.random(in: 0.5..<1.5)
    return min(max(backoffMs, afterMs), rules.longestWaitMs)
  }
}
