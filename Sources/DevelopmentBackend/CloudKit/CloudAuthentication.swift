import Crypto
import Foundation
import GRDB
import HTTPTypes
import JSONText
import NIOCore
import TextCodecs

/// Who sends a request of CloudKit Web Services, by one of its two ways of saying so.
struct CloudAuthentication {
  let call: Call
  let transaction: Transaction
  let settings: DevelopmentBackend.CloudKit

  /// Who it is, and the web token for the next request where one was used up.
  struct Caller {
    let userID: String
    var nextToken: String?
  }

  private static let keyHeader = HTTPField.Name("X-Apple-CloudKit-Request-KeyID")
  private static let dateHeader = HTTPField.Name("X-Apple-CloudKit-Request-ISO8601Date")
  private static let signatureHeader = HTTPField.Name("X-Apple-CloudKit-Request-SignatureV1")
  static let tokenHeader = HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token")

  /// A signature is good for ten minutes.
  private static let longestAge = 600.0

  /// Says who sends the request; a web token is used up by it.
  func caller(isPrivate: Bool) throws -> Caller {
    let keyID = header(Self.keyHeader)
    let apiToken = call.query["ckAPIToken"]
    if keyID != nil, apiToken != nil {
      throw CloudRefusal.badRequest("A request is either signed or has tokens, and never both")
    }
    if let keyID {
      guard !isPrivate else {
        throw CloudRefusal(
          .unauthorized,
          "AUTHENTICATION_FAILED",
          "A server-to-server key opens the public database only"
        )
      }
      return Caller(userID: try signer(keyID))
    }
    guard apiToken == settings.apiToken else {
      throw CloudRefusal(.unauthorized, "AUTHENTICATION_FAILED", "The API token is not known")
    }
    guard let token = call.query["ckWebAuthToken"] else {
      throw CloudRefusal.unauthenticated("request needs authorization")
    }
    return try user(token)
  }

  private func header(_ name: HTTPField.Name?) -> String? { name.flatMap { call.headers[$0] } }

  private func user(_ token: String) throws -> Caller {
    let row = try transaction.row(
      "DELETE FROM cloudTokens WHERE token = ? AND expiresAt > ? RETURNING userId",
      [token, Instant.now.milliseconds]
    )
    guard let row else {
      throw CloudRefusal.unauthenticated("The web token was used before, or has expired")
    }
    let userID: String = row[0]
    return Caller(
      userID: userID,
      nextToken: try transaction.newCloudToken(for: userID, lifetime: settings.tokenLifetime)
    )
  }

  /// Whose key it is, once the signature over date, body and path holds.
  private func signer(_ keyID: String) throws -> String {
    let row = try transaction.row(
      "SELECT userId, publicKey FROM cloudKeys WHERE id = ?",
      [keyID]
    )
    guard let row, let date = header(Self.dateHeader), let moment = Instant(date),
      let signature = header(Self.signatureHeader).flatMap({ Base64.bytes(padded: Array($0.utf8)) })
    else {
      throw CloudRefusal(.unauthorized, "AUTHENTICATION_FAILED", "The key or the date is missing")
    }
    let age = Instant.now.milliseconds - moment.milliseconds
    guard Double(age.magnitude) <= Self.longestAge * 1_000 else {
      throw CloudRefusal(.unauthorized, "AUTHENTICATION_FAILED", "The date is not near enough")
    }
    let hash = Base64.text(Array(SHA256.hash(data: call.body.readableBytesView)))
    let message = "\(date):\(hash):\(call.path)"
    do {
      let key = try P256.Signing.PublicKey(pemRepresentation: row[1])
      let proof = try P256.Signing.ECDSASignature(derRepresentation: signature)
      guard key.isValidSignature(proof, for: Data(message.utf8)) else { throw BadSignature() }
    } catch {
      throw CloudRefusal(.unauthorized, "AUTHENTICATION_FAILED", "The signature does not hold")
    }
    return row[0]
  }

  private struct BadSignature: Error {}
}

extension Transaction {
  /// A web token that is good for one request.
  func newCloudToken(for userID: String, lifetime: Double) throws -> String {
    // Real tokens hold characters that mean something in a query.
    let token = "\(Identifiers.token())+/=="
    try run(
      "INSERT INTO cloudTokens (token, userId, expiresAt) VALUES (?, ?, ?)",
      [token, userID, Instant.now.adding(seconds: lifetime).milliseconds]
    )
    return token
  }
}
