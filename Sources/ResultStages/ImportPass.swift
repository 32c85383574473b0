import ExportPackage
import JSONText
import LegacyFiles
import Records

/// The records of one entity on their way into the package of an import.
struct ImportPass {
  let entity: EntityName
  let writer: PackageWriter
  private(set) var place: Int64 = 0
  /// How many came from the package that the import is added to.
  private(set) var carried: Int64 = 0
  /// Where an earlier, interrupted run ended.
  private let written: Int64

  init(entity: EntityName, writer: PackageWriter) {
    self.entity = entity
    self.writer = writer
    written = writer.lastPlace(of: entity) ?? 0
  }

  mutating func add(_ record: JSONObject) throws {
    try add(line: JSONValue.object(record).canonicalBytes)
  }

  private mutating func add(line: [UInt8]) throws {
    place += 1
    guard place > written else { return }
    let (entity, writer, place) = (entity, writer, place)
    var output = JSONWriter(reservingCapacity: line.count)
    output.raw(line)
    try output.withBytes { bytes throws(PackageError) in
      try writer.add(bytes, of: entity, place: place)
    }
  }

  /// Keeps a text that was refused, with the reason.
  mutating func refuse(
    _ entry: LegacyEntry,
    _ finding: Finding,
    in file: LegacyFile
  ) throws {
    var object: JSONObject = [
      "entity": .string(entity.text), "place": .number(JSONNumber(place + 1)),
      "code": .string(finding.code), "cause": .string(finding.cause),
      "cure": .string(finding.cure), "file": .string(file.name),
      "form": .string(file.form.rawValue), "position": .string(entry.place.description),
    ]
    if let found = finding.found { object["found"] = .string(found) }
    if let text = String(validating: entry.text, as: UTF8.self) {
      object["text"] = .string(text)
    } else {
      object["bytes"] = .array(entry.text.map { .number(JSONNumber(Int64($0))) })
    }
    if case .result(let stored) = entry.kind { object["stored"] = .object(stored) }
    try keep(JSONValue.object(object).canonicalBytes)
  }

  private mutating func keep(_ line: [UInt8]) throws {
    place += 1
    guard place > written else { return }
    let (entity, writer, place) = (entity, writer, place)
    try writer.reject(line, of: entity, place: place)
  }

  /// Takes over all that a package has of the entity: records, media and what it rejected.
  ///
  /// `change` makes of each record what the new package has; without it, each stays to the byte.
  mutating func carry(
    _ base: PackageReader,
    change: ((JSONObject) -> JSONObject)? = nil
  ) throws {
    guard base.manifest.entity(entity) != nil else { return }
    let stream = try base.records(of: entity)
    while let line = try stream.take()?.line {
      try carryMedia(of: line, base)
      if let change {
        try add(line: Self.changed(line, change, base))
      } else {
        try add(line: line)
      }
    }
    let rejects = try base.rejects(of: entity)
    while let line = try rejects.next().map({ [UInt8]($0.line) }) {
      try keep(line)
    }
    carried = place
  }

  private static func changed(
    _ line: [UInt8],
    _ change: (JSONObject) -> JSONObject,
    _ base: PackageReader
  ) throws -> [UInt8] {
    do throws(JSONError) {
      guard let record = try JSONValue(parsing: line).object else { return line }
      let changed = change(record)
      return changed == record ? line : JSONValue.object(changed).canonicalBytes
    } catch {
      throw PackageError.damaged(path: base.path, reason: "a record is not JSON: \(error)")
    }
  }

  private func carryMedia(of line: [UInt8], _ base: PackageReader) throws {
    guard base.manifest.media.files > 0, place + 1 > written else { return }
    let record: JSONObject?
    do throws(JSONError) { record = try JSONValue(parsing: line).object } catch { return }
    for member in record?.members ?? [] {
      guard let digest = member.value["sha256"]?.text.flatMap({ Digest(hexadecimal: $0) }),
        let file = base.media(digest)
      else { continue }
      _ = try writer.addMedia(from: file, of: entity)
    }
  }
}
