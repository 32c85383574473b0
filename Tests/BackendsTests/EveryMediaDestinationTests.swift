import Backends
import Files
import Foundation
import JSONText
import Records
import Testing
import UploadPlanning

/// The promises about media files, held against every way that a file can take.
///
/// - **A file that is said to be stored is there, whole**, and is referred to by what was said of it.
/// - **Only the file that was planned is sent.**
/// - **A content that is kept once stays the first operation's**, however often it is sent.
/// - **A large file goes on where it was**, and is whole in the end.
/// - **A file that is said to be removed is gone**, and only whoever sent it removes it.
/// - **An answer that is lost on the way is no file**: nothing counts before the last step.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EveryMediaDestinationTests {
  @Test(arguments: MediaKind.present)
  func `a file that is said to be stored is there, and can be referred to`(kind: MediaKind)
    async throws
  {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      guard case .stored(let serverID, let version?) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      let reference = MediaReference(
        record: RecordID(entity: "media:avatar", key: media.digest.description),
        serverID: serverID
      )
      switch try await place.destination.media(reference) {
      case .present(let found, let address, let size):
        #expect(found == serverID)
        #expect(address == nil || address == version)
        #expect(size == nil || size == media.size)
      case .unknowable: #expect(kind != .bucket)
      case .absent, .other: Issue.record("it is not there")
      }
      if kind == .folder {
        let kept = URL(filePath: "\(place.folder)/kept/\(serverID)")
        #expect(try Data(contentsOf: kept) == Data(contentsOf: URL(filePath: media.source.path)))
      }
      if kind == .tickets {
        let transport = HTTPTransport()
        let answer = try await transport.perform(HTTPRequest(method: "GET", url: version))
        await transport.shutdown()
        #expect(answer.body == Array(try Data(contentsOf: URL(filePath: media.source.path))))
      }
      if kind == .assets {
        #expect(await place.create("n1", picture: version, media).word(7) == "stored")
      }
    }
  }

  @Test(arguments: MediaKind.present)
  func `a file that is not the planned one any more is not sent`(kind: MediaKind) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      let changed = Data(try Data(contentsOf: URL(filePath: media.source.path)).reversed())
      try changed.write(to: URL(filePath: media.source.path))
      guard case .rejected(let code, _) = await place.upload(media) else {
        Issue.record("it was sent")
        return
      }
      #expect(code == "media.changed")
    }
  }

  @Test(arguments: MediaKind.addressedByContent)
  func `a content that is kept once is sent again without a change`(kind: MediaKind) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      let first = await place.upload(media)
      #expect(first.word == "stored")
      #expect(await place.upload(media) == first)
    }
  }

  @Test(.enabled(if: MediaKind.swift != nil, "skipped: FERRY_SWIFT is not set"))
  func `a content in a bucket stays the first operation's`() async throws {
    try await withMediaPlace(.bucket) { place in
      let media = try place.file("a picture")
      let first = await place.upload(media, by: 1)
      #expect(await place.upload(media, by: 2) == first)
      guard case .stored(let serverID, _) = first else { return }
      #expect(await place.remove(media, serverID, by: 2).word == "conflicted")
      #expect(await place.remove(media, serverID, by: 1).word == "removed")
    }
  }

  @Test(arguments: MediaKind.present)
  func `a large file is whole`(kind: MediaKind) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a film", size: 9 << 20)
      guard case .stored(let serverID, _) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      let reference = MediaReference(
        record: RecordID(entity: "media:avatar", key: media.digest.description),
        serverID: serverID
      )
      if case .present(_, _, let size?) = try await place.destination.media(reference) {
        #expect(size == media.size)
      }
    }
  }

  @Test(arguments: MediaKind.present)
  func `a file that is said to be removed is gone, and stays so`(kind: MediaKind) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      guard case .stored(let serverID, _) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      #expect(await place.remove(media, serverID).word == "removed")
      // An asset is a part of its record: there is nothing left to be removed, or to be missed.
      let again = await place.remove(media, serverID).word
      #expect(again == (kind == .assets ? "removed" : "missing"))
    }
  }

  @Test(arguments: [
    (MediaKind.tickets, "drop-after:n=1@PUT /uploads/"),
    (MediaKind.assets, "drop-after:n=1@POST /assets/"),
    (MediaKind.assets, "status:n=1:503@POST /assets/"),
    (MediaKind.assets, "truncate:n=1@POST /assets/"),
  ])
  func `a file whose answer is lost before the last step does not count, and goes again`(
    kind: MediaKind,
    faults: String
  ) async throws {
    try await withMediaPlace(kind, faults: faults) { place in
      let media = try place.file("a picture")
      #expect(await place.upload(media).word == "deferred")
      #expect(await place.upload(media).word == "stored")
    }
  }

  @Test func `a receipt is good once, for the record it was given for, and else renewed`()
    async throws
  {
    try await withMediaPlace(.assets) { place in
      let media = try place.file("a picture", of: "n1")
      guard case .stored(_, let receipt?) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      #expect(await place.create("n1", picture: receipt, media).word(7) == "stored")
      var other = media
      other.place = OutgoingMedia.Place(entity: "Note", record: "n2", field: "picture")
      #expect(await place.create("n2", picture: receipt, other).word(7) == "deferred")
      #expect(await place.create("n2", picture: receipt, other).word(7) == "stored")
    }
  }

  @Test func `without the file a receipt that is not good any more is a refusal`() async throws {
    try await withMediaPlace(.assets) { place in
      let media = try place.file("a picture", of: "n1")
      guard case .stored(_, let receipt?) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      _ = try await ask(place.address, "/__dev/cloudkit/expire-assets")
      #expect(await place.create("n1", picture: receipt, media).word(7) == "deferred")
      try Folder.remove(media.source.path)
      #expect(await place.create("n1", picture: receipt, media).word(7) == "rejected")
    }
  }
}
