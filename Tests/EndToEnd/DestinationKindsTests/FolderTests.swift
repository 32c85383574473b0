import DestinationModel
import Files
import Folder
import Foundation
import JSONText
import LongTexts
import Profiles
import Records
import REST
import Testing
import TestSupport
import UploadPlanning

/// What a folder promises beside the contract of every destination.
struct FolderTests {
  private func withFolder(
    _ body: @escaping @Sendable (ContractPlace, String) async throws -> Void
  ) async throws {
    try await withPlace(.folder) { place in
      try await body(place, String(place.address.dropFirst("file:".count)))
    }
  }

  @Test func `a record is one file of one line of JSON`() async throws {
    try await withFolder { place, folder in
      _ = try await place.send(.create, [place.item(1, "ä\n")])
      let text = try String(contentsOfFile: "\(folder)/Note/n1.json", encoding: .utf8)
      #expect(text == #"{"data":{"text":"ä\n"},"id":"n1"}"# + "\n")
    }
  }

  @Test(arguments: [
    "../../escape", "A", "a/b", "ünï", ".hidden", "CON", String(repeating: "x", count: 300), "a b~",
  ])
  func `every identity has its own file inside the folder`(id: String) async throws {
    try await withFolder { place, folder in
      let items = [id, id.lowercased() + "-other", "a"].enumerated().map { number, id in
        OutgoingBatch.Item.number(Int64(number), id: id, body: ["text": .string(id)])
      }
      _ = try await place.send(.create, items)
      #expect(try await place.record(id)?.serverID == id)
      let texts = try await place.texts()
      #expect(texts.allSatisfy { $0.key == $0.value } && texts[id] == id && texts.count == 3)
      let parent = URL(filePath: folder).deletingLastPathComponent().path
      #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["kept"])
    }
  }

  @Test func `a document may have more than 64 MiB in long texts`() async throws {
    try await withFolder { place, _ in
      let texts = LongTexts()
      #expect(place.destination.standIn(texts))
      let whole: JSONValue = ["text": .string(String(repeating: "x", count: 65 << 20))]
      let body = try JSONValue(parsing: texts.standingIn(whole.canonicalBytes))
      let sent = try await place.send(.create, [.number(1, id: "n1", body: body)])
      guard case .stored? = sent.outcomes[1] else {
        Issue.record("\(sent)")
        return
      }
      #expect(try await place.record("n1")?.body == body.canonicalBytes)
    }
  }

  @Test func `the records of an entity called media are not among the media files`() async throws {
    try await withTemporaryFolder { folder in
      let api = try #require(
        try Profile(
          yaml: """
            ferry-profile: 1
            app: kept
            entities: { media: { fields: { text: text } }, my-Note: { fields: { text: text } } }
            api:
              kind: folder
              entities: { media: { body: { text: text } }, my-Note: { body: { text: text } } }
            """,
          path: "p"
        ).api
      )
      let destination = try FolderDestination(api: api, address: "file:\(folder)/kept")
      for entity in ["media", "my-Note"] as [EntityName] {
        let item = OutgoingBatch.Item(
          operation: 1,
          record: RecordID(entity: entity, key: "n1"),
          clientID: "n1",
          key: "k1",
          body: Array(#"{"text":"a"}"#.utf8)
        )
        let batch = OutgoingBatch(entity: entity, verb: .create, items: [item])
        _ = await destination.send(batch)
        #expect(try await destination.page(of: entity, after: nil, since: nil).records.count == 1)
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept")
        .filter { !$0.hasPrefix(".") }.sorted()
      #expect(names.count == 2 && names[0].hasPrefix("media~") && names[1] == "my-Note", "\(names)")
    }
  }

  @Test func `a draft that a killed run left is not read as a record`() async throws {
    try await withFolder { place, folder in
      _ = try await place.send(.create, [place.item(1, "a")])
      try Data("{".utf8).write(to: URL(filePath: "\(folder)/Note/.n2.json.draft"))
      #expect(try await place.texts() == ["n1": "a"])
      #expect(try await place.send(.create, [place.item(2, "b")]).word(2) == "stored")
      #expect(try await place.texts() == ["n1": "a", "n2": "b"])
    }
  }

  @Test func `a killed run's draft is removed by the next write into its folder`()
    async throws
  {
    try await withFolder { place, folder in
      try FileManager.default.createDirectory(
        atPath: "\(folder)/Note",
        withIntermediateDirectories: true
      )
      for name in [".n2.json.draft", ".mine.draft"] {
        try Data("{".utf8).write(to: URL(filePath: "\(folder)/Note/\(name)"))
      }
      #expect(try await place.send(.create, [place.item(1, "a")]).word(1) == "stored")
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(folder)/Note").sorted()
      #expect(names == [".mine.draft", "n1.json"])
    }
  }

  @Test func `a foreign file in the folder is named and not overwritten`() async throws {
    try await withFolder { place, folder in
      _ = try await place.send(.create, [place.item(1, "a")])
      let file = "\(folder)/Note/n2.json"
      try Data(#"{"mine":true}"#.utf8).write(to: URL(filePath: file))
      let error = await #expect(throws: DestinationError.self) { try await place.texts() }
      #expect("\(try #require(error))".contains(file))
      #expect(try await place.send(.create, [place.item(2, "b")]).word(2) == "rejected")
      #expect(try String(contentsOfFile: file, encoding: .utf8) == #"{"mine":true}"#)
    }
  }

  // MARK: - Media files

  @Test func `a file whose sending was not recorded is found by the operation that sent it`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      let media = try place.file("a picture")
      guard case .stored(let serverID, let version) = await place.upload(media) else {
        Issue.record("not stored")
        return
      }
      let found = try await place.destination.media(media.reference(by: 1))
      #expect(found == .present(serverID: serverID, version: version, size: media.size))
    }
  }

