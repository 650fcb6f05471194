/// The sum that a zip has of each file (ISO 3309, as RFC 1952 §8), eight bytes at a step.
struct Crc32 {
  private var register: UInt32 = 0xffff_ffff

  /// Of all bytes so far.
  var value: Int { Int(~register) }

  mutating func update(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      tables.withUnsafeBufferPointer { tables in
        var sum = register
        var at = 0
        while at + 8 <= bytes.count {
          let eight = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
          let mixed = eight ^ UInt64(sum)
          sum = 0
          for i in 0..<8 {
            sum ^= tables[(7 - i) << 8 | Int(mixed >> UInt64(8 * i) & 0xff)]
          }
          at += 8
        }
        while at < bytes.count {
          sum = sum >> 8 ^ tables[Int((sum ^ UInt32(bytes[at])) & 0xff)]
          at += 1
        }
        register = sum
      }
    }
  }
}

/// Of table `i` the sums of one byte that `i` zeros follow.
private let tables: [UInt32] = {
  var tables = [UInt32](repeating: 0, count: 8 * 256)
  for byte in 0..<256 {
    var sum = UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xedb8_8320 }
    tables[byte] = sum
  }
  for at in 256..<tables.count {
    let before = tables[at - 256]
    tables[at] = before >> 8 ^ tables[Int(before & 0xff)]
  }
  return tables
}()
