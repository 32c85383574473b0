import DestinationModel
import Files
import Foundation
import HTTPTransport
import JSONText
import Records
import S3Media
import TestSupport
import Testing
import UploadPlanning

/// The promises about media files, held against every way that a file can take.
///
/// - **A file that is said to be stored is there, whole**, and is referred to by what was said of it.
/// - **Only the file that was planned is sent.**
/// - **A content that is kept once stays the first operation's**, however often it is sent.
/// - **A large file is whole in the end**, and where its parts are kept it goes on where it was, in a
///   later process too.
/// - **A file that is said to be removed is gone**, and only anyone who sent it removes it.
/// - **An answer that is lost on the way is no file**: nothing counts before the last step.
/// - **What was broken off leaves nothing** once it is rolled back.
/// - **A list of files is whole or not given**, and no one needs the right to it to send a file or to
///   roll it back.
///
/// What not every way can do is one of its ``MediaTraits``; a test says what comes of it either way.
@Suite(.serialized, .timeLimit(.minutes(5)))
struct EveryMediaDestinationTests {
  @Test(arguments: MediaKind.present)
  func `a file whose upload was confirmed exists, and can be referred to`(kind: MediaKind)
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
      case .present(let found, let address, let size, _):
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

  /// That it could not be opened says nothing of the file: it is sent once the system has means again.
  @Test(arguments: MediaKind.present)
  func `a file that cannot be opened for lack of descriptors is postponed, not refused`(
    kind: MediaKind
  ) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      var unopened = OutgoingMedia(
        source: FileSource(media.source.path, opening: NoMoreFiles()),
        size: media.size,
        digest: media.digest,
        category: media.category,
        name: media.name,
        mediaType: media.mediaType
      )
      unopened.place = media.place
      guard case .deferred(let reason) = await place.upload(unopened) else {
        Issue.record("it is not put off")
        return
      }
      #expect(reason.contains("Too many open files"))
      #expect(await place.upload(media).word == "stored")
    }
  }

  @Test(arguments: MediaKind.addressedByContent)
  func `a file content that the destination stores once can be sent again`(kind: MediaKind)
    async throws
  {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      let first = await place.upload(media)
      #expect(first.word == "stored")
      #expect(await place.upload(media) == first)
    }
  }

  /// A folder takes one at a time.
  @Test(arguments: MediaKind.present.filter { $0 != .folder })
  func `two runs send the same content at once, and only one of them rolls it back`(
    kind: MediaKind
  ) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      async let one = place.upload(media, by: 1)
      async let other = place.upload(media, by: 2)
      let outcomes = await (one, other)
      guard let first = outcomes.0.place, let second = outcomes.1.place else {
        Issue.record("not stored: \(outcomes)")
        return
      }
      let removals = [
        await place.remove(media, first, by: 1).word, await place.remove(media, second, by: 2).word,
      ]
      if kind.traits.contains(.knowsSender) {
        #expect(first == second)
        #expect([["removed", "missing"], ["conflicted", "removed"]].contains(removals))
      } else {
        // Each has a file of its own.
        #expect(first != second || kind == .assets)
        #expect(removals == ["removed", "removed"])
      }
      #expect(try place.fileCount() == 0)
    }
  }

  @Test(arguments: MediaKind.present)
  func `a file in the place of a content is not overwritten`(kind: MediaKind) async throws {
    try await withMediaPlace(kind) { place in
      let media = try place.file("a picture")
      guard case .stored(let serverID, _) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      guard kind.traits.contains(.knowsSender), let bucket = place.bucket else {
        // Another operation's file of the same content has a place of its own.
        if case .stored(let other, _) = await place.upload(media, by: 2) {
          #expect(other != serverID || kind == .assets)
        }
        return
      }
      let foreign = try place.file("a foreign file", size: 5)
      try bucket.put(serverID, foreign.source.path)
      guard case .rejected(let code, _) = await place.upload(media) else {
        Issue.record("not refused")
        return
      }
      #expect(code == "media.occupied")
      #expect(try bucket.objects().map(\.sha256) == [foreign.digest.description])
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
      if case .present(_, _, let size?, _) = try await place.destination.media(reference) {
        #expect(size == media.size)
      }
    }
  }

  @Test(arguments: MediaKind.present)
  func
    `a large file that was broken off is sent by a later process, without the parts that are there`(
      kind: MediaKind
    ) async throws
  {
    try await withMediaPlace(kind, faults: kind.breakingOff) { place in
      let media = try place.file("a film", size: 9 << 20)
      try await place.breakOff(media)
      #expect(try place.fileCount() == 0)
      let before = try place.bucket?.parts() ?? [:]
      #expect(before.count == (kind.traits.contains(.keepsParts) ? 1 : 0))

      let answer = await place.send(.uploadMedia, media, to: try place.anew(nil))
      #expect(answer.word(1) == "stored", "\(answer)")
      let after = try place.bucket?.parts() ?? [:]
      for (name, moment) in before { #expect(after[name] == moment) }
      #expect(after.count == before.count * 2)
      if let bucket = place.bucket {
        #expect(try bucket.objects().map(\.sha256) == [media.digest.description])
      }
      #expect(try place.fileCount() == (kind == .assets ? 0 : 1))
    }
  }

  @Test(arguments: MediaKind.present)
  func `a broken-off upload leaves no file after its rollback`(
    kind: MediaKind
  ) async throws {
    try await withMediaPlace(kind, faults: kind.breakingOff) { place in
      let media = try place.file("a film", size: 9 << 20)
      try await place.breakOff(media)
      let later = try place.anew(nil)
      if kind.traits.contains(.keepsParts) {
        let page = try await Self.lastPage(of: later)
        #expect(page.unfinished.count == 1)
        #expect(page.unfinished.allSatisfy { $0.hasSuffix(media.digest.description) })
      }
      let answer = await place.send(.removeMedia, media, to: later)
      // Where no parts are kept there is nothing that could be asked for.
      if kind.traits.contains(.keepsParts) { #expect(answer.word(1) == "missing", "\(answer)") }
      #expect(try place.fileCount() == 0)
      #expect(try place.bucket?.parts().isEmpty ?? true)
      if kind.traits.contains(.keepsParts) {
        #expect(try await Self.lastPage(of: later).unfinished.isEmpty)
      }
    }
  }

  @Test(arguments: MediaKind.present)
  func `a destination that lists files lists only the account's files`(
    kind: MediaKind
  ) async throws {
    try await withMediaPlace(kind) { place in
      let media = [try place.file("a picture"), try place.file("another", size: 7)]
      var sent: [String: Int64] = [:]
      for (number, file) in media.enumerated() {
        guard case .stored(let serverID, _) = await place.upload(file, by: Int64(number)) else {
          Issue.record("not stored")
          return
        }
        sent[serverID] = file.size
      }
      guard kind.traits.contains(.lists) else {
        #expect(try await place.destination.mediaPage(of: "media:avatar", after: nil) == nil)
        return
      }
      if let bucket = place.bucket {
        // Another account's, and one that is no content's.
        try bucket.put("avatar/another/\(media[0].digest)", media[0].source.path)
        let own = try #require(sent.keys.min())
        try bucket.put("\(own.dropLast(64))picture.png", media[0].source.path)
      }
      var found: [String: Int64] = [:]
      for page in try await Self.pages(of: place.destination) {
        #expect(page.refusal == nil && page.unfinished.isEmpty)
        for file in page.files { found[file.serverID] = file.size }
      }
      #expect(found == sent)
    }
  }

  @Test(arguments: MediaKind.present)
  func `without the right to list files, files are sent and rolled back, with a warning`(
    kind: MediaKind
  ) async throws {
    try await withMediaPlace(kind, isBlind: true) { place in
      let media = [try place.file("a picture"), try place.file("a film", size: 9 << 20)]
      for file in media {
        guard case .stored(let serverID, _) = await place.upload(file) else {
          Issue.record("not stored: \(await place.upload(file))")
          return
        }
        if place.bucket != nil {
          let refusals = try await Self.pages(of: place.destination).compactMap(\.refusal)
          #expect(refusals.count == 2)
          #expect(refusals.allSatisfy { $0.reason.contains("AccessDenied") && !$0.cure.isEmpty })
        }
        #expect(await place.remove(file, serverID).word == "removed")
      }
      #expect(try place.fileCount() == 0)
    }
  }

  @Test(.enabled(if: ObjectStore.python != nil, "skipped: FERRY_SWIFT is not set"))
  func `if unlisted parts may remain, a file is not reported as gone`() async throws {
    try await withMediaPlace(.bucket, isBlind: true) { place in
      let media = try place.file("a film", size: 9 << 20)
      try await place.breakOff(media)
      guard case .rejected(let code, let reason) = await place.remove(media, nil) else {
        Issue.record("it was said to be gone")
        return
      }
      #expect(code == "media.parts-unlisted")
      #expect(reason.contains("AccessDenied"))
    }
  }

  /// All pages of the account's pictures.
  private static func pages(of destination: any Destination) async throws -> [MediaPage] {
    var pages: [MediaPage] = []
    var mark: String?
    repeat {
      guard let page = try await destination.mediaPage(of: "media:avatar", after: mark) else {
        return pages
      }
      pages.append(page)
      mark = page.next
    } while mark != nil
    return pages
  }

  private static func lastPage(of destination: any Destination) async throws -> MediaPage {
    try #require(try await pages(of: destination).last)
  }

  @Test(arguments: MediaKind.present)
  func `a file whose removal was confirmed is gone, and stays gone`(kind: MediaKind) async throws {
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
  func `a file whose answer is lost before the last step is sent again`(
    kind: MediaKind,
    faults: String
  ) async throws {
    try await withMediaPlace(kind, faults: faults) { place in
      let media = try place.file("a picture")
      #expect(await place.upload(media).word == "deferred")
      #expect(await place.upload(media).word == "stored")
    }
  }

  @Test func `an upload receipt is valid once, for its own record, and renewed otherwise`()
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

  @Test func `an asset is deleted with its record, and stays with another record that has it`()
    async throws
  {
    try await withMediaPlace(.assets) { place in
      let media = try place.file("a picture", of: "n1")
      guard case .stored(let serverID, let receipt?) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      let made = await place.create("n1", picture: receipt, media)
      guard case .stored(_, let version) = made.outcomes[7] else {
        Issue.record("\(made)")
        return
      }
      #expect(await place.remove(media, serverID).word == "conflicted")
      let note = OutgoingBatch.Item.number(8, serverID: "n1", version: version)
      #expect(await place.destination.send(.notes(.delete, [note])).word(8) == "removed")
      #expect(await place.remove(media, serverID).word == "removed")
    }
  }

  @Test func `an expired receipt without its file is a refusal`() async throws {
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

/// A system whose files are all in use.
private struct NoMoreFiles: FileOpening {
  func content(of file: consuming InputFile) throws(FileError) -> any FileContent {
    throw FileError(.open, "a file", number: EMFILE)
  }
}

extension ItemOutcome {
  /// Where a file is, anyone who sent it there.
  fileprivate var place: String? {
    switch self {
    case .stored(let serverID, _), .adopted(let serverID, _): serverID
    case .displaced, .staged, .removed, .rejected, .exists, .conflicted, .missing, .deferred,
      .unnamed, .unknown:
      nil
    }
  }
}
