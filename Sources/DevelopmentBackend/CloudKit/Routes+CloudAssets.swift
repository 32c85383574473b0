import Crypto
import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import JSONText
import TextCodecs

extension Routes {
  /// Assets, as Apple's reference has them: an address for the bytes, a receipt for the record.
  ///
  /// <https://developer.apple.com/library/archive/documentation/DataManagement/Conceptual/CloudKitWebServicesReference/UploadAssets.html>
  ///
  func addCloudAssets(to router: Router<RouteContext>) {
    add(.post, "/assets/:ticket", to: router, for: .anybody, work: receiveCloudAsset)
    add(.get, "/assets/:ticket", to: router, for: .anybody, work: readCloudAsset)
    add(.post, "/__dev/cloudkit/expire-assets", to: router, for: .anybody) { _, transaction in
      try transaction.run("UPDATE cloudAssets SET expiresAt = 0 WHERE isUsed = 0")
      return .json(["success": true])
    }
  }

  /// The most bytes of one asset.
  private static let largestAsset = 50 << 20

  /// `assets/upload`: an address for each field of a record that is to hold a file.
  @Sendable
  func giveCloudAddresses(
    _ body: JSONObject,
    _ place: CloudPlace,
    _ transaction: Transaction
  ) throws -> Answer {
    let requests = body["tokens"]?.array ?? []
    guard (1...configuration.cloudKit.operationLimit).contains(requests.count) else {
      throw CloudRefusal.badRequest("tokens: between 1 and 200 are required")
    }
    let zone = try place.zone(body["zoneID"])
    guard try transaction.hasCloudZone(zone, place) else { throw CloudRefusal.zoneNotFound }
    let lifetime = configuration.cloudKit.assetLifetime
    let tokens = try requests.map { request -> JSONValue in
      guard let type = request["recordType"]?.text, let field = request["fieldName"]?.text else {
        throw CloudRefusal.badRequest("recordType and fieldName are required")
      }
      let name = request["recordName"]?.text ?? Identifiers.token()
      let ticket = Identifiers.token()
      try transaction.run(
        """
        INSERT INTO cloudAssets (ticket, scope, zone, recordName, recordType, field, expiresAt)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          ticket, place.scope, zone, name, type, field,
          Instant.now.adding(seconds: lifetime).milliseconds,
        ]
      )
      return [
        "recordName": .string(name), "fieldName": .string(field),
        "url": .string("\(place.origin)/assets/\(ticket)"),
      ]
    }
    return .json(["tokens": .array(tokens)])
  }

  /// Takes the bytes; anyone who knows the address may send them, and no one signs in here.
  @Sendable
  private func receiveCloudAsset(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let ticket = try call.parameter("ticket")
    let row = try transaction.row(
      "SELECT expiresAt, receipt FROM cloudAssets WHERE ticket = ?",
      [ticket]
    )
    guard let row else { throw Refusal.notFound("No such address") }
    guard Instant.now.milliseconds < row[0] else {
      throw Refusal(.gone, "Expired", "The address has expired")
    }
    let signatures = call.headers.filter { $0.name.canonicalName.hasPrefix("x-apple-cloudkit") }
    guard call.headers[.authorization] == nil, call.query.isEmpty, signatures.isEmpty else {
      throw Refusal.validation("A token was sent to another host than its own")
    }
    guard call.body.readableBytes <= Self.largestAsset else {
      throw Refusal(.contentTooLarge, "FileTooLarge", "An asset has at most 50 MB")
    }
    let earlier: String? = row[1]
    guard earlier == nil else { throw Refusal(.conflict, "Used", "The address was used") }
    let checksum = Base64.text(Array(SHA256.hash(data: call.body.readableBytesView)))
    let (receipt, size) = (Identifiers.token(), call.body.readableBytes)
    try transaction.run(
      "UPDATE cloudAssets SET receipt = ?, checksum = ?, size = ?, bytes = ? WHERE ticket = ?",
      [receipt, checksum, size, Data(call.body.readableBytesView), ticket]
    )
    return .json([
      "singleFile": [
        "fileChecksum": .string(checksum), "size": .whole(size), "receipt": .string(receipt),
        "wrappingKey": .string(Identifiers.token()), "referenceChecksum": .string(checksum),
      ]
    ])
  }

  @Sendable
  private func readCloudAsset(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try transaction.row(
      "SELECT bytes FROM cloudAssets WHERE ticket = ? AND isUsed = 1",
      [try call.parameter("ticket")]
    )
    let bytes: Data? = row?[0]
    guard let bytes else { throw Refusal.notFound("No such asset") }
    return Answer(body: .bytes(.init(bytes: bytes), type: "application/octet-stream"))
  }
}

extension Transaction {
  /// The statement that makes the table of assets.
  static let cloudAssetSchema = [
    """
    CREATE TABLE IF NOT EXISTS cloudAssets (
      ticket TEXT NOT NULL PRIMARY KEY, scope TEXT NOT NULL, zone TEXT NOT NULL,
      recordName TEXT NOT NULL, recordType TEXT NOT NULL, field TEXT NOT NULL,
      expiresAt INTEGER NOT NULL, receipt TEXT, checksum TEXT, size INTEGER, bytes BLOB,
      isUsed INTEGER NOT NULL DEFAULT 0)
    """
  ]

  /// The files that arrived, for tests; a receipt is no other device's to know.
  func dumpedCloudAssets() throws -> [JSONValue] {
    try rows(
      """
      SELECT recordName, field, size, isUsed FROM cloudAssets WHERE receipt IS NOT NULL
      ORDER BY recordName, field, ticket
      """
    ).map { row in
      [
        "recordName": .string(row[0]), "field": .string(row[1]), "size": .whole(row[2] as Int64),
        "isUsed": .boolean(row[3]),
      ]
    }
  }

  /// Holds the assets of a record against their receipts, each of which is good once, for the field
  /// of the record that it was asked for.
  func useCloudAssets(
    of modification: CloudModification,
    in zone: String,
    _ place: CloudPlace
  ) throws {
    for (name, field) in modification.fields where field.type == "ASSETID" && !field.value.isNull {
      let value = field.value
      try run(
        """
        UPDATE cloudAssets SET isUsed = 1
        WHERE receipt = ? AND scope = ? AND zone = ? AND recordName = ? AND recordType = ?
          AND field = ? AND checksum = ? AND size = ? AND isUsed = 0 AND expiresAt > ?
        """,
        [
          value["receipt"]?.text ?? "", place.scope, zone, modification.name, modification.type,
          name, value["fileChecksum"]?.text ?? "", value["size"]?.integer ?? -1,
          Instant.now.milliseconds,
        ]
      )
      guard database.changesCount == 1 else {
        throw CloudRefusal.badRequest("Invalid asset receipt in field '\(name)'")
      }
    }
  }
}
