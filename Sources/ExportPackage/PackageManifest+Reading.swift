import JSONText
import Records

extension PackageManifest {
  /// Reads a manifest; a newer major is refused before anything else is looked at.
  ///
  /// The path is that of the package, for messages.
  package init(bytes: [UInt8], path: String) throws(PackageError) {
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes)
    } catch {
      throw .damaged(path: path, reason: "manifest.json is not JSON: \(error)")
    }
    let reader = ManifestReader(path: path)
    let text = try reader.text(json, "format")
    guard let format = PackageFormat(text) else {
      throw .damaged(path: path, reason: "“\(text)” is no format of a package")
    }
    guard format.major <= PackageFormat.current.major else {
      throw .tooNew(path: path, format: text, supported: PackageFormat.current.description)
    }
    try ManifestDigest.check(json, bytes, path: path)
    self.init(
      format: format,
      tool: try reader.tool(json),
      source: try reader.source(json),
      profile: try reader.profile(json),
      dayRule: json["dayRule"]?.text,
      timeZone: json["timeZone"]?.text,
      entities: try reader.list(json, "entities", reader.entity),
      files: try reader.list(json, "files", reader.file),
      media: try reader.media(json),
      sums: json["sums"]?.text.flatMap { Digest(hexadecimal: $0) },
      unknown: reader.unknown(
        json,
        known: [
          "format", "tool", "source", "profile", "dayRule", "timeZone", "entities", "files",
          "media", "sums", ManifestDigest.member,
        ]
      )
    )
  }
}

/// Takes a manifest apart.
private struct ManifestReader {
  let path: String

  func text(_ json: JSONValue, _ name: String) throws(PackageError) -> String {
    guard let text = json[name]?.text else { throw missing(name) }
    return text
  }

  func count(_ json: JSONValue, _ name: String) throws(PackageError) -> Int64 {
    guard let count = json[name]?.integer, (0...Self.largestCount).contains(count) else {
      throw missing(name)
    }
    return count
  }

  /// More than any package holds, and so few that all counts of a manifest can be added up.
  private static let largestCount: Int64 = 1 << 42

  func digest(_ json: JSONValue, _ name: String) throws(PackageError) -> Digest {
    guard let digest = Digest(hexadecimal: try text(json, name)) else { throw missing(name) }
    return digest
  }

  func entityName(_ json: JSONValue, _ name: String) throws(PackageError) -> EntityName {
    guard let entity = EntityName(try text(json, name)) else { throw missing(name) }
    return entity
  }

  func texts(_ json: JSONValue, _ name: String) -> [String] {
    json[name]?.array?.compactMap(\.text) ?? []
  }

  func list<Part>(
    _ json: JSONValue,
    _ name: String,
    _ part: (JSONValue) throws(PackageError) -> Part
  ) throws(PackageError) -> [Part] {
    guard let elements = json[name]?.array else { throw missing(name) }
    var parts: [Part] = []
    for element in elements { parts.append(try part(element)) }
    return parts
  }

  func unknown(_ json: JSONValue, known: Set<String>) -> JSONObject {
    var object = JSONObject()
    for member in json.object?.members ?? [] where !known.contains(member.name) {
      object[member.name] = member.value
    }
    return object
  }

  private func missing(_ name: String) -> PackageError {
    .damaged(path: path, reason: "manifest.json has no proper “\(name)”")
  }

  private func section(_ json: JSONValue, _ name: String) throws(PackageError) -> JSONValue {
    guard let section = json[name], section.object != nil else { throw missing(name) }
    return section
  }

  func tool(_ json: JSONValue) throws(PackageError) -> PackageManifest.Tool {
    let tool = try section(json, "tool")
    return PackageManifest.Tool(name: try text(tool, "name"), version: try text(tool, "version"))
  }

  func source(_ json: JSONValue) throws(PackageError) -> PackageManifest.Source {
    let source = try section(json, "source")
    let model = try section(source, "model")
    return PackageManifest.Source(
      kind: try text(source, "kind"),
      store: try text(source, "store"),
      path: source["path"]?.text,
      digest: try digest(source, "digest"),
      modelOrigin: try text(model, "origin"),
      modelVersions: texts(model, "versions")
    )
  }

  func profile(_ json: JSONValue) throws(PackageError) -> PackageManifest.ProfileMark {
    let profile = try section(json, "profile")
    return PackageManifest.ProfileMark(
      app: try text(profile, "app"),
      digest: try digest(profile, "digest")
    )
  }

  func media(_ json: JSONValue) throws(PackageError) -> PackageManifest.Media {
    let media = try section(json, "media")
    return PackageManifest.Media(
      files: try count(media, "files"),
      bytes: try count(media, "bytes")
    )
  }

  func entity(_ json: JSONValue) throws(PackageError) -> PackageManifest.Entity {
    var tallies: [String: Int64] = [:]
    for member in json["tallies"]?.object?.members ?? [] {
      guard let tally = member.value.integer else { continue }
      guard (0...Self.largestCount).contains(tally) else { throw missing("tallies") }
      tallies[member.name] = tally
    }
    return PackageManifest.Entity(
      name: try entityName(json, "name"),
      schema: json["schema"]?.text,
      role: try text(json, "role"),
      key: try text(json, "key"),
      references: try list(json, "references", reference),
      omitted: texts(json, "omitted"),
      records: try count(json, "records"),
      rejected: try count(json, "rejected"),
      tallies: tallies,
      unknown: unknown(
        json,
        known: [
          "name", "schema", "role", "key", "references", "omitted", "records", "rejected",
          "tallies",
        ]
      )
    )
  }

  func reference(_ json: JSONValue) throws(PackageError) -> PackageManifest.Reference {
    var entities = [try entityName(json, "entity")]
    for text in texts(json, "subentities") {
      guard let name = EntityName(text) else {
        throw .damaged(path: path, reason: "“\(text)” is not a name of an entity")
      }
      entities.append(name)
    }
    return PackageManifest.Reference(
      member: try text(json, "member"),
      entities: entities,
      isToMany: json["many"]?.boolean == true,
      inverse: json["inverse"]?.text,
      mayDangle: json["dangling"]?.text == "keep"
    )
  }

  func file(_ json: JSONValue) throws(PackageError) -> PackageManifest.File {
    let path = try text(json, "path")
    guard PackagePath.isInside(path) else {
      throw .damaged(path: self.path, reason: "“\(path)” leads out of the package")
    }
    return PackageManifest.File(
      path: path,
      size: try count(json, "size"),
      sha256: try digest(json, "sha256"),
      entity: json["entity"] == nil ? nil : try entityName(json, "entity"),
      records: json["records"] == nil ? nil : try count(json, "records")
    )
  }
}
