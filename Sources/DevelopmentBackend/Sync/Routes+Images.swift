import Foundation
import GRDB
import HTTPTypes
import Hummingbird
import JSONText
import NIOCore

extension Routes {
  /// Pictures of notes as the app's own server has them: sent as a form, read at an address that is signed
  /// and expires, or with a token.
  ///
  /// No route removes one.
  func addImages(to router: Router<RouteContext>) {
    add(.post, "/api/images", to: router, work: createImage)
    add(.get, "/api/images/:id", to: router, for: .anybody, work: readImage)
    add(.get, "/api/images/:id/url", to: router) { call, transaction in
      let image = try ownImage(call, transaction)
      return .json(["url": .string(signedImageAddress(image.id, call))])
    }
    add(.get, "/api/notes/:id/images", to: router) { call, transaction in
      guard let id = SyncColumn.identity(try call.parameter("id")) else {
        throw Self.syncRefusal(.badRequest, "invalid_request", "invalid note ID")
      }
      let note = try ownNote(id, transaction)
      let images = try transaction.images(ofNote: note.id)
      return .json(.array(images.map { shown($0, call) }))
    }
  }

  /// A form may not have more bytes.
  private static let largestForm = 10 << 20

  @Sendable
  private func createImage(_ call: Call, _ transaction: Transaction) throws -> Answer {
    guard call.body.readableBytes <= Self.largestForm, let form = MultipartForm(call) else {
      let message = "file too large or invalid form"
      throw Self.syncRefusal(.badRequest, "invalid_request", message)
    }
    guard let file = form.part("file"), let fileName = file.fileName else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "file is required")
    }
    guard let text = form.text("note_id"), !text.isEmpty else {
      throw Self.syncRefusal(.badRequest, "validation_error", "note_id is required")
    }
    guard let id = SyncColumn.identity(text) else {
      throw Self.syncRefusal(.badRequest, "invalid_request", "invalid note ID")
    }
    let note = try ownNote(id, transaction)
    guard let type = ImageType(file.bytes) else {
      let message = "invalid file type. allowed: jpeg, png, gif, webp"
      throw Self.syncRefusal(.badRequest, "validation_error", message)
    }
    let image = StoredImage(
      id: UUID().uuidString.lowercased(),
      noteID: note.id,
      fileName: fileName.split(separator: "/").last.map(String.init) ?? "image.\(type.rawValue)",
      type: type,
      size: Int64(file.bytes.count),
      createdAt: try transaction.tick()
    )
    try transaction.add(image)
    try transaction.keepFile(file.bytes, image.storageKey, image.type.mediaType, in: media)
    return .json(shown(image, call), status: .created)
  }

  @Sendable
  private func readImage(_ call: Call, _ transaction: Transaction) throws -> Answer {
    let image: StoredImage
    if let expires = call.query["expires"], let signature = call.query["sig"] {
      let id = try call.parameter("id")
      guard signature == addressSignature(of: id, expires) else {
        throw Self.syncRefusal(.forbidden, "forbidden", "invalid signature")
      }
      guard let moment = Int64(expires), Instant.now.milliseconds < moment else {
        throw Self.syncRefusal(.forbidden, "forbidden", "url expired")
      }
      guard let found = try transaction.image(id) else {
        throw Self.syncRefusal(.notFound, "not_found", "image not found")
      }
      image = found
    } else {
      image = try ownImage(call, transaction)
    }
    guard let bytes = try media.bytes(at: image.storageKey, transaction) else {
      throw Self.syncRefusal(.notFound, "not_found", "image file not found")
    }
    return Answer(body: .bytes(bytes, type: image.type.mediaType))
  }

  private func ownImage(_ call: Call, _ transaction: Transaction) throws -> StoredImage {
    _ = try transaction.signedInAccount()
    guard let image = try transaction.image(try call.parameter("id")) else {
      throw Self.syncRefusal(.notFound, "not_found", "image not found")
    }
    _ = try ownNote(image.noteID, transaction)
    return image
  }

  private func shown(_ image: StoredImage, _ call: Call) -> JSONValue {
    var object = image.object
    object["url"] = .string(signedImageAddress(image.id, call))
    return .object(object)
  }

  private func signedImageAddress(_ id: String, _ call: Call) -> String {
    let expires = "\(Instant.now.adding(seconds: configuration.mediaLifetime).milliseconds)"
    let signature = addressSignature(of: id, expires)
    return "\(call.origin)/api/images/\(id)?expires=\(expires)&sig=\(signature)"
  }
}

