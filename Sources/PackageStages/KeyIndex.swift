import Checkpoint
import ExportPackage
import Files
import JSONText
import LongTexts
import Records
import ScratchFiles

/// Which records a package holds, as far as references ask for them.
struct KeyIndex {
  private let keys: ScratchKeys
  /// Keeps the folder of the scratch file for as long as the index lives.
  private let folder: PrivateFolder
  /// The keys that more than one record of an entity has, as `LongText.comparable` gives them.
  let duplicates: Set<RecordID>

  private static let batchSize = 1_000

  /// Reads the keys of every entity.
  init(package: PackageReader) throws {
    let folder = try PrivateFolder()
    let keys = try ScratchKeys(path: folder.path + "/keys.sqlite")
    var duplicates: Set<RecordID> = []
    let package = package.standingIn(LongTexts())
    for entity in package.manifest.entities {
      var batch: [String] = []
      func flush() throws {
        let filled = batch
        let repeated = try keys.add(filled, of: entity.name)
        duplicates.formUnion(repeated.map { RecordID(entity: entity.name, key: $0) })
        batch.removeAll(keepingCapacity: true)
      }
      let document = JSONDocument()
      let stream = try package.records(of: entity.name)
      while let (line, _) = try stream.next() {
        guard let key = document.key(entity.key, in: line) else { continue }
        batch.append(LongText.comparable(key))
        document.forget()
        if batch.count >= Self.batchSize { try flush() }
      }
      try flush()
    }
    self.keys = keys
    self.folder = folder
    self.duplicates = duplicates
  }

  func contains(_ key: String, of entity: EntityName) throws -> Bool {
    try keys.contains(LongText.comparable(key), of: entity)
  }
}
