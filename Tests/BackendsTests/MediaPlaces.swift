import Backends
import Crypto
import DevelopmentBackend
import Files
import Foundation
import JSONText
import NIOHTTP1
import Profiles
import Records
import TestSupport
import Testing
import UploadPlanning

/// The ways a file can take that the contract is held against.
enum MediaKind: String, CaseIterable, Sendable {
  case tickets, folder, assets
  /// OpenStack Swift's S3 service, which nobody here wrote: `FERRY_SWIFT` names its Python.
  case bucket

  /// Those that this machine has.
  static let present = allCases.filter { $0 != .bucket || swift != nil }

  /// Those that keep a content once, under a name made of it.
  static let addressedByContent = present.filter { $0 == .folder || $0 == .bucket }

  static let swift = ProcessInfo.processInfo.environment["FERRY_SWIFT"]

  /// How notes are made, which no test here does over REST.
  private var made: String {
    self == .folder
      ? "" : "replay: key, create: { request: POST /notes, key-header: Idempotency-Key }, "
  }

  fileprivate func api(bucketAt endpoint: String) -> String {
    switch self {
    case .tickets, .folder:
      """
        kind: \(self == .folder ? "folder" : "rest")
        credentials: [email, password]
        sign-in:
          request: POST /api/auth/sign-in/email
          body: { email: "{email}", password: "{password}" }
          token: { header: set-auth-token }
        media:
          enabled: true
          ticket:
            request: POST /api/files/upload
            body: { fileName: name, mimeType: media-type, fileSize: size, category: category }
            upload: data.uploadUrl
            key: data.storageKey
            url: data.publicUrl
          confirm: { request: POST /api/files/confirm, body: { storageKey: key } }
          remove: DELETE /api/files/{key}
        entities:
          Note: { \(made)body: { text: text, picture: { media: picture } } }
      """
    case .assets:
      """
        kind: cloudkit
        container: iCloud.contract
        database: private
        zone: Notes
        create-zone: true
        media: { enabled: true }
        entities:
          Note:
            record-type: Note
            types: { text: string, picture: asset }
            body: { text: text, picture: { media: picture } }
      """
    case .bucket:
      """
        kind: rest
        credentials: [access, secret]
        media:
          enabled: true
          bucket:
            endpoint: \(endpoint)
            name: contract
            region: us-east-1
            key: "{category}/{sha256}"
            access-key: access
            secret-key: secret
            part-mebibytes: 5
        entities:
          Note: { \(made)body: { text: text, picture: { media: picture } } }
      """
    }
  }
}

/// A destination of files, over a server or a folder of its own.
struct MediaPlace: Sendable {
  let kind: MediaKind
  let destination: any Destination
  /// Where the development backend is, if it is one.
  let address: String
  let folder: String

  /// Writes a file and says what a plan would say of it, for a note's picture.
  func file(_ text: String, size: Int = 1_000, of note: String = "n1") throws -> OutgoingMedia {
    let path = "\(folder)/\(UUID().uuidString).png"
    try Data(text.utf8 + Array(repeating: UInt8(ascii: "."), count: size))
      .write(to: URL(filePath: path))
    let (digest, length) = try InputFile.sha256(of: path)
    var media = OutgoingMedia(
      source: FileSource(path),
      size: length,
      digest: try #require(Digest(bytes: digest)),
      category: "avatar",
      name: "picture.png",
      mediaType: "image/png"
    )
    media.place = OutgoingMedia.Place(entity: "Note", record: note, field: "picture")
    return media
  }

  /// Sends a file by an operation, which its number tells from others.
  func upload(_ media: OutgoingMedia, by operation: Int64 = 1) async -> ItemOutcome {
    await carryOut(.uploadMedia, media, nil, operation)
  }

  /// Takes a file back that an operation sent.
  func remove(
    _ media: OutgoingMedia,
    _ serverID: String,
    by operation: Int64 = 1
  ) async -> ItemOutcome {
    await carryOut(.removeMedia, media, serverID, operation)
  }

  private func carryOut(
    _ verb: OutgoingBatch.Verb,
    _ media: OutgoingMedia,
    _ serverID: String?,
    _ operation: Int64
  ) async -> ItemOutcome {
    let item = OutgoingBatch.Item(
      operation: operation,
      record: RecordID(entity: "media:avatar", key: media.digest.description),
      clientID: media.digest.description,
      serverID: serverID,
      key: "key-of-operation-\(operation)",
      body: [],
      media: verb == .uploadMedia ? media : nil
    )
    let batch = OutgoingBatch(entity: "media:avatar", verb: verb, items: [item])
    let answer = await destination.send(batch)
    return answer.outcomes[operation] ?? .unknown(reason: "\(answer.whole)")
  }