/// A picture of a note, without its bytes.
struct StoredImage: Sendable {
  let id: String
  let noteID: String
  let fileName: String
  let type: ImageType
  let size: Int64
  let createdAt: Instant

  var storageKey: String { "\(id).\(type.rawValue)" }

  var object: JSONObject {
    [
      "id": .string(id), "note_id": .string(noteID), "filename": .string(fileName),
      "mime_type": .string(type.mediaType), "storage_key": .string(storageKey),
      "size": .whole(size), "created_at": .string(createdAt.text),
    ]
  }
}

/// A form of picture, known by its first bytes and not by its name.
enum ImageType: String, Sendable, CaseIterable {
  case jpeg = "jpg"
  case png, gif, webp

  init?(_ bytes: [UInt8]) {
    func begins(_ start: [UInt8]) -> Bool { bytes.starts(with: start) }
    if begins([0xFF, 0xD8, 0xFF]) {
      self = .jpeg
    } else if begins([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
      self = .png
    } else if begins(Array("GIF87a".utf8)) || begins(Array("GIF89a".utf8)) {
      self = .gif
    } else if begins(Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBPVP".utf8)) {
      self = .webp
    } else {
      return nil
    }
  }

  var mediaType: String { self == .jpeg ? "image/jpeg" : "image/\(rawValue)" }
}

extension Transaction {
  /// The statement that makes the table of pictures.
  static let imageSchema = [
    """
    CREATE TABLE IF NOT EXISTS images (
      id TEXT NOT NULL PRIMARY KEY, noteId TEXT NOT NULL, fileName TEXT NOT NULL,
      type TEXT NOT NULL, size INTEGER NOT NULL, createdAt INTEGER NOT NULL) WITHOUT ROWID
    """
  ]

  private static let imageSelection =
    "SELECT id, noteId, fileName, type, size, createdAt FROM images"

  func add(_ image: StoredImage) throws {
    try run(
      "INSERT INTO images (id, noteId, fileName, type, size, createdAt) VALUES (?, ?, ?, ?, ?, ?)",
      [
        image.id, image.noteID, image.fileName, image.type.rawValue, image.size,
        image.createdAt.milliseconds,
      ]
    )
  }

  func image(_ id: String) throws -> StoredImage? {
    try row("\(Self.imageSelection) WHERE id = ?", [id]).flatMap { Self.image($0) }
  }

  func images(ofNote id: String) throws -> [StoredImage] {
    try rows("\(Self.imageSelection) WHERE noteId = ? ORDER BY createdAt, id", [id])
      .compactMap { Self.image($0) }
  }

  private static func image(_ row: Row) -> StoredImage? {
    ImageType(rawValue: row[3]).map { type in
      StoredImage(
        id: row[0],
        noteID: row[1],
        fileName: row[2],
        type: type,
        size: row[4],
        createdAt: Instant(milliseconds: row[5])
      )
    }
  }

  /// All pictures of all accounts, with the digests of their bytes, for tests.
  func dumpedImages() throws -> [JSONValue] {
    try rows("\(Self.imageSelection) ORDER BY noteId, createdAt, id").compactMap { row in
      guard let image = Self.image(row) else { return nil }
      var object = image.object
      let file = try self.row(
        "SELECT sha256 FROM files WHERE storageKey = ?",
        [image.storageKey]
      )
      object["sha256"] = .text(file?[0])
      return .object(object)
    }
  }
}
