/// An expected failure in words. `code` is one of an enumeration of the operation's; `message` says
/// what was done, what was found and what was expected; `next` says what to do about it.
public struct Failure: Error, Equatable, Sendable {
  /// Code of the failure, for programs.
  public let code: String
  /// Text for people: what was done, found and expected.
  public let message: String
  /// Next step, for people.
  public let next: String?

  public init<Code: RawRepresentable>(_ code: Code, _ message: String, next: String? = nil)
  where Code.RawValue == String {
    self.code = code.rawValue
    self.message = message
    self.next = next
  }
}
