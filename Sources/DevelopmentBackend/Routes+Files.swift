import Crypto
import GRDB
import HTTPTypes
import Hummingbird
import JSONText
import TextCodecs

extension Routes {
  /// Upload tickets: ask for one, put the bytes, confirm; then read or delete them.
  func addFiles(to router: Router<RouteContext>) {
    add(.post, "/api/files/upload", to: router, work: createTicket)
    add(.put, "/uploads/:ticket", to: router, for: .anybody, work: receiveBytes)
    add(.post, "/api/files/confirm", to: router, work: confirmFile)
    add(.delete, "/api/files/**", to: router, work: deleteFile)
    add(.get, "/media/**", to: router, for: .anybody, work: readMedia)
  }

  private static let imageLimit = 10 * 1_024 * 1_024
  private static let audioLimit = 50 * 1_024 * 1_024
  private static let categories: Set = ["avatar", "illustration", "pictogram", "audio"]

  @Sendable
  private func createTicket(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let body = try call.object()
    guard let fileName = body["fileName"]?.text, !fileName.isEmpty,
      let mimeType = body["mimeType"]?.text, let size = body["fileSize"]?.integer, size >= 0,
      let category = body["category"]?.text
    else {
      throw Refusal.validation("fileName, mimeType, fileSize and category are required")
    }
    guard Self.categories.contains(category) else {
      throw Refusal.validation("category: must be avatar, illustration, pictogram or audio")
    }
    let limit = category == "audio" ? Self.audioLimit : Self.imageLimit
    guard size <= limit else {
      throw Refusal(
        .contentTooLarge,
        "FileTooLarge",
        "fileSize: at most \(limit) bytes for \(category)"
      )
    }
    let limits = configuration.limits
    try transaction.use("upload_ticket", limit: limits.uploadTickets, window: limits.window)
    let account = try transaction.signedInAccount()
    let now = try transaction.tick()
    let key = "\(category)/\(account.id)/\(now.milliseconds)-\(Self.cleaned(fileName))"
    let ticket = Identifiers.token()
    let expiry = now.adding(seconds: configuration.ticketLifetime)
    try transaction.run(
      """
      INSERT INTO files (storageKey, userId, ticket, mimeType, category, fileSize, createdAt,
        expiresAt) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        key, account.id, ticket, mimeType, category, size, now.milliseconds, expiry.milliseconds,
      ]
    )
    return .data([
      "uploadUrl": .string("\(call.origin)/uploads/\(ticket)"), "storageKey": .string(key),
      "publicUrl": .string("\(publicMediaAddress(for: call))/\(key)"),
      "expiresAt": .string(expiry.text),
    ])
  }

  @Sendable
  private func receiveBytes(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let row = try transaction.row(
      "SELECT storageKey, fileSize, expiresAt, isConfirmed FROM files WHERE ticket = ?",
      [try call.parameter("ticket")]
    )
    guard let row else { throw Refusal.notFound("No such upload") }
    guard Instant.now.milliseconds < row[2] else {
      throw Refusal(.forbidden, "TicketExpired", "The upload address has expired")
    }
    guard row[3] == false else {
      throw Refusal(.conflict, "AlreadyConfirmed", "The file is already confirmed")
    }
    let size: Int = row[1]
    guard call.body.readableBytes == size else {
      throw Refusal.validation(
        "The body has \(call.body.readableBytes) bytes; the ticket is for \(size)"
      )
    }
    let key: String = row[0]
    try media.keep(call.body, at: key, transaction)
    let hexadecimal = SHA256.hash(data: call.body.readableBytesView).hexadecimal
    try transaction.run(
      "UPDATE files SET storedSize = ?, sha256 = ? WHERE storageKey = ?",
      [size, hexadecimal, key]
    )
    return Answer(body: .nothing).with(.eTag, "\"\(hexadecimal)\"")
  }

  @Sendable
  private func confirmFile(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let key = try call.object()["storageKey"]?.text ?? ""
    let row = try ownFile(key, transaction)
    guard let size: Int = row[2], let digest: String = row[3] else {
      throw Refusal(.conflict, "NotUploaded", "No bytes have arrived for this file")
    }
    try transaction.run("UPDATE files SET isConfirmed = 1 WHERE storageKey = ?", [key])
    return .data([
      "storageKey": .string(key), "size": .whole(size),
      "sha256": .string(digest),
      "publicUrl": .string("\(publicMediaAddress(for: call))/\(key)"),
    ])
  }

  @Sendable
  private func deleteFile(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let key = try call.parameter("**")
    _ = try ownFile(key, transaction)
    try transaction.run("DELETE FROM files WHERE storageKey = ?", [key])
    try media.remove(key)
    return .data(["storageKey": .string(key)])
  }

  /// The row of the account's file: key, owner, stored size, digest.
  private func ownFile(_ key: String, _ transaction: Transaction) throws -> Row {
    let row = try transaction.row(
      "SELECT storageKey, userId, storedSize, sha256 FROM files WHERE storageKey = ?",
      [key]
    )
    guard let row else { throw Refusal.notFound("File not found") }
    guard row[1] == (try transaction.signedInAccount().id) else {
      throw Refusal(.forbidden, "Forbidden", "You do not have access to this file")
    }
    return row
  }

  /// A file name of letters, digits, `.`, `-` and `_`, the rest replaced.
  private static func cleaned(_ name: String) -> String {
    String(
      name.map { character in
        character.isASCII && (character.isLetter || character.isNumber || "._-".contains(character))
          ? character : "_"
      }
    )
  }
}
