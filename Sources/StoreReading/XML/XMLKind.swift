package import StoreFiles

extension StoreReader {
  static let coreDataXML = StoreReader(kind: .coreDataXML) { copy, options throws(StoreError) in
    try XMLStore(copy, models: options.models)
  }
}

extension SourceKind {
  package static let coreDataXML = SourceKind(
    "coreDataXML",
    "Core Data XML store",
    "a Core Data XML store",
    .store,
    by: "the element `database` or its document type",
    losing: "capital letters in names, unless you give the model (`--model`)",
    looks: { start, _ in
      markup(start).map { $0.contains("<!DOCTYPE database") || $0.contains("<database") } ?? false
    },
    cure: "give a Core Data or SwiftData store"
  )
}

extension StoreIdentity.Kind {
  /// The XML form of a Core Data store.
  package static let coreDataXML = Self(
    "coreDataXML",
    "Core Data store (XML)",
    "coredata-xml",
    .own
  )
}
