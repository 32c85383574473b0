import CryptoExtras
import DestinationModel
import Foundation
import JSONText
import Profiles
import REST
import Records
import TextCodecs
import Testing

/// A sign-in with a token that the key of a service account signs, in the form of
/// <https://developers.google.com/identity/protocols/oauth2/service-account#authorizingrequests>.
struct AssertionTests {
  private static func api(server: String) throws -> Api {
    try Sample.api(
      """
      entities: { Hero: { fields: { name: name } } }
      api:
        kind: rest
        sign-in:
          server: \(server)
          request: POST /token
          form: true
          body: { grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer", assertion: "{assertion}" }
          assertion: { key: key, scope: https://example.com/data, audience: https://example.com/token }
          token: { member: access_token }
          expires: expires_in
        entities:
          Hero:
            replay: look-up
            natural-key: [name]
            list: { request: GET /heroes, items: rows, whole: true }
            create: { request: POST /heroes }
            body: { name: name }
      """
    )
  }

  private static func keyFile(_ pem: String) -> Secret {
    let file: JSONValue = [
      "type": "service_account", "client_email": "robot@example.com", "private_key_id": "k1",
      "private_key": .string(pem),
    ]
    return Secret(file.canonicalText)
  }

  /// The bytes of a part in base64url.
  private static func bytes(_ part: Substring) throws -> [UInt8] {
    let plain = part.replacing("-", with: "+").replacing("_", with: "/")
    return try #require(Base64.bytes(unpadded: Array(plain.utf8)))
  }

  @Test func `a sign-in carries a signed token as a form, and opens the account of the key`()
    async throws
  {
    let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    let credentials = GivenCredentials(["key": Self.keyFile(key.pemRepresentation)])
    try await ScriptedServer.run({ request in
      request.line == "POST /token"
        ? .json(["access_token": "t", "expires_in": 3599]) : .json(["rows": []])
    }) { server in
      let api = try Self.api(server: server.address)
      try await withDestination(at: server.address, api: api, credentials: credentials) {
        destination in
        #expect(try await destination.account() == "robot@example.com")
        _ = try await destination.page(of: "Hero", after: nil, since: nil)
      }
      let request = try #require(server.requests.first)
      #expect(request.header("Content-Type") == "application/x-www-form-urlencoded")
      let body = String(decoding: request.body, as: UTF8.self)
      let start = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
      #expect(body.hasPrefix(start))
      let parts = body.dropFirst(start.count).split(separator: ".")
      #expect(parts.count == 3)
      #expect(
        try JSONValue(parsing: Self.bytes(parts[0]))
          == ["alg": "RS256", "kid": "k1", "typ": "JWT"]
      )
      #expect(
        try JSONValue(parsing: Self.bytes(parts[1]))
          == [
            "iss": "robot@example.com", "aud": "https://example.com/token",
            "scope": "https://example.com/data", "iat": 1_800_000_000, "exp": 1_800_003_600,
          ]
      )
      let signature = _RSA.Signing.RSASignature(rawRepresentation: Data(try Self.bytes(parts[2])))
      #expect(
        key.publicKey.isValidSignature(
          signature,
          for: Data("\(parts[0]).\(parts[1])".utf8),
          padding: .insecurePKCS1v1_5
        )
      )
      #expect(server.requests[1].header("Authorization") == "Bearer t")
    }
  }

  @Test(arguments: ["not JSON", "{}", #"{"client_email": "a", "private_key": "none"}"#])
  func `a key file that cannot sign is named, and nothing is sent`(file: String) async throws {
    try await ScriptedServer.run({ _ in .json([:]) }) { server in
      let credentials = GivenCredentials(["key": Secret(file)])
      let api = try Self.api(server: server.address)
      try await withDestination(at: server.address, api: api, credentials: credentials) {
        destination in
        let error = await #expect(throws: DestinationError.self) {
          try await destination.page(of: "Hero", after: nil, since: nil)
        }
        #expect(error.map { "\($0)" }?.contains("credential “key”") == true)
        #expect(server.lines.isEmpty)
      }
    }
  }
}
