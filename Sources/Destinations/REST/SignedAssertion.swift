import Crypto
import CryptoExtras
import DestinationModel
import JSONText
import Profiles
import TextCodecs

/// A JSON Web Token that a key signs by RS256, for one sign-in.
///
/// Its form is that of <https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests>.
struct SignedAssertion {
  /// Who asks: the address of the service account.
  let issuer: String
  let text: Secret

  /// Takes a key file as JSON; `now` is in seconds since 1970.
  init(_ rule: AssertionRule, key document: Secret, now: Double) throws(DestinationError) {
    guard let file = JSONObject(parsing: Array(document.exposed.utf8)),
      let issuer = file["client_email"]?.text, let pem = file["private_key"]?.text
    else { throw Self.unusable(rule, "has no “client_email” and “private_key”") }
    self.issuer = issuer
    var header = JSONObject()
    header["alg"] = "RS256"
    header["typ"] = "JWT"
    header["kid"] = file["private_key_id"]
    let moment = Int64(now.rounded(.down))
    var claims = JSONObject()
    claims["iss"] = .string(issuer)
    claims["aud"] = .string(rule.audience)
    claims["iat"] = .number(JSONNumber(moment))
    claims["exp"] = .number(JSONNumber(moment + Self.life))
    claims["scope"] = rule.scope.map { .string($0) }
    let signed = "\(Self.encoded(header)).\(Self.encoded(claims))"
    do {
      let key = try _RSA.Signing.PrivateKey(pemRepresentation: pem)
      // RS256 is PKCS #1 1.5: https://www.rfc-editor.org/rfc/rfc7518#section-3.3
      let signature = try key.signature(
        for: SHA256.hash(data: Array(signed.utf8)),
        padding: .insecurePKCS1v1_5
      )
      text = Secret("\(signed).\(Self.encoded(Array(signature.rawRepresentation)))")
    } catch {
      throw Self.unusable(rule, "has no RSA key of 2048 bits or more in PEM")
    }
  }

  /// How long it is good for, in seconds: the longest that Google takes.
  private static let life: Int64 = 3_600

  private static func encoded(_ object: JSONObject) -> String {
    encoded(JSONValue.object(object).canonicalBytes)
  }

  /// Base64url without padding: <https://www.rfc-editor.org/rfc/rfc7515#section-2>.
  private static func encoded(_ bytes: [UInt8]) -> String {
    String(
      Base64.text(bytes).compactMap { character -> Character? in
        switch character {
        case "+": "-"
        case "/": "_"
        case "=": nil
        default: character
        }
      }
    )
  }

  private static func unusable(_ rule: AssertionRule, _ why: String) -> DestinationError {
    .misconfigured(
      reason: "the credential “\(rule.key)” \(why)",
      cure: "give the key file of a service account: --credential \(rule.key)=file:KEY.json"
    )
  }
}

extension SignIn {
  /// The body of the request that signs in.
  func body(_ members: [(name: String, value: String)]) -> [UInt8] {
    if isForm {
      let all = members + flags.map { ($0.key, "\($0.value)") }
      let pairs = all.map {
        "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))"
      }
      return Array(pairs.joined(separator: "&").utf8)
    }
    var body = JSONObject()
    for (name, flag) in flags { body[name] = .boolean(flag) }
    for member in members { body[member.name] = .string(member.value) }
    return JSONValue.object(body).canonicalBytes
  }
}
