/// Whether `text` is a hash as every record spells it: 64 lower-case hexadecimal digits.
public func isSha256Hex(_ text: String) -> Bool {
  text.utf8.count == 64
    && text.utf8.allSatisfy { isDigit($0) || $0 >= UInt8(ascii: "a") && $0 <= UInt8(ascii: "f") }
}
