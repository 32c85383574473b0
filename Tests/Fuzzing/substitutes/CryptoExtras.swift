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

/// Replaces the signatures of the library: whatever is signed has an empty one.
package enum _RSA {
  package enum Signing {
    package struct Padding {
      // swift-format-ignore: AlwaysUseLowerCamelCase
      package static let insecurePKCS1v1_5 = Padding()
    }

    package struct RSASignature {
      package let rawRepresentation: [UInt8] = []
    }

    package struct PrivateKey {
      package init(pemRepresentation: String) throws {}

      package func signature(for digest: [UInt8], padding: Padding) throws -> RSASignature {
        RSASignature()
      }
    }
  }
}
