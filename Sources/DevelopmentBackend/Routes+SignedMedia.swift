import Crypto
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import TextCodecs

extension Routes {
  /// The bytes of a file by its public address; where media addresses are signed, only by one that was signed
  /// and has not expired, as an object storage has it.
  @Sendable
  func readMedia(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let key = try call.parameter("**")
    guard configuration.signsMediaAddresses else { return try file(key, transaction) }
    guard let expires = call.query["X-Amz-Date"], let name = call.query["X-Amz-Credential"],
      call.query["X-Amz-Signature"] == addressSignature(of: "\(name) media/\(key)", expires)
    else { return Self.storageRefusal("AccessDenied", "Access Denied") }
    guard let moment = Int64(expires), Instant.now.milliseconds < moment else {
      return Self.storageRefusal("AccessDenied", "Request has expired")
    }
    return try file(key, transaction)
  }

  /// The bytes of a stored file.
  func file(_ key: String, _ transaction: Transaction) throws -> Answer {
    let row = try transaction.row(
      "SELECT mimeType, sha256 FROM files WHERE storageKey = ? AND storedSize IS NOT NULL",
      [key]
    )
    guard let row, let bytes = try media.bytes(at: key, transaction) else {
      throw Refusal.notFound("No such file")
    }
    return Answer(body: .bytes(bytes, type: row[0])).with(.eTag, "\"\(row[1] as String)\"")
  }

  /// What an object storage says of a request that it does not grant:
  /// <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>.
  static func storageRefusal(_ code: String, _ message: String) -> Answer {
    let text = """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>\(code)</Code><Message>\(message)</Message></Error>
      """
    return Answer(
      status: .forbidden,
      body: .bytes(ByteBuffer(string: text), type: "application/xml")
    )
  }

  /// A media address as it is answered: signed anew each time, for the storage's own host, where the server
  /// does that.
  func shownAddress(_ address: JSONValue?, _ call: Call) -> JSONValue? {
    guard configuration.signsMediaAddresses, let text = address?.text,
      let scheme = text.firstRange(of: "://")
    else { return address }
    let path = String(text[scheme.upperBound...].drop { $0 != "/" }.dropFirst())
    let lifetime = configuration.mediaLifetime
    let expires = "\(Instant.now.adding(seconds: lifetime).milliseconds)"
    let name = Identifiers.token()
    let signature = addressSignature(of: "\(name) \(path)", expires)
    return .string(
      "\(call.origin)/\(path)?X-Amz-Expires=\(Int(lifetime))&X-Amz-Date=\(expires)"
        + "&X-Amz-Credential=\(name)&X-Amz-Signature=\(signature)"
    )
  }

  /// The signature of a path up to a moment; it is the same after a restart.
  func addressSignature(of path: String, _ expires: String) -> String {
    let key = SymmetricKey(data: Array("development".utf8))
    let code = HMAC<SHA256>.authenticationCode(for: Array("\(path) \(expires)".utf8), using: key)
    return Array(code).hexadecimal
  }
}

extension Transaction {
  /// Keeps the bytes of a file that no ticket was made for.
  func keepFile(
    _ bytes: [UInt8],
    _ key: String,
    _ mediaType: String,
    in store: MediaStore
  ) throws {
    let now = try tick()
    try run(
      """
      INSERT OR REPLACE INTO files (storageKey, userId, ticket, mimeType, category, fileSize,
        createdAt, expiresAt, storedSize, sha256, isConfirmed)
      VALUES (?, ?, ?, ?, 'image', ?, ?, ?, ?, ?, 1)
      """,
      [
        key, try signedInAccount().id, Identifiers.token(), mediaType, bytes.count,
        now.milliseconds, now.milliseconds, bytes.count, SHA256.hash(data: bytes).hexadecimal,
      ]
    )
    try store.keep(ByteBuffer(bytes: bytes), at: key, self)
  }
}
