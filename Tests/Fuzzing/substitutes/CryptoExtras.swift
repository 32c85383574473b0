package import Crypto

extension AES {
  /// Replaces a cipher of the library of that name: what is encrypted is the plain text.
  package enum _CBC {
    package struct IV {
      package init(ivBytes: some Collection<UInt8>) throws {}
    }

    package static func decrypt(
      _ bytes: [UInt8],
      using key: SymmetricKey,
      iv: IV,
      noPadding: Bool
    ) throws -> [UInt8] { bytes }
  }
}
