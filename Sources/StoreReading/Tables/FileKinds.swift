package import StoreFiles

extension StoreReader {
  static let delimitedText = StoreReader(kind: .delimitedText, open: openFile)
  static let json = StoreReader(kind: .json, open: openFile)

  private static let openFile: Opening = { copy, options throws(StoreError) in
    try FileStore(copy, readsDamaged: options.readsDamaged)
  }
}

extension SourceKind {
  package static let delimitedText = SourceKind(
    "delimitedText",
    "CSV, TSV",
    "a table of delimited text",
    .document,
    by: "the name: `.csv`, `.tsv`, `.tab`",
    losing: "empty lines",
    hasName: TableName.isDelimited,
    cure: "give a file of rows or objects by itself"
  )
  package static let json = SourceKind(
    "json",
    "JSON, JSON Lines",
    "a JSON file",
    .document,
    by: "the name: `.json`, `.jsonl`, `.ndjson`",
    losing: "members that hold no records, which Ferry names",
    hasName: { TableName.isDocument($0) || TableName.holdsLines($0) },
    cure: "give a file of rows or objects by itself"
  )
}

extension StoreIdentity.Kind {
  /// Files of rows or objects: CSV, JSON.
  package static let files = Self("files", "records in files (CSV, JSON)", "files", .shared)
}
