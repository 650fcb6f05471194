#if !COCOAPODS
  import SlipwayOtaCore
#endif

#if canImport(CryptoKit)
  import CryptoKit
#else
  import CCrypto
#endif

/// Signatures in native code: CryptoKit, or OpenSSL's libcrypto.
public final class SystemEd25519: Ed25519 {
  public init() {}

  public func verify(signature: [UInt8], message: [UInt8], publicKey: [UInt8]) -> Bool {
    guard signature.count == 64, publicKey.count == 32 else { return false }
    #if canImport(CryptoKit)
      let key = try? Curve25519.Signing.PublicKey(rawRepresentation: publicKey)
      return key?.isValidSignature(signature, for: message) ?? false
    #else
      let key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nil, publicKey, publicKey.count)
      defer { EVP_PKEY_free(key) }
      let context = EVP_MD_CTX_new()
      defer { EVP_MD_CTX_free(context) }
      guard key != nil, EVP_DigestVerifyInit(context, nil, nil, nil, key) == 1 else { return false }
      return EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
    #endif
  }
}
