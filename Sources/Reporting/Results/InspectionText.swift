package import JSONText
package import PackageStages
import Records
import SQLiteStores
import StoreFiles
import StoreReading

/// What a store is and holds, for a person and for a machine.
package enum InspectionText {
  package static func lines(of inspected: InspectedStore) -> [String] {
    switch inspected {
    case .read(let inspection): lines(of: inspection)
    case .unread(let findings): SummaryText.findings(findings)
    }
  }

  package static func value(of inspected: InspectedStore) -> JSONValue {
    switch inspected {
    case .read(let inspection): value(of: inspection)
    case .unread(let findings):
      ["type": "inspection", "entities": [], "findings": .array(findings.map(\.published))]
    }
  }

  package static func lines(of inspection: StoreInspection) -> [String] {
    let identity = inspection.identity
    let systems = identity.frameworkSystems.map { " (\($0))" } ?? ""
    let framework = identity.frameworkVersion.map { ", Core Data \($0)\(systems)" } ?? ""
    var lines = [
      inspection.path,
      "  kind     \(identity.kind.words)\(framework)",
      "  store    \(identity.uuid)",
      "  model    \(inspection.model.origin.words)\(versions(of: identity))",
    ]
    let space = Figures.bytes(inspection.spaceNeeded)
    lines.append("  space    an export needs about \(space) beside media")
    lines += inspection.files.map { "  file     \($0.name), \(Figures.bytes($0.byteCount))" }
    if let log = inspection.writeAheadLog {
      lines.append(
        "  log      \(log.committedFrameCount) committed pages of \(log.frameCount) are only in the -wal"
      )
    }
    lines += inspection.externalFolders.map { folder in
      "  values   \(folder.fileCount) large ones, \(Figures.bytes(folder.byteCount)), in \(folder.path)"
    }
    for entity in inspection.model.entities {
      lines += [""] + describe(entity, count: inspection.rowCounts[entity.name] ?? 0)
    }
    if !inspection.otherTables.isEmpty {
      lines += [
        "",
        "  \(whatIsLeftOut(of: inspection)): " + inspection.otherTables.joined(separator: ", "),
      ]
    }
    return lines.map(\.plainForTerminal) + SummaryText.findings(inspection.findings)
  }

  /// What the names are that the model has no entity or attribute for.
  private static func whatIsLeftOut(of inspection: StoreInspection) -> String {
    let tables = "tables that are not read"
    let keys = "keys that the system wrote (--system-keys reads them)"
    if inspection.identity.kind == .preferences { return "left out, \(keys)" }
    let hasKeys = inspection.findings.contains { $0.code == "preferences.system-keys" }
    return hasKeys ? "\(tables), and \(keys)" : tables
  }

  private static func versions(of identity: StoreIdentity) -> String {
    let versions = identity.modelVersionIdentifiers.filter { !$0.isEmpty }
    return versions.isEmpty ? "" : ", version \(versions.joined(separator: ", "))"
  }

  private static func describe(_ entity: StoreEntity, count: Int) -> [String] {
    var heading = "  \(entity.name) (\(Figures.count(count, "row")))"
    if let parent = entity.superentity { heading += " is a \(parent)" }
    if entity.isAbstract { heading += ", abstract" }
    var lines = [heading]
    for attribute in entity.attributes {
      let marks = [
        attribute.isOptional ? "optional" : nil, attribute.isTransient ? "transient" : nil,
        attribute.isDerived ? "derived" : nil,
        attribute.allowsExternalStorage ? "large values in files" : nil,
        attribute.defaultValue.map { "default \($0)" },
      ].compactMap(\.self)
      let suffix = marks.isEmpty ? "" : " (\(marks.joined(separator: ", ")))"
      lines.append("    \(attribute.name): \(attribute.kind.words)\(suffix)")
    }
    for relationship in entity.relationships {
      let arrow = relationship.isToMany ? "→→" : "→"
      let order = relationship.isOrdered ? ", ordered" : ""
      let inverse = relationship.inverse.map { ", inverse \($0)" } ?? ", no inverse"
      lines.append(
        "    \(relationship.name) \(arrow) \(relationship.destination)"
          + " (\(relationship.deleteRule.rawValue)\(order)\(inverse))"
      )
    }
    return lines
  }

  package static func value(of inspection: StoreInspection) -> JSONValue {
    let identity = inspection.identity
    var object: JSONObject = [
      "type": "inspection", "kind": .string(identity.kind.description),
      "store": .string(identity.uuid), "modelOrigin": .string(inspection.model.origin.rawValue),
      "modelVersions": .array(identity.modelVersionIdentifiers.map { .string($0) }),
      "files": .list(inspection.files) { file in
        [
          "name": .string(file.name), "bytes": .whole(file.byteCount),
          "sha256": .string(file.digest.description),
        ]
      },
      "entities": .list(inspection.model.entities) { entity in
        value(of: entity, count: inspection.rowCounts[entity.name] ?? 0)
      },
      "externalFolders": .list(inspection.externalFolders) { folder in
        [
          "path": .string(folder.path), "files": .whole(folder.fileCount),
          "bytes": .whole(folder.byteCount),
        ]
      },
      "writeAheadLog": inspection.writeAheadLog.map(value) ?? .null,
      "spaceNeeded": .whole(inspection.spaceNeeded),
      "otherTables": .array(inspection.otherTables.map { .string($0) }),
      "findings": .array(inspection.findings.map(\.published)),
    ]
    if let version = identity.frameworkVersion {
      object["frameworkVersion"] = .whole(version)
    }
    return .object(object)
  }

  private static func value(of log: WriteAheadLog) -> JSONValue {
    .object([
      "frames": .whole(log.frameCount), "committedFrames": .whole(log.committedFrameCount),
      "pageSize": .whole(log.pageSize),
    ])
  }

  private static func value(of entity: StoreEntity, count: Int) -> JSONValue {
    .object([
      "entity": .string(entity.name.text), "rows": .whole(count),
      "abstract": .boolean(entity.isAbstract), "superentity": .text(entity.superentity?.text),
      "attributes": .list(entity.attributes) { attribute in
        [
          "name": .string(attribute.name), "type": .string(attribute.kind.words),
          "optional": .boolean(attribute.isOptional),
          "transient": .boolean(attribute.isTransient), "derived": .boolean(attribute.isDerived),
          "external": .boolean(attribute.allowsExternalStorage),
          "default": .text(attribute.defaultValue),
        ]
      },
      "relationships": .list(entity.relationships) { relationship in
        [
          "name": .string(relationship.name),
          "destination": .string(relationship.destination.text),
          "inverse": .text(relationship.inverse), "toMany": .boolean(relationship.isToMany),
          "ordered": .boolean(relationship.isOrdered),
          "deleteRule": .string(relationship.deleteRule.rawValue),
          "optional": .boolean(relationship.isOptional),
          "minimumCount": .whole(relationship.minimumCount),
          "maximumCount": .whole(relationship.maximumCount),
        ]
      },
    ])
  }
}

extension StoreModel.Origin {
  fileprivate var words: String {
    switch self {
    case .store: "the store's own"
    case .given: "given beside the store"
    case .schemaOnly: "none; names are those of the tables"
    }
  }
}

extension StoreAttribute.Kind {
  /// The kind as a developer knows it.
  var words: String {
    switch self {
    case .integer16: "Int16"
    case .integer32: "Int32"
    case .integer64: "Int64"
    case .decimal: "Decimal"
    case .double: "Double"
    case .float: "Float"
    case .string: "String"
    case .boolean: "Bool"
    case .date: "Date"
    case .binary: "Data"
    case .uuid: "UUID"
    case .uri: "URL"
    case .objectID: "object ID"
    case .transformable(_, let valueClass): "transformable \(valueClass ?? "value")"
    case .composite(let parts, let isEnumeration):
      isEnumeration
        ? "enum"
        : "struct {\(parts.map { "\($0.name): \($0.kind.words)" }.joined(separator: ", "))}"
    case .undeclared(let type): type.isEmpty ? "undeclared" : type
    }
  }
}
