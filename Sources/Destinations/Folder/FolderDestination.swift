package import DestinationModel
import Files
import Foundation
package import HTTPTransport
package import LongTexts
package import Profiles
package import Records
import TextCodecs
package import UploadPlanning

/// A folder of this machine as a destination: a JSON document for each record, in a folder for each
/// entity.
///
/// A document appears whole or not at all, and is on the disk before it is called stored. Its
/// identity is the one that the client chose, its version the digest of its bytes. One run writes
/// into the folder at a time.
package struct FolderDestination: Destination {
  package let traits: DestinationTraits
  /// The folder, from the root.
  package let path: String
  let api: Api
  let shelf = FolderShelf()

  /// The most records of one request, and of one page.
  static let batchLimit = 500

  /// Whether an address names a folder: `file:backup`, `file:///srv/backup`.
  package static func takes(_ address: String) -> Bool { address.hasPrefix("file:") }

  private static let scheme = "file://"

  /// The folder of a destination with this origin; `nil` where it is not one.
  package static func folder(of origin: String) -> String? {
    origin.hasPrefix(scheme) ? String(origin.dropFirst(scheme.count)) : nil
  }

  /// - Parameters:
  ///   - api: What the profile says; of its routes nothing is used.
  ///   - address: The folder's address; what does not begin with a slash is seen from where the
  ///     program was started.
  /// - Throws: `DestinationError.misconfigured(reason:cure:)` for an address of no folder.
  package init(api: Api, address: String) throws(DestinationError) {
    self.api = api
    path = try Self.path(address)
    let names = api.entities.map(\.entity)
    func all<Value>(_ value: Value) -> [EntityName: Value] {
      Dictionary(names.map { ($0, value) }, uniquingKeysWith: { first, _ in first })
    }
    traits = DestinationTraits(
      origin: Self.scheme + path,
      replay: all(.id),
      batchLimit: all(Self.batchLimit),
      concurrency: 1,
      listsChangesSince: all(false),
      takesMedia: api.sendsFiles,
      batchesChanges: true
    )
  }

  private static func path(_ address: String) throws(DestinationError) -> String {
    var text = String(address.dropFirst("file:".count))
    if text.hasPrefix("//") {
      text.removeFirst(2)
      if text.hasPrefix("localhost/") { text.removeFirst("localhost".count) }
      guard text.hasPrefix("/"), let decoded = PercentCoding.strictlyDecoded(text)
      else {
        throw .misconfigured(
          reason: "“\(address)” is not a folder of this machine",
          cure: "write file:FOLDER or file:///FOLDER"
        )
      }
      text = decoded
    }
    while text.count > 1, text.hasSuffix("/") { text.removeLast() }
    guard !text.isEmpty, !text.utf8.contains(0) else {
      throw .misconfigured(
        reason: "“\(address)” names no folder",
        cure: "write file:FOLDER or file:///FOLDER"
      )
    }
    return text.hasPrefix("/") ? text : "\(FileManager.default.currentDirectoryPath)/\(text)"
  }

  /// The folder itself is the account.
  package func account() async throws(DestinationError) -> String {
    guard !InputFile.isPresent(path) || Folder.exists(path) else {
      throw .misconfigured(reason: "\(path) is not a folder", cure: "name one, or a free name")
    }
    let below = api.entities.map { folder(of: $0.entity) } + (try mediaFolders())
    if let link = Folder.firstLink(among: below) {
      throw .misconfigured(
        reason: "\(link) is a link, and what is written would be led away by it",
        cure: "remove it, or put the folder itself in its place"
      )
    }
    return api.statedAccount.map { "\($0), \(path)" } ?? path
  }

  /// The folder of media, and those in it.
  private func mediaFolders() throws(DestinationError) -> [String] {
    let root = "\(path)/media"
    let names = try reading { () throws(FileError) -> [String] in
      Folder.isReal(root) ? try Folder.names(in: root) : []
    }
    return [root] + names.map { "\(root)/\($0)" }
  }

  package func preflight() async -> [DestinationCheck] {
    let place = Folder.nearest(to: path)
    guard Folder.isWritable(place) else {
      return [
        DestinationCheck(
          "folder",
          .unfit,
          "nothing may be written into \(place)",
          cure: "change its rights, or name another folder"
        )
      ]
    }
    return [
      DestinationCheck("folder", .fits, place == path ? "it is there" : "it will be made")
    ]
  }

  /// Long texts go from one file to another in pieces.
  package func standIn(_ texts: LongTexts) -> Bool {
    shelf.use(texts)
    return true
  }

  // MARK: - Reading

  package func page(
    of entity: EntityName,
    after mark: String?,
    since: String?
  ) async throws(DestinationError) -> RemotePage {
    let folder = folder(of: entity)
    let page = try reading { () throws(FileError) in
      try names(in: folder, after: mark) { !$0.hasPrefix(".") && $0.hasSuffix(".json") }
    }
    var records: [RemoteRecord] = []
    for name in page.names {
      // One that went meanwhile is not there.
      if let document = try document(name, in: folder) { records.append(document.remote) }
    }
    return RemotePage(records: records, next: page.next)
  }

  /// A page of the names in a folder that are wanted, and where the next one begins.
  private func names(
    in folder: String,
    after mark: String?,
    where isWanted: (String) -> Bool
  ) throws(FileError) -> (names: ArraySlice<String>, next: String?) {
    guard try InputFile.isKnownPresent(folder) else { return ([], nil) }
    let names = try shelf.names(in: folder, isFirst: mark == nil, where: isWanted)
    let start = mark.map { mark in
      names.partitioningIndex { mark.utf8.lexicographicallyPrecedes($0.utf8) }
    }
    let page = names[(start ?? 0)...].prefix(Self.batchLimit)
    return (page, page.endIndex < names.endIndex ? page.last : nil)
  }

  package func record(
    of entity: EntityName,
    serverID: String
  ) async throws(DestinationError) -> RemoteRecord? {
    try document(FolderName.file(of: serverID), in: folder(of: entity))?.remote
  }

  /// Looks for a file by its identity, or for the one that an operation sent of whose sending it is
  /// unknown how it ended.
  package func media(_ file: MediaReference) async throws(DestinationError) -> MediaState {
    guard let place = FolderName.media(file) else { return .unknowable }
    let found = try reading { () throws(FileError) in try PlacedFile(at: place, below: path) }
    switch found {
    case .nothing: return .absent
    case .folder, .foreign: return .other
    case .file(let size, _):
      if file.comparing != .none, try !holds(file.record.key, at: place) { return .other }
      return .present(serverID: place, version: place, size: size)
    }
  }

  /// Whether a file holds what has this digest.
  private func holds(_ digest: String, at place: String) throws(DestinationError) -> Bool {
    let found = try reading { () throws(FileError) in try InputFile.sha256(of: "\(path)/\(place)") }
    return Digest(bytes: found.digest)?.description == digest
  }

  /// Lists what lies where the files of a kind are kept; what is not in its place yet was begun and not
  /// ended.
  ///
  /// Of a name that is not UTF-8 it gives what can be read. A folder is given with a slash behind its name.
  package func mediaPage(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    guard let folder = FolderName.media(entity) else { return nil }
    do throws(FileError) {
      return try mediaPage(in: folder, after: mark)
    } catch {
      return MediaPage(
        refusal: MediaPage.Refusal(
          of: "files that no run sent",
          reason: error.description,
          cure: "check that the folder may be read, or look there by hand"
        ),
        next: nil
      )
    }
  }

  private func mediaPage(in folder: String, after mark: String?) throws(FileError) -> MediaPage {
    let page = try names(in: "\(path)/\(folder)", after: mark) { name in
      !name.hasPrefix(".") || FolderName.isMediaDraft(name)
    }
    var files: [MediaPage.File] = []
    var unfinished: [String] = []
    for name in page.names {
      guard !FolderName.isMediaDraft(name) else {
        unfinished.append("\(folder)/\(FolderName.media(ofDraft: name))")
        continue
      }
      let place = "\(folder)/\(name)"
      switch try PlacedFile(at: place, below: path) {
      // Under its own name it is there, and no text asks for that.
      case .nothing where name.unicodeScalars.contains("\u{FFFD}"):
        files.append(MediaPage.File(serverID: place, size: nil))
      case .nothing: break
      case .folder: files.append(MediaPage.File(serverID: place + "/", size: nil))
      case .file(let size, _): files.append(MediaPage.File(serverID: place, size: size))
      case .foreign: files.append(MediaPage.File(serverID: place, size: nil))
      }
    }
    return MediaPage(files: files, unfinished: unfinished, next: page.next)
  }

  func folder(of entity: EntityName) -> String { "\(path)/\(FolderName.folder(of: entity))" }

  /// The document of this name, or `nil`.
  func document(
    _ name: String,
    in folder: String
  ) throws(DestinationError) -> FolderDocument? {
    let place = "\(folder)/\(name)"
    guard try reading({ () throws(FileError) in try InputFile.isKnownPresent(place) }) else {
      return nil
    }
    let found = try reading { () throws(FileError) in try FolderDocument.read(place, shelf.texts) }
    guard let found, let document = FolderDocument(found.bytes, version: found.version),
      FolderName.file(of: document.id) == name
    else {
      throw .unexpected(
        request: "reading \(place)",
        reason: "it is not a document of a record; move it out of the folder"
      )
    }
    return document
  }

  private func reading<Value>(
    _ body: () throws(FileError) -> Value
  ) throws(DestinationError) -> Value {
    do throws(FileError) { return try body() } catch {
      throw .misconfigured(
        reason: error.description,
        cure: "check that the folder is there and may be read"
      )
    }
  }
}

extension FolderDestination: DestinationKind {
  package static let kind: any ApiKind.Type = FolderApi.self
  package static var isRemote: Bool { false }

  package init(_ place: DestinationPlace) throws(DestinationError) {
    guard Self.takes(place.address) else {
      throw .misconfigured(
        reason: "the profile's destination is a folder, not “\(place.address)”",
        cure: "write file:FOLDER"
      )
    }
    try self.init(api: place.api, address: place.address)
  }
}

extension FolderDestination: CustomStringConvertible {
  package var description: String { "the folder \(path)" }
}
