import Files
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Databases that were made to do harm, when there is a folder of them.
///
/// `FERRY_HOSTILE` names a folder with a folder `sqlite` in it.
@Suite(.enabled(if: HostileStores.folder != nil, "FERRY_HOSTILE is not set"))
struct `Hostile stores` {
  @Test(arguments: HostileStores.refused)
  func `a hostile store is refused with a message, and is unchanged`(name: String) throws {
    let folder = try SampleFolder()
    let path = try #require(HostileStores.folder) + "/" + name + ".sqlite"
    let before = try InputFile.sha256(of: path)
    #expect(throws: StoreError.self) { try Source(path, into: folder.path + "/private") }
    #expect(try InputFile.sha256(of: path) == before)
  }

  @Test(arguments: HostileStores.refused)
  func `a hostile store is read with its damage within time bounds`(name: String) throws {
    let folder = try SampleFolder()
    let path = try #require(HostileStores.folder) + "/" + name + ".sqlite"
    do throws(StoreError) {
      let source = try Source(
        path,
        options: .init(readsDamaged: true),
        into: folder.path + "/private"
      )
      #expect(source.store.findings.contains { $0.severity == .error })
      for entity in source.store.model.entities {
        _ = try HostileStores.count(entity, source.store)
      }
    } catch {
      #expect(!error.description.isEmpty)
    }
  }

  @Test(arguments: HostileStores.accepted)
  func `a hostile but sound store is read in full`(name: String, count: Int) throws {
    let folder = try SampleFolder()
    let path = try #require(HostileStores.folder) + "/" + name + ".sqlite"
    let source = try Source(path, into: folder.path + "/private")
    var total = 0
    for entity in source.store.model.entities {
      total += try HostileStores.count(entity, source.store)
    }
    #expect(total == count)
    #expect(try source.differences().isEmpty)
  }
}

/// The folder of hostile databases, and what each must come to.
enum HostileStores {
  static let folder = environmentValue("FERRY_HOSTILE").map { $0 + "/sqlite" }

  static let refused = [
    "encrypted", "flip-btree", "flip-cell", "half", "header-only", "hot-journal-cut", "index-lies",
    "metadata-cycle", "metadata-garbage", "no-z_metadata", "reserved-255", "schema-bad-sql",
    "schema-rootpage-0", "text", "view-blob", "view-readfile", "write-version-9",
  ]

  /// The rows of each: in `wal-ok` some lie only in the log, in the others the log does not count.
  static let accepted: [(String, Int)] = [
    ("wal-ok", 21), ("wal-flip", 20), ("wal-foreign", 20), ("wal-giant-header", 20),
    ("wal-zero", 20), ("negative-rowid", 21), ("trigger-delete", 20), ("generated-col", 20),
    ("no-z_modelcache", 20), ("wide", 20), ("flip-text", 20),
  ]

  static func count(_ entity: StoreEntity, _ store: any Store) throws(StoreError) -> Int {
    let paths = StoreReader.leaves(entity.attributes, above: []).prefix(1000)
    let reader = try store.rows(
      RowRequest(entity: entity.name, fields: paths.map { .attribute(path: $0) })
    )
    var count = 0
    while try reader.next() { count += 1 }
    return count
  }
}
