/// Numbers as a zip has them, counted from the beginning of the slice.
extension ArraySlice<UInt8> {
  func uint16(at: Int) -> Int {
    Int(self[startIndex + at]) | Int(self[startIndex + at + 1]) << 8
  }

  func uint32(at: Int) -> Int {
    uint16(at: at) | uint16(at: at + 2) << 16
  }

  /// A number of eight bytes; past 2^53 not exact, and larger than any file.
  func wide(at: Int) -> Double {
    Double(uint32(at: at)) + Double(uint32(at: at + 4)) * 4_294_967_296
  }

  /// `length` bytes from `at` on.
  func part(at: Int, length: Int) -> ArraySlice<UInt8> {
    self[(startIndex + at)..<(startIndex + at + length)]
  }
}
