package import JSONText

/// What changed between the old and the new schemas of an app.
package struct SchemaComparison: Sendable {
  /// In the order of the new schemas, and of the keywords in each.
  package let changes: [SchemaChange]
  /// How many schemas were held against each other.
  package let comparedCount: Int

  /// Whether data that obeyed the old schemas may not obey the new ones.
  package var isBreaking: Bool { changes.contains(where: \.isBreaking) }

  /// Compares two files, regardless of their names.
  package init(old: (name: String, value: JSONValue), new: (name: String, value: JSONValue)) {
    let comparer = SchemaComparer(
      old: SchemaLibrary(SchemaFolderContent([old])),
      new: SchemaLibrary(SchemaFolderContent([new])),
      name: SchemaName(new.name).stem
    )
    changes = comparer.changes(oldFile: 0, newFile: 0)
    comparedCount = 1
  }

  /// Compares folders: files of one name, or else the newest versions of one stem.
  package init(old: SchemaFolderContent, new: SchemaFolderContent) {
    let (oldLibrary, newLibrary) = (SchemaLibrary(old), SchemaLibrary(new))
    let (oldFiles, newFiles) = (Self.newest(old), Self.newest(new))
    var changes: [SchemaChange] = []
    var count = 0
    for (stem, newFile) in newFiles.sorted(by: { $0.value < $1.value }) {
      guard let oldFile = oldFiles[stem] else {
        changes.append(Self.whole(stem, isGone: false))
        continue
      }
      count += 1
      let comparer = SchemaComparer(old: oldLibrary, new: newLibrary, name: stem)
      changes += comparer.changes(oldFile: oldFile, newFile: newFile)
    }
    for stem in oldFiles.keys.sorted() where newFiles[stem] == nil {
      changes.append(Self.whole(stem, isGone: true))
    }
    self.changes = changes
    comparedCount = count
  }

  /// The number of the newest file of each stem.
  private static func newest(_ content: SchemaFolderContent) -> [String: Int] {
    var newest: [String: Int] = [:]
    for (file, schema) in content.schemas.enumerated() {
      let name = SchemaName(schema.name)
      if let other = newest[name.stem],
        let version = SchemaName(content.schemas[other].name).version, version > name.version ?? -1
      {
        continue
      }
      newest[name.stem] = file
    }
    return newest
  }

  private static func whole(_ stem: String, isGone: Bool) -> SchemaChange {
    SchemaChange(
      schema: stem,
      pointer: "",
      keyword: "",
      effect: isGone ? .breaking : .compatible,
      old: nil,
      new: nil,
      cause: isGone ? "the schema is gone" : "the schema is new",
      reason: isGone
        ? "records that obeyed it have no schema any more" : "no record was held against it before"
    )
  }
}