  @Test func `another operation's file of the same content is not taken for the run's own`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      let media = try place.file("a picture")
      #expect(await place.upload(media, by: 2).word == "stored")
      #expect(try await place.destination.media(media.reference(by: 1)) == .absent)
      #expect(await place.remove(media, nil, by: 1).word == "missing")
      #expect(try place.fileCount() == 1)
    }
  }

  @Test
  func
    `a file whose sending was broken off is not there, and leaves nothing once it is given up`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      let media = try place.file("a film", size: 9_000)
      try await place.breakOff(media)
      #expect(try await place.destination.media(media.reference(by: 1)) == .absent)
      #expect(await place.remove(media, nil).word == "missing")
      #expect(try place.keptNames().isEmpty)
    }
  }

  @Test func `a killed run's partial file is removed when a later run sends a file`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      try await place.breakOff(try place.file("a film", size: 9_000))
      #expect(await place.upload(try place.file("a picture"), by: 2).word == "stored")
      #expect(try place.keptNames().count == 1)
    }
  }

  @Test func `every entry among the media files is listed, a page at a time`() async throws {
    try await withMediaPlace(.folder) { place in
      let names = try place.keep((1...501).map { "stranger-\($0)" })
      let first = try #require(try await place.list())
      let mark = try #require(first.next)
      let second = try #require(try await place.list(after: mark))
      #expect(first.files.count == 500 && second.next == nil)
      let found = (first.files + second.files).map { "\($0.serverID) \($0.size ?? 0)" }
      #expect(found.sorted() == names.map { "media/avatar/\($0) 1" }.sorted())
    }
  }

  @Test func `a link among the media files is listed, and not followed`() async throws {
    try await withMediaPlace(.folder) { place in
      _ = try place.keep(["stranger"])
      try FileManager.default.createSymbolicLink(
        atPath: "\(place.mediaFolder)/link",
        withDestinationPath: "stranger"
      )
      let page = try #require(try await place.list())
      let link = try #require(page.files.first { $0.serverID == "media/avatar/link" })
      #expect(link.size == nil)
    }
  }

  #if os(Linux)
  @Test func `a media file whose name is not UTF-8 is listed with its name repaired`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      _ = try place.keep(["stranger"])
      let name = Array("\(place.mediaFolder)/caf".utf8CString.dropLast())
      let latin = name + [CChar(bitPattern: 0xE9), 0]
      #expect(rename("\(place.mediaFolder)/stranger", latin) == 0)
      // By a text it could not be cleared away.
      defer { unlink(latin) }
      let page = try #require(try await place.list())
      #expect(page.files == [MediaPage.File(serverID: "media/avatar/caf\u{FFFD}", size: nil)])
    }
  }
  #endif

  @Test func `a file whose sending was broken off is listed as begun and not ended`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      let media = try place.file("a film", size: 9_000)
      try await place.breakOff(media)
      let page = try #require(try await place.list())
      #expect(page.files.isEmpty)
      #expect(page.unfinished == ["media/avatar/\(media.digest)-1-key-of-ope"])
    }
  }

  @Test func `a folder among the media files is reported like a file that no run sent`()
    async throws
  {
    try await withMediaPlace(.folder) { place in
      _ = try place.keep(["a"])
      try Folder.make("\(place.mediaFolder)/old/older")
      let page = try #require(try await place.list())
      #expect(page.files.map { $0.serverID } == ["media/avatar/a", "media/avatar/old/"])
    }
  }

  @Test func `unlistable media files are reported`() async throws {
    try await withMediaPlace(.folder) { place in
      try Folder.make(Folder.parentPath(of: place.mediaFolder))
      try Data().write(to: URL(filePath: place.mediaFolder))
      let page = try #require(try await place.list())
      #expect(page.files.isEmpty && page.next == nil)
      let refusal = try #require(page.refusal)
      #expect(refusal.reason.contains(place.mediaFolder) && !refusal.cure.isEmpty)
    }
  }

  @Test(arguments: ["file:", "file://elsewhere/folder", "file:///%"])
  func `an address that is not a folder is refused`(address: String) throws {
    let api = try #require(
      try Profile(
        yaml: """
          ferry-profile: 1
          app: kept
          entities: { Note: { fields: { text: text } } }
          api: { kind: folder, entities: { Note: { body: { text: text } } } }
          """,
        path: "p"
      ).api
    )
    #expect(throws: DestinationError.self) {
      try FolderDestination(api: api, address: address)
    }
  }
}

extension OutgoingMedia {
  /// How a run asks for the file that one of its operations may have sent.
  fileprivate func reference(by operation: Int64) -> MediaReference {
    MediaReference(
      record: RecordID(entity: "media:avatar", key: digest.description),
      serverID: nil,
      operation: "\(operation)-key-of-operation"
    )
  }
}

extension MediaPlace {
  /// The names of all that lies where the folder keeps pictures, whole or not.
  fileprivate func keptNames() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: mediaFolder)
  }

  fileprivate var mediaFolder: String { "\(folder)/kept/media/avatar" }

  /// Puts files of one byte where the folder keeps pictures; gives their names.
  fileprivate func keep(_ names: [String]) throws -> [String] {
    try Folder.make(mediaFolder)
    for name in names { try Data("x".utf8).write(to: URL(filePath: "\(mediaFolder)/\(name)")) }
    return names
  }

  /// A page of the pictures.
  fileprivate func list(after mark: String? = nil) async throws -> MediaPage? {
    try await destination.mediaPage(of: "media:avatar", after: mark)
  }
}
