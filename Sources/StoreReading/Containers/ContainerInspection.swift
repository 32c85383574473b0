package import Files
package import StoreFiles

/// What was found in a folder that may hold several stores of an app; nothing of it was opened yet.
package struct ContainerInspection: Hashable, Sendable {
  /// What the folder is.
  package enum Form: String, Hashable, Sendable {
    /// An app's own container, or that of an app group: it has a `Library` or `Documents`.
    case appContainer
    /// A document of `UIManagedDocument`.
    case managedDocument
    /// A backup that Finder or iTunes made of a device.
    case backup
    case folder
  }

  package let path: String
  package let form: Form
  /// The stores, and what looks like one, by their paths.
  package let stores: [FoundStore]
  /// Folders with several images or recordings.
  package let media: [MediaFolder]
  /// What was not looked into.
  package let skipped: [SkippedPlace]
  /// The files that are not among these, by their kinds.
  package let others: [OtherFiles]

  /// The apps whose files a backup holds, by their bundle identifiers.
  package let apps: [String]

  /// What the system said of the first place that may hold a store and could not be looked into.
  package var failure: FileError? { skipped.lazy.compactMap(\.failure).first }

  /// How many files are neither stores nor in a folder of media.
  package var otherFileCount: Int { others.reduce(0) { $0 + $1.fileCount } }

  /// The stores that are read.
  package var readable: [FoundStore] { stores.filter { $0.refusal == nil } }
}

/// A store that lies in a container.
package struct FoundStore: Hashable, Sendable {
  /// The path inside the container; in a backup it begins with the domain.
  package let path: String
  package let kind: SourceKind
  /// The size of the main file.
  package let byteCount: Int64
  /// Why it is not read, or `nil` when it is.
  package let refusal: String?

  /// Whether it is a database that is not read: by its content, or a document by its name.
  var isUnreadDatabase: Bool {
    kind.isUnreadDatabase
      || refusal != nil && kind.use == .document
        && ContainerRules.isDatabaseByName(path, isEncrypted: false, byteCount: byteCount)
  }
}

/// A folder of a container in which media files lie.
package struct MediaFolder: Hashable, Sendable {
  /// The path inside the container.
  package let path: String
  package let fileCount: Int
  package let byteCount: Int64
  /// The forms that were found, with the number of files: `JPEG`.
  package let forms: [String: Int]
}

/// Files of a container that are no stores, of one kind.
package struct OtherFiles: Hashable, Sendable {
  /// The form of media, or the end of the names: `JPEG`, `.txt`.
  package let kind: String
  package let fileCount: Int
  package let byteCount: Int64
}
