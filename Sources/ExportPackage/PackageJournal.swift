import AgeEncryption
import Files
import JSONText
import Records

/// What a package that is being written already has: `progress.json`, replaced after each chunk.
struct PackageJournal {
  var binding: PackageBinding
  /// How the files are encrypted; `nil` for a package in the open.
  var seal: PackageSeal?
  var chunks: [PackageChunk] = []

  var bytes: [UInt8] {
    var object: JSONObject = [
      "format": .string(PackageFormat.current.description),
      "source": .string(binding.source.description),
      "profile": .string(binding.profile.description),
      "tool": .string(binding.tool),
      "chunks": .array(chunks.map(\.json)),
    ]
    object["sealing"] = seal?.json
    return JSONValue.object(object).canonicalBytes
  }

  init(binding: PackageBinding, seal: PackageSeal? = nil) {
    self.binding = binding
    self.seal = seal
  }

  /// Reads a journal; `nil` for one that is not ours or not whole, which then counts as none.
  ///
  /// - Parameters:
  ///   - bytes: The content of `progress.json`.
  ///   - identities: What opens the files of an encrypted package.
  init?(bytes: [UInt8], identities: [AgeIdentity]) {
    let parsed = Result { () throws(JSONError) in try JSONValue(parsing: bytes) }
    guard case .success(let json) = parsed,
      json["format"]?.text == PackageFormat.current.description,
      let source = json["source"]?.text.flatMap({ Digest(hexadecimal: $0) }),
      let profile = json["profile"]?.text.flatMap({ Digest(hexadecimal: $0) }),
      let tool = json["tool"]?.text, let list = json["chunks"]?.array
    else { return nil }
    binding = PackageBinding(source: source, profile: profile, tool: tool)
    if let sealing = json["sealing"] {
      guard let seal = PackageSeal(sealing, identities: identities) else { return nil }
      self.seal = seal
    }
    for element in list {
      guard let chunk = PackageChunk(element) else { return nil }
      chunks.append(chunk)
    }
  }
}

/// What came of a stretch of an entity's rows: one data file, and what belongs to it.
struct PackageChunk: Hashable {
  let entity: EntityName
  let number: Int
  var records: Int64 = 0
  var rejected: Int64 = 0
  /// The place of the last row, by which reading goes on.
  var lastPlace: Int64 = 0
  var data: PackageManifest.File?
  var rejects: PackageManifest.File?
  var tallies: [String: Int64] = [:]
  var media: Set<Digest> = []

  init(entity: EntityName, number: Int) {
    self.entity = entity
    self.number = number
  }

  /// Whether any row has come.
  var isEmpty: Bool { records == 0 && rejected == 0 }

  var json: JSONValue {
    var object: JSONObject = [
      "entity": .string(entity.text), "number": .whole(number),
      "records": .whole(records), "rejected": .whole(rejected), "lastPlace": .whole(lastPlace),
      "tallies": .counts(tallies),
      "media": .array(media.map(\.description).sorted().map { .string($0) }),
    ]
    object["data"] = data.map(Self.json)
    object["rejects"] = rejects.map(Self.json)
    return .object(object)
  }

  private static func json(_ file: PackageManifest.File) -> JSONValue {
    [
      "path": .string(file.path), "size": .whole(file.size),
      "sha256": .string(file.sha256.description),
    ]
  }

  init?(_ json: JSONValue) {
    guard let entity = json["entity"]?.text.flatMap({ EntityName($0) }),
      let number = json["number"]?.integer.flatMap({ Int(exactly: $0) }),
      let records = json["records"]?.integer, let rejected = json["rejected"]?.integer,
      let lastPlace = json["lastPlace"]?.integer, let tallies = json["tallies"]?.object,
      let media = json["media"]?.array
    else { return nil }
    self.init(entity: entity, number: number)
    self.records = records
    self.rejected = rejected
    self.lastPlace = lastPlace
    for member in tallies.members { self.tallies[member.name] = member.value.integer }
    for element in media {
      guard let digest = element.text.flatMap({ Digest(hexadecimal: $0) }) else { return nil }
      self.media.insert(digest)
    }
    if let data = json["data"] {
      guard let file = Self.file(data, entity, records) else { return nil }
      self.data = file
    }
    if let rejects = json["rejects"] {
      guard let file = Self.file(rejects, entity, rejected) else { return nil }
      self.rejects = file
    }
  }

  private static func file(
    _ json: JSONValue,
    _ entity: EntityName,
    _ records: Int64
  ) -> PackageManifest.File? {
    guard let path = json["path"]?.text, PackagePath.isInside(path),
      let size = json["size"]?.integer,
      let digest = json["sha256"]?.text.flatMap({ Digest(hexadecimal: $0) })
    else { return nil }
    return PackageManifest.File(
      path: path,
      size: size,
      sha256: digest,
      entity: entity,
      records: records
    )
  }
}
