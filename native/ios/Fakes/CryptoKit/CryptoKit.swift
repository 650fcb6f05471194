import CCrypto
import Foundation

// Apple's CryptoKit as it is documented, over OpenSSL: the two things that the plugin asks it for.

public struct SHA256Digest: Sequence {
  let bytes: [UInt8]
  public func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }
}

public struct SHA256 {
  private var fed: [UInt8] = []

  public init() {}
  public mutating func update(bufferPointer: UnsafeRawBufferPointer) { fed += bufferPointer }

  /// Does not end the hash: more may follow.
  public func finalize() -> SHA256Digest {
    var digest = [UInt8](repeating: 0, count: 32)
    EVP_Digest(fed, fed.count, &digest, nil, EVP_sha256(), nil)
    return SHA256Digest(bytes: digest)
  }
}

public enum CryptoKitError: Error { case incorrectKeySize }

public enum Curve25519 {
  public enum Signing {
    public struct PublicKey {
      private let bytes: [UInt8]

      public init<D: ContiguousBytes>(rawRepresentation data: D) throws {
        bytes = data.withUnsafeBytes { Array($0) }
        if bytes.count != 32 { throw CryptoKitError.incorrectKeySize }
      }

      public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D)
        -> Bool
      {
        let (signature, message) = (Array(signature), Array(data))
        let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, bytes, bytes.count)
        defer { EVP_PKEY_free(key) }
        let context = EVP_MD_CTX_new()
        defer { EVP_MD_CTX_free(context) }
        guard key != nil, EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
      }
    }
  }
}
