/// 96 random bits in hex: for launch tokens, and for names that must not meet another. Swift's own
/// generator is the system's, which is fit for keys.
func randomId() -> String {
  toHex((0..<12).map { _ in UInt8.random(in: .min ... .max) })
}
