import Crypto
import DestinationModel
import HTTPTransport
import TextCodecs

/// Signs requests with a server-to-server key.
///
/// The message is the date, the digest of the body in base64 and the path, with colons between; the
/// signature is ECDSA over P-256 in DER. It is good for about ten minutes, so each attempt has its own.
struct CloudKitSigner {
  let keyID: String
  private let key: P256.Signing.PrivateKey

  /// Takes a private key in PEM, as `openssl ecparam -name prime256v1 -genkey` writes it.
  init(keyID: String, key: Secret) throws(DestinationError) {
    self.keyID = keyID
    do {
      self.key = try P256.Signing.PrivateKey(pemRepresentation: Self.keyBlock(of: key.exposed))
    } catch {
      throw .misconfigured(
        reason: "the credential “private-key” is not a P-256 key in PEM",
        cure: "make one with: openssl ecparam -name prime256v1 -genkey -noout -out key.pem"
      )
    }
  }

  /// The header fields of one attempt.
  func fields(
    path: String,
    body: [UInt8],
    now: Double
  ) throws(DestinationError) -> [SecretField] {
    let date = Self.date(now)
    let digest = Base64.text(Array(SHA256.hash(data: body)))
    let signature: P256.Signing.ECDSASignature
    do {
      signature = try key.signature(for: Array("\(date):\(digest):\(path)".utf8))
    } catch {
      throw .misconfigured(
        reason: "a request cannot be signed: \(error)",
        cure: "check the credential “private-key”"
      )
    }
    let prefix = "X-Apple-CloudKit-Request-"
    return [
      SecretField(name: prefix + "KeyID", value: Secret(keyID)),
      SecretField(name: prefix + "ISO8601Date", value: Secret(date)),
      SecretField(
        name: prefix + "SignatureV1",
        value: Secret(Base64.text(Array(signature.derRepresentation)))
      ),
    ]
  }

  /// The key alone: openssl writes the parameters of the curve before it.
  private static func keyBlock(of text: String) -> String {
    guard let end = text.firstRange(of: "-----END EC PARAMETERS-----") else { return text }
    return String(text[end.upperBound...].drop { $0.isWhitespace })
  }

  /// The moment as `2026-11-20T10:00:00Z`; there may be no fraction.
  private static func date(_ now: Double) -> String {
    Timestamp.text(secondsSince1970: Int64(now.rounded(.down)))
  }
}
