#if !COCOAPODS
  import SlipwayOtaCore
#endif

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// Hashing in native code: CryptoKit, or OpenSSL's libcrypto.
public final class SystemHashing: Hashing {
  public init() {}

  public func createSha256() -> SlipwayOtaCore.Sha256 {
    RunningSha256()
  }
}

#if canImport(CryptoKit)
  private final class RunningSha256: SlipwayOtaCore.Sha256 {
    private var hash = SHA256()

    func update(_ bytes: UnsafeRawBufferPointer) {
      hash.update(bufferPointer: bytes)
    }

    func hex() -> String {
      toHex(hash.finalize())
    }
  }
#else
  private final class RunningSha256: SlipwayOtaCore.Sha256 {
    private let context = EVP_MD_CTX_new()

    init() {
      EVP_DigestInit_ex(context, EVP_sha256(), nil)
    }

    deinit {
      EVP_MD_CTX_free(context)
    }

    func update(_ bytes: UnsafeRawBufferPointer) {
      EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    }

    func hex() -> String {
      var digest = [UInt8](repeating: 0, count: 32)
      EVP_DigestFinal_ex(context, &digest, nil)
      return toHex(digest)
    }
  }
#endif
