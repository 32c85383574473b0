package import ExportPackage
package import JSONText
package import Records

/// What a package holds, for a person and for a machine: its entities, the records of one, or one record.
package struct ContentsText: Sendable {
  private let showsValues: Bool

  /// - Parameter showsValues: Whether what the fields hold is shown.
  package init(showsValues: Bool) { self.showsValues = showsValues }

  // MARK: - Entities

  package static func lines(of package: PackageReader) -> [String] {
    let manifest = package.manifest
    var table = TextTable(heading: ["", "records", "rejected"])
    for entity in manifest.entities {
      table.add(entity.name, [Int(entity.records), Int(entity.rejected)])
    }
    let media = manifest.media.files
    return [package.path.plainForTerminal] + table.lines(orElse: "no entities")
      + (media > 0 ? ["  \(Figures.count(Int(media), "media file"))"] : [])
  }

  package static func value(of package: PackageReader) -> JSONValue {
    let manifest = package.manifest
    return [
      "type": "contents", "package": .string(package.path),
      "digest": .string(package.digest.description),
      "entities": .list(manifest.entities) { entity in
        [
          "entity": .string(entity.name.text),
          "records": .whole(entity.records), "rejected": .whole(entity.rejected),
        ]
      },
      "mediaFiles": .whole(manifest.media.files),
    ]
  }

  // MARK: - Records

  /// The line of one record among others.
  package static func line(of key: String, _ record: JSONObject) -> String {
    "  \(key)  \(Figures.count(record.count, "field"))".plainForTerminal
  }

  /// One record, field by field.
  package func lines(of id: RecordID, _ record: JSONObject) -> [String] {
    ["\(id)".plainForTerminal]
      + record.members.map { member in
        let words = showsValues ? member.value.canonicalText : member.value.kindWords
        return "    \(member.name): \(words)".plainForTerminal
      }
  }

  package func value(of id: RecordID, _ record: JSONObject) -> JSONValue {
    var object: JSONObject = [
      "type": "record", "entity": .string(id.entity.text), "record": .string(id.key),
    ]
    object["fields"] = .list(record.members) { member in
      showsValues
        ? ["name": .string(member.name), "value": member.value]
        : ["name": .string(member.name), "kind": .string(member.value.kind.description)]
    }
    return .object(object)
  }
}
