import Files
import Records
import SQLiteStores
import StoreFiles

/// Files of a backup, copied to a private folder under their real names.
///
/// There a store lies beside its log and its large values again, as it does on the device.
struct BackupStage {
  /// A file of the backup, as it was when it was copied.
  private struct Original: Hashable {
    let place: String
    let byteCount: Int64
    let digest: [UInt8]
  }

  private let folder: String
  private var originals: [Original] = []

  init(in folder: String) {
    self.folder = folder
  }

  var isEmpty: Bool { originals.isEmpty }

  /// Copies a store with what belongs to it, and gives the copy's path.
  mutating func add(
    _ store: FoundStore,
    from files: [String: ListedFile]
  ) throws(StoreError) -> String {
    let parent = Folder.parentPath(of: store.path)
    let support = "\(parent)/\(ExternalFiles.folderName(ofStoreAt: store.path))/"
    for part in SourceFile.Part.allCases where part != .sharedMemory {
      if let file = files[store.path + part.rawValue] { try copy(file) }
    }
    for file in files.values where file.path.hasPrefix(support) { try copy(file) }
    return folder + "/" + store.path
  }

  /// Reads the files again and says what is different from when they were copied.
  func differences() throws(StoreError) -> [String] {
    var differences: [String] = []
    for original in originals {
      guard InputFile.isPresent(original.place) else {
        differences.append("\(original.place) is gone")
        continue
      }
      let (digest, size) = try Self.digest(of: original.place)
      if digest != original.digest || size != original.byteCount {
        differences.append("\(original.place) has other content")
      }
    }
    return differences
  }

  private mutating func copy(_ file: ListedFile) throws(StoreError) {
    let target = folder + "/" + file.path
    try mapping { () throws(FileError) in
      try Folder.make(Folder.parentPath(of: target))
      try Folder.remove(target)
      try WholeFile.copy(file.place, to: target, isLasting: false)
    }
    let (digest, size) = try Self.digest(of: file.place)
    guard try Self.digest(of: target).digest == digest else {
      throw .unsteady(path: file.place, attempts: 1)
    }
    originals.append(Original(place: file.place, byteCount: size, digest: digest))
  }

  private static func digest(
    of path: String
  ) throws(StoreError) -> (digest: [UInt8], size: Int64) {
    try mapping { () throws(FileError) in try InputFile.sha256(of: path, followsLinks: false) }
  }
}
