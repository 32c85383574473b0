import CloudKitWeb
import DestinationModel
import DevelopmentBackend
import Files
import Folder
import Foundation
import HTTPTransport
import JSONText
import Profiles
import REST
import Records
import S3Media
import TestSupport
import Testing
import UploadPlanning

/// The ways a file can take that the contract is held against.
enum MediaKind: String, CaseIterable, Sendable {
  case tickets, folder, assets
  /// OpenStack Swift's S3 service, which no run of this store wrote: `FERRY_SWIFT` names its Python.
  case bucket

  /// Those that this machine has.
  static let present = allCases.filter { $0 != .bucket || ObjectStore.python != nil }

  /// Those that keep a content once, under a name made of it.
  static let addressedByContent = present.filter { $0.traits.contains(.keepsContentOnce) }

  /// What this way can do beyond what all of them promise.
  var traits: MediaTraits {
    switch self {
    case .tickets, .assets: []
    case .folder: [.keepsContentOnce, .lists]
    case .bucket: [.keepsContentOnce, .knowsSender, .keepsParts, .lists]
    }
  }

  /// How notes are made, which no test here does over REST.
  private static let made =
    "replay: key, create: { request: POST /notes, key-header: Idempotency-Key }, "

  fileprivate func api(_ bucket: String = "", at endpoint: String = "") -> String {
    switch self {
    case .folder:
      """
        kind: folder
        media: { enabled: true }
        entities:
          Note: { body: { text: text, picture: { media: picture } } }
      """
    case .tickets:
      """
        kind: rest
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
          Note: { \(Self.made)body: { text: text, picture: { media: picture } } }
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
            name: \(bucket)
            region: us-east-1
            key: "{category}/{account}/{sha256}"
            access-key: access
            secret-key: secret
            part-mebibytes: 5
        entities:
          Note: { \(Self.made)body: { text: text, picture: { media: picture } } }
      """
    }
  }
}

/// What a way of taking files can do beyond what all of them promise.
struct MediaTraits: OptionSet, Sendable {
  let rawValue: Int

  /// A content that one operation sends again lies there once.
  static let keepsContentOnce = MediaTraits(rawValue: 1)
  /// What lies at a content's place is never overwritten, and only who sent it rolls it back.
  static let knowsSender = MediaTraits(rawValue: 2)
  /// What arrived of a large file is kept until the rest follows, or until it is rolled back.
  static let keepsParts = MediaTraits(rawValue: 4)
  /// The account's files can be listed.
  static let lists = MediaTraits(rawValue: 8)
}

/// A destination of files, over a server or a folder of its own.
struct MediaPlace: Sendable {
  let kind: MediaKind
  let destination: any Destination
  /// The same destination as a later process has it, which remembers nothing; given the address at
  /// which its bucket answers, where that is another one.
  let anew: @Sendable (_ endpoint: String?) throws -> any Destination
  /// What lies in the bucket, if it is one.
  let bucket: ObjectStore?
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

  /// Sends a file by an operation, which its number distinguishes from others.
  func upload(_ media: OutgoingMedia, by operation: Int64 = 1) async -> ItemOutcome {
    await carryOut(.uploadMedia, media, nil, operation)
  }

  /// Takes a file back that an operation sent.
  func remove(
    _ media: OutgoingMedia,
    _ serverID: String?,
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
    let answer = await send(verb, media, serverID, operation, to: destination)
    return answer.outcomes[operation] ?? .unknown(reason: "\(answer.whole)")
  }

  /// Carries out one operation with a file.
  func send(
    _ verb: OutgoingBatch.Verb,
    _ media: OutgoingMedia,
    _ serverID: String? = nil,
    _ operation: Int64 = 1,
    to destination: any Destination
  ) async -> BatchAnswer {
    let item = OutgoingBatch.Item(
      operation: operation,
      record: RecordID(entity: "media:avatar", key: media.digest.description),
      clientID: media.digest.description,
      serverID: serverID,
      key: "\(operation)-key-of-operation",
      body: [],
      media: verb == .uploadMedia ? media : nil
    )
    return await destination.bring(OutgoingBatch(entity: "media:avatar", verb: verb, items: [item]))
  }

  /// Begins to send a file that the way to the destination breaks off.
  ///
  /// Of a bucket's large file one part has arrived then; the others are made with
  /// ``MediaKind/breakingOff``. A folder is left as a process leaves it that was killed.
  func breakOff(_ media: OutgoingMedia) async throws {
    switch kind {
    case .tickets, .assets: #expect(await upload(media).word == "deferred")
    case .folder:
      try Folder.make("\(folder)/kept/media/avatar")
      let draft = "\(folder)/kept/media/avatar/.\(media.digest)-1-key-of-ope.draft"
      try Data(contentsOf: URL(filePath: media.source.path)).prefix(1_000)
        .write(to: URL(filePath: draft))
    case .bucket:
      let proxy = try RealServer.refusing(
        "^PUT .*partNumber=2",
        status: 503,
        answer: "<Error><Code>SlowDown</Code></Error>",
        before: try #require(bucket).origin,
        in: folder
      )
      let begun = await send(.uploadMedia, media, to: try anew(proxy.origin))
      #expect(begun.word(1) == "deferred", "\(begun)")
      withExtendedLifetime(proxy) {}
    }
  }

