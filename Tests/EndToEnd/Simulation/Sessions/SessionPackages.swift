import ExportPackage
import Files
import Profiles
import Records
import UploadPlanning

// The packages of a history, as an export would have written them.

extension SessionScenario {
  /// Writes the package of an upload below `folder`.
  func package(
    _ number: Int,
    _ profile: Profile,
    in folder: String
  ) throws(PackageError) -> PackageReader {
    let lines = packages[number]
    let manifest = PackageManifest(
      tool: PackageManifest.Tool(version: "0"),
      source: PackageManifest.Source(
        kind: "sqlite",
        store: "store",
        digest: OperationKey.digest(of: Array(lines.map { "\($0)" }.joined().utf8)),
        modelOrigin: "sqlite"
      ),
      profile: PackageManifest.ProfileMark(app: profile.app, digest: profile.digest),
      entities: Self.entities.map { entity in
        PackageManifest.Entity(
          name: entity,
          schema: nil,
          role: "own",
          key: "id",
          references: references(of: entity)
        )
      }
    )
    switch try PackageWriter.open("\(folder)/package-\(number)", binding: manifest.binding) {
    case .alreadyPresent(let reader): return reader
    case .writing(let writer):
      for (place, line) in lines.enumerated() {
        if let picture = line.picture {
          let path = "\(folder)/\(picture)"
          do throws(FileError) {
            try WholeFile.replace(path, with: Self.content(of: picture))
          } catch {
            throw .file(error)
          }
          _ = try writer.addMedia(from: FileSource(path), of: line.record.entity)
        }
        let bytes = Array(json(line).utf8)
        let added = bytes.withUnsafeBytes { bytes -> Result<Void, PackageError> in
          do throws(PackageError) {
            return .success(try writer.add(bytes, of: line.record.entity, place: Int64(place)))
          } catch {
            return .failure(error)
          }
        }
        try added.get()
      }
      return try writer.finish(manifest)
    }
  }

  private func references(of entity: EntityName) -> [PackageManifest.Reference] {
    var references: [PackageManifest.Reference] = []
    if entity == Self.hero {
      references.append(.init(member: "team", entities: [Self.team], isToMany: false))
    }
    if hasCircles {
      let late = Self.deferredField(of: entity)
      references.append(.init(member: late, entities: [Self.hero], isToMany: false))
    }
    return references
  }

  private static func content(of picture: String) -> [UInt8] { Array("what \(picture) shows".utf8) }

  /// The SHA-256 of a picture.
  static func digest(of picture: String) -> Digest { OperationKey.digest(of: content(of: picture)) }

  /// A record as it is in a package, in canonical form.
  func json(_ line: Line) -> String {
    func member(_ name: String, _ record: RecordID?) -> String {
      "\"\(name)\":\(record.map { "\"\($0.key)\"" } ?? "null"),"
    }
    let isHero = line.record.entity == Self.hero
    let boss = isHero && hasCircles ? member("boss", line.late) : ""
    let lead = !isHero && hasCircles ? member("lead", line.late) : ""
    let team = isHero ? member("team", line.parent) : ""
    let hasPicture = files != nil && Self.hasPicture(line.record.entity, at: place)
    let picture = !hasPicture ? "" : "\"picture\":\(line.picture.map(Self.json) ?? "null"),"
    let claim = line.claim
    let deleted = hasClaims ? "\"deleted\":\(claim?.isDeleted == true)," : ""
    let remote = claim.map { "\"\($0.serverID)\"" } ?? "null"
    let seen = claim.map { "\"\($0.version)\"" } ?? "null"
    let state = claim.map { $0.isChanged || $0.isDeleted } ?? true ? "changed" : "synced"
    let claims =
      hasClaims ? "\"remote\":\(remote),\"seen\":\(seen),\"state\":\"\(state)\"," : ""
    return "{\(boss)\(deleted)\"id\":\"\(line.record.key)\",\(lead)\"name\":\"\(line.name)\","
      + "\(picture)\(claims)\(team)\"value\":\(Self.json(line.value, at: place))}"
  }

  /// A value as a place has it: the heroes and stories of an app have texts.
  static func json(_ value: Int, at place: SessionPlace?) -> String {
    place == .stories ? "\"\(value)\"" : "\(value)"
  }

  private static func json(of picture: String) -> String {
    "{\"name\":\"\(picture)\",\"sha256\":\"\(digest(of: picture))\","
      + "\"size\":\(content(of: picture).count),\"state\":\"present\"}"
  }
}
