import ExportPackage
import Files
import JSONText
import RecordUpgrades
import Records

/// The records of one entity on their way into an upgraded package.
struct UpgradePass {
  let entity: EntityName
  let way: [RecordUpgrade]
  let writer: PackageWriter
  /// The package they come from; `nil` for an export of an older program.
  let old: PackageReader?
  private var counts: [[Int64]]
  private var place: Int64 = 0
  private var recordCount: Int64 = 0
  private var rejectedCount: Int64 = 0
  /// Where an earlier, interrupted run ended.
  private let written: Int64

  init(entity: EntityName, way: [RecordUpgrade], writer: PackageWriter, old: PackageReader?) {
    self.entity = entity
    self.way = way
    self.writer = writer
    self.old = old
    counts = way.map { [Int64](repeating: 0, count: $0.steps.count) }
    written = writer.lastPlace(of: entity) ?? 0
  }

  /// How many rows came.
  var total: Int64 { recordCount + rejectedCount }

  /// Takes the line of a record.
  mutating func take(_ line: [UInt8]) throws {
    let record: JSONObject?
    do throws(JSONError) {
      record = try JSONValue(parsing: line).object
    } catch {
      throw PackageError.damaged(path: old?.path ?? "", reason: "a record is not JSON: \(error)")
    }
    try take(record)
  }

  /// Takes a record; `nil` represents what is not one.
  mutating func take(_ record: JSONObject?) throws {
    guard var record else {
      let fault: JSONObject = [
        "code": "upgrade.kind", "cause": "this is not a record", "cure": "correct the older export",
      ]
      return try reject(fault)
    }
    do throws(UpgradeFault) {
      for (index, upgrade) in way.enumerated() {
        try upgrade.apply(to: &record, counting: &counts[index])
      }
    } catch {
      return try reject([
        "code": .string(error.code), "member": .string(error.member),
        "cause": .string(error.cause), "cure": .string(error.cure), "record": .object(record),
      ])
    }
    place += 1
    recordCount += 1
    guard place > written else { return }
    let line = JSONValue.object(record).canonicalBytes
    let (entity, writer, place) = (entity, writer, place)
    try carryMedia(of: record)
    var output = JSONWriter(reservingCapacity: line.count)
    output.raw(line)
    try output.withBytes { bytes throws(PackageError) in
      try writer.add(bytes, of: entity, place: place)
    }
  }

  /// Takes over what the older package had rejected.
  mutating func takeRejects() throws {
    guard let old else { return }
    let stream = try old.rejects(of: entity)
    while let line = try stream.take()?.line {
      try keep(line)
    }
  }

  private mutating func reject(_ fault: JSONObject) throws {
    var fault = fault
    fault["entity"] = .string(entity.text)
    fault["place"] = .number(JSONNumber(place + 1))
    try keep(JSONValue.object(fault).canonicalBytes)
  }

  private mutating func keep(_ line: [UInt8]) throws {
    place += 1
    rejectedCount += 1
    guard place > written else { return }
    let (entity, writer, place) = (entity, writer, place)
    try writer.reject(line, of: entity, place: place)
  }

  /// Copies the files that a record names from the older package.
  private func carryMedia(of record: JSONObject) throws(PackageError) {
    guard let old else { return }
    for member in record.members {
      guard let digest = member.value["sha256"]?.text.flatMap({ Digest(hexadecimal: $0) }),
        let file = old.media(digest)
      else { continue }
      _ = try writer.addMedia(from: file, of: entity)
    }
  }

  /// What became of the entity.
  func line(from schema: String?) -> UpgradeResult.Line {
    UpgradeResult.Line(
      entity: entity,
      schemas: (schema.map { [$0] } ?? []) + way.map(\.to),
      steps: zip(way, counts).flatMap { upgrade, counts in
        zip(upgrade.steps, counts).map { (step: $0, count: $1) }
      },
      recordCount: recordCount,
      rejectedCount: rejectedCount
    )
  }
}
