import Checkpoint
import Crypto
package import DestinationModel
package import ExportPackage
import Files
import Folder
import JSONText
import LongTexts
package import Profiles
import RecordMapping
import Records
import Retrying
package import StageSupport
import UploadPlanning
import ScratchFiles

extension PackageManifest {
  /// The kind of source of a package that was read from a destination.
  static let destinationKind = "destination"

  /// Whether the records are as a destination holds them: what a profile would take of them for those
  /// of a store would lack what has another name there.
  var isOfDestination: Bool { source.kind == Self.destinationKind }
}

/// Reads all that an account holds at a destination into a package, and changes nothing there.
///
/// A record is what the destination holds, with its identity there as `$id`. Records are written in
/// the order of their identities, so the same content gives the same package. Long texts pass in pieces.
/// Media files stay where they are.
package struct DestinationExportStage: Sendable {
  let profile: Profile
  let destination: any Destination
  let output: String
  let toolVersion: String
  let patience: ReadPatience
  let keys: PackageKeys
  let progress: ProgressReporter
  private let texts = LongTexts()

  package init(
    profile: Profile,
    destination: any Destination,
    output: String,
    toolVersion: String,
    patience: ReadPatience,
    keys: PackageKeys = .none,
    progress: ProgressReporter
  ) {
    self.profile = profile
    self.destination = destination.standingIn(texts)
    self.output = output
    self.toolVersion = toolVersion
    self.patience = patience
    self.keys = keys
    self.progress = progress
  }

  /// The member that holds a record's identity at the destination.
  static let keyMember = EntityProfile.addressMember
  private static let pageSize = 1_000

  package func run(interruption: CancellationToken) async throws -> ExportResult {
    progress.report(.stageBegan(.export))
    try refuseMissingFolder()
    let folder: PrivateFolder
    folder = try PrivateFolder()
    let snapshot = try DestinationSnapshot(
      path: "\(folder.path)/read.sqlite",
      isSealed: keys.encrypts
    )
    let account = try await patience.attempt { () async throws(DestinationError) in
      try await destination.account()
    }
    var count = 0
    for entity in entities {
      try await read(entity, into: snapshot, count: &count, interruption)
    }
    let export = try write(snapshot, account: account)
    progress.report(.stageEnded(.export))
    return export
  }

  /// A folder that is not there holds no empty account: its name is mistyped, or its disk is away.
  private func refuseMissingFolder() throws {
    guard let folder = FolderDestination.folder(of: destination.traits.origin),
      !Folder.exists(folder)
    else { return }
    throw DestinationError.misconfigured(
      reason: "there is no folder \(folder) to be read",
      cure: "check the path, and that its disk is there"
    )
  }

  private var entities: [EntityName] {
    // What only ever waits in a queue on a device is no store's.
    (profile.api?.entities ?? []).map(\.entity).filter { profile.entity($0)?.waitsIn == nil }
  }

  private func read(
    _ entity: EntityName,
    into snapshot: DestinationSnapshot,
    count: inout Int,
    _ interruption: CancellationToken
  ) async throws {
    var mark: String?
    repeat {
      if interruption.isCancelled { throw MigrationError.interrupted }
      let place = mark
      let page = try await patience.attempt { () async throws(DestinationError) in
        try await destination.page(of: entity, after: place, since: nil)
      }
      try snapshot.drop(page.removed, of: entity)
      try snapshot.add(page.records.map { ($0, nil) }, of: entity)
      count += page.records.count
      progress.report(.advanced(.export, done: count, total: nil))
      mark = page.next
    } while mark != nil
  }

  // MARK: - Writing

  private func write(
    _ snapshot: DestinationSnapshot,
    account: String
  ) throws -> ExportResult {
    let binding = PackageBinding(
      source: try digest(snapshot, account: account),
      profile: profile.digest,
      tool: toolVersion
    )
    let opening = try PackageWriter.open(output, binding: binding, keys: keys)
    var alreadyExisted = false
    let package: PackageReader
    switch opening {
    case .alreadyPresent(let found):
      guard found.manifest.binding == binding else { throw MigrationError.packageInTheWay(output) }
      alreadyExisted = true
      package = found
    case .writing(let writer):
      for entity in entities {
        var place: Int64 = 0
        let written = writer.lastPlace(of: entity) ?? 0
        try forEachRecord(of: entity, in: snapshot) { remote in
          place += 1
          if place > written { try add(remote, of: entity, at: place, to: writer) }
        }
      }
      let manifest = manifest(binding, account: account)
      package = try writer.finish(manifest)
    }
    return ExportResult(
      package: package,
      sourceFiles: [],
      findings: [],
      alreadyExisted: alreadyExisted
    )
  }

  private func forEachRecord(
    of entity: EntityName,
    in snapshot: DestinationSnapshot,
    _ body: (RemoteRecord) throws -> Void
  ) throws {
    var last = ""
    while true {
      let after = last
      let page = try snapshot.untaken(of: entity, after: after, limit: Self.pageSize)
      guard let end = page.last else { return }
      last = end.serverID
      for remote in page { try body(remote) }
    }
  }

  /// One digest for whose data it is and all that was read.
  private func digest(
    _ snapshot: DestinationSnapshot,
    account: String
  ) throws -> Records.Digest {
    var hash = SHA256()
    func take(_ text: String) { hash.update(data: Array("\(text.utf8.count):\(text)".utf8)) }
    take(identity(of: account))
    for entity in entities {
      take(entity.text)
      try forEachRecord(of: entity, in: snapshot) { remote in
        take(remote.serverID)
        hash.update(data: Array("\(remote.body.count):".utf8))
        hash.update(data: remote.body)
      }
    }
    guard let digest = Records.Digest(bytes: hash.finalize()) else {
      preconditionFailure("a SHA-256 has 32 bytes")
    }
    return digest
  }

  /// The account of a destination as the source of a package: always the same for the same account.
  private func identity(of account: String) -> String {
    let digest = OperationKey.digest(
      of: Array("\(destination.traits.origin)\n\(account)".utf8)
    )
    return "destination-\(digest.description.prefix(32))"
  }

  private func add(
    _ remote: RemoteRecord,
    of entity: EntityName,
    at place: Int64,
    to writer: PackageWriter
  ) throws {
    var object: JSONObject
    do throws(JSONError) {
      object = try JSONValue(parsing: remote.body).object ?? [:]
    } catch {
      throw DestinationError.unexpected(
        request: "reading \(entity) \(remote.serverID)",
        reason: "the content of the record is not JSON"
      )
    }
    let id = JSONValue.string(remote.serverID)
    if let own = object[Self.keyMember], own != id {
      let line: JSONObject = [
        "entity": .string(entity.text), "place": .number(JSONNumber(place)),
        "code": "export.key",
        "record": try JSONValue(parsing: texts.whole(JSONValue.object(object).canonicalBytes)),
        "serverID": id,
        "cause": "the record has a “\(Self.keyMember)” of its own that is not its identity there",
        "cure": "rename the member at the destination",
      ]
      return try writer.reject(JSONValue.object(line).canonicalBytes, of: entity, place: place)
    }
    object[Self.keyMember] = id
    let json = JSONValue.object(object).canonicalBytes
    var size = 0
    try texts.forEachPiece(ofCanonical: json) { size += $0.count }
    guard size <= LineReader.longestLine else {
      let fault = RecordFault.tooLarge(size: size, limit: LineReader.longestLine)
      let line: JSONObject = [
        "entity": .string(entity.text), "place": .number(JSONNumber(place)),
        "code": .string(fault.code), "serverID": id, "cause": .string(fault.cause),
        "cure": "make it smaller at the destination",
      ]
      return try writer.reject(JSONValue.object(line).canonicalBytes, of: entity, place: place)
    }
    try texts.forEachPiece(ofCanonical: json) { piece in
      try piece.withUnsafeBytes { try writer.add(piece: $0, of: entity) }
    }
    try ([0x0A] as [UInt8]).withUnsafeBytes { try writer.add(piece: $0, of: entity) }
    try writer.end(1, of: entity, lastPlace: place)
  }

  private func manifest(_ binding: PackageBinding, account: String) -> PackageManifest {
    PackageManifest(
      tool: PackageManifest.Tool(version: toolVersion),
      source: PackageManifest.Source(
        kind: PackageManifest.destinationKind,
        store: identity(of: account),
        digest: binding.source,
        modelOrigin: "given"
      ),
      profile: PackageManifest.ProfileMark(app: profile.app, digest: binding.profile),
      entities: entities.map { entity in
        PackageManifest.Entity(name: entity, schema: nil, role: "own", key: Self.keyMember)
      }
    )
  }
}