  /// How many files count: those that are whole and in their places.
  func fileCount() throws -> Int {
    switch kind {
    case .tickets:
      try RealServer.get("\(address)/__dev/dump")["files"]?.array?
        .count { $0["isConfirmed"]?.boolean == true } ?? 0
    // An asset is no file of its own: it counts with its record, and none is made here.
    case .assets: 0
    case .folder:
      try FileManager.default.contentsOfDirectory(atPath: "\(folder)/kept/media/avatar")
        .count { !$0.hasPrefix(".") }
    case .bucket: try #require(bucket).objects().count
    }
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

extension MediaKind {
  /// What has the first sending of a file break off, in the words of the development backend.
  var breakingOff: String {
    switch self {
    case .tickets: "drop-after:n=1@PUT /uploads/"
    case .assets: "drop-after:n=1@POST /assets/"
    case .folder, .bucket: ""
    }
  }
}

/// Lends a destination of files; one that may not list them where it is `blind`.
func withMediaPlace(
  _ kind: MediaKind,
  faults: String = "",
  isBlind: Bool = false,
  body: @escaping @Sendable (MediaPlace) async throws -> Void
) async throws {
  try await withTemporaryFolder { folder in
    try await withTransport { transport in
      switch kind {
      case .folder:
        let api = try Api(kind)
        let anew: @Sendable (String?) throws -> any Destination = { _ in
          try FolderDestination(api: api, address: "file:\(folder)/kept")
        }
        try await body(
          MediaPlace(
            kind: kind,
            destination: try anew(nil),
            anew: anew,
            bucket: nil,
            address: "",
            folder: folder
          )
        )
      case .bucket: try await withBucket(transport, folder, isBlind: isBlind, body)
      case .tickets, .assets:
        try await withOwnServer(kind, try Api(kind), transport, folder, faults, body)
      }
    }
  }
}

extension Api {
  /// The profile's description of a way.
  fileprivate init(_ kind: MediaKind, _ bucket: String = "", at endpoint: String = "") throws {
    let yaml = """
      ferry-profile: 1
      app: contract
      entities:
        Note:
          fields: { text: text }
          media: { picture: { from: picture, folder: Pictures, category: avatar } }
      api:
      \(kind.api(bucket, at: endpoint))
      """
    self = try #require(try Profile(yaml: yaml, path: "contract.yaml").api)
  }
}

/// Lends a destination over a bucket of its own.
private func withBucket(
  _ transport: HTTPTransport,
  _ folder: String,
  isBlind: Bool,
  _ body: @escaping @Sendable (MediaPlace) async throws -> Void
) async throws {
  let bucket = try ObjectStore()
  let proxy =
    isBlind
    ? try RealServer.refusing(
      #"^GET /[^/?]+\?"#,
      status: 403,
      answer: "<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>",
      before: bucket.origin,
      in: folder
    ) : nil
  let usual = proxy?.origin ?? bucket.origin
  let anew: @Sendable (String?) throws -> any Destination = { endpoint in
    try RESTDestination(
      api: try Api(.bucket, bucket.bucket, at: endpoint ?? usual),
      address: "http://127.0.0.1:9",
      credentials: GivenCredentials([
        "access": Secret(ObjectStore.accessKey), "secret": Secret(ObjectStore.secretKey),
      ]),
      transport: transport
    )
  }
  try await body(
    MediaPlace(
      kind: .bucket,
      destination: try anew(nil),
      anew: anew,
      bucket: bucket,
      address: "",
      folder: folder
    )
  )
  withExtendedLifetime(proxy) {}
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
    let keeper =
      kind == .assets
      ? TokenKeeper(
        web: try #require(try await ask(address, "/__dev/cloudkit/token")["webToken"]?.text)
      ) : nil
    let anew: @Sendable (String?) throws -> any Destination = { _ in
      if let keeper {
        return try CloudKitDestination(
          api: api,
          address: address,
          credentials: keeper,
          transport: transport
        )
      }
      return try RESTDestination(
        api: api,
        address: address,
        credentials: Sample.credentials,
        transport: transport
      )
    }
    let destination = try anew(nil)
    if kind == .assets {
      // The zone is there before anything is counted; the change itself finds no record.
      let nothing = OutgoingBatch.Item.number(0, serverID: "nothing", version: "t", body: [:])
      _ = await destination.send(.notes(.update, [nothing]))
    }
    try await body(
      MediaPlace(
        kind: kind,
        destination: destination,
        anew: anew,
        bucket: nil,
        address: address,
        folder: folder
      )
    )
  }
}