  /// Sends a note whose picture a destination knows by a text, with the file at hand.
  func create(_ note: String, picture: String, _ media: OutgoingMedia) async -> BatchAnswer {
    let item = OutgoingBatch.Item(
      operation: 7,
      record: RecordID(entity: "Note", key: note),
      clientID: note,
      key: "key",
      body: JSONValue.object(["text": "a", "picture": .string(picture)]).canonicalBytes,
      parts: [media]
    )
    return await destination.send(.notes(.create, [item]))
  }
}

/// Lends a destination of files.
func withMediaPlace(
  _ kind: MediaKind,
  faults: String = "",
  body: @escaping @Sendable (MediaPlace) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    let server = kind == .bucket ? try await SwiftServer(in: folder) : nil
    let yaml = """
      ferry-profile: 1
      app: contract
      entities:
        Note:
          fields: { text: text }
          media: { picture: { from: picture, folder: Pictures, category: avatar } }
      api:
      \(kind.api(bucketAt: server?.origin ?? ""))
      """
    let api = try #require(try Profile(yaml: yaml, path: "contract.yaml").api)
    let transport = HTTPTransport()
    do {
      switch kind {
      case .folder:
        let destination = try FolderDestination(api: api, address: "file:\(folder)/kept")
        try await body(
          MediaPlace(kind: kind, destination: destination, address: "", folder: folder)
        )
      case .bucket:
        let given = ["access": Secret("demo:tester"), "secret": Secret("s3cret-word")]
        let destination = try RESTDestination(
          api: api,
          address: "http://127.0.0.1:9",
          credentials: GivenCredentials(given),
          transport: transport
        )
        try await body(
          MediaPlace(kind: kind, destination: destination, address: "", folder: folder)
        )
      case .tickets, .assets:
        try await withOwnServer(kind, api, transport, folder, faults, body)
      }
    } catch {
      await transport.shutdown()
      throw error
    }
    await transport.shutdown()
    withExtendedLifetime(server) {}
  }
}

/// Lends a destination over the development backend.
private func withOwnServer(
  _ kind: MediaKind,
  _ api: Api,
  _ transport: HTTPTransport,
  _ folder: String,
  _ faults: String,
  _ body: @escaping @Sendable (MediaPlace) async throws -> Void
) async throws {
  var configuration = DevelopmentBackend.Configuration()
  configuration.faults = try FaultPlan(parsing: faults)
  configuration.uploadTickets = true
  try await withDevelopmentBackend(configuration) { address in
    let destination: any Destination
    if kind == .tickets {
      destination = try RESTDestination(
        api: api,
        address: address,
        credentials: Sample.credentials,
        transport: transport
      )
    } else {
      let token = try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text
      destination = try CloudKitDestination(
        api: api,
        address: address,
        credentials: TokenKeeper(web: try #require(token)),
        transport: transport
      )
      // The zone is there before anything is counted; the change itself finds no record.
      let nothing = OutgoingBatch.Item.number(0, serverID: "nothing", version: "t", body: [:])
      _ = await destination.send(.notes(.update, [nothing]))
    }
    try await body(
      MediaPlace(kind: kind, destination: destination, address: address, folder: folder)
    )
  }
}

/// OpenStack Swift with its S3 face, and one bucket in it.
private struct SwiftServer {
  private let server: RealServer

  var origin: String { server.origin }

  init(in folder: String) async throws {
    let place = "\(folder)/swift"
    try Folder.make(place)
    let script = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appending(path: "CrossingTests/object_store.py").path
    server = try RealServer(
      try #require(MediaKind.swift),
      [script, place, "{port}"],
      in: place,
      answersAt: "/info"
    )
    let transport = HTTPTransport()
    let signIn = HTTPRequest(
      method: "GET",
      url: "\(server.origin)/auth/v1.0",
      headers: ["X-Auth-User": "demo:tester", "X-Auth-Key": "s3cret-word"]
    )
    let signedIn = try await transport.perform(signIn)
    let token = signedIn.headers.first(name: "X-Auth-Token") ?? ""
    let account = signedIn.headers.first(name: "X-Storage-Url") ?? ""
    // The servers behind the one that answers may take a moment longer.
    var status = 0
    for _ in 0..<60 where status != 201 {
      let made = try await transport.perform(
        HTTPRequest(method: "PUT", url: "\(account)/contract", headers: ["X-Auth-Token": token])
      )
      status = made.status
      if status == 503 { try await Task.sleep(for: .milliseconds(500)) }
    }
    await transport.shutdown()
    #expect(status == 201)
  }
}
