import Files
import Foundation
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// What is recognised of each real store, as a table that can be kept.
@Suite(.enabled(if: RealStores.folder != nil, "FERRY_STORES is not set"))
struct `The folder of real stores` {
  @Test func `each file of a sample backup is recognised and unchanged`() throws {
    let folder = try #require(RealStores.folder)
    let before = try Self.state(of: folder)
    var lines: [String] = []
    for name in try Folder.names(in: folder).sorted() where !Self.isBeside(name) {
      lines.append(try Self.line(folder + "/" + name))
    }
    print("| file | kind | model | entities | rows | log frames | findings |")
    print("|---|---|---|---|---|---|---|")
    for line in lines { print(line) }
    #expect(try Self.state(of: folder) == before)
    #expect(lines.count > 1)
  }

  private static func line(_ path: String) throws -> String {
    let scratch = try SampleFolder()
    let name = Folder.lastName(of: path)
    let source: Source
    do throws(StoreError) {
      source = try Source(path, into: scratch.path + "/private")
    } catch {
      return "| \(name) | refused: \(error) | | | | | |"
    }
    let store = source.store
    let copy = try StoreCopy(of: path, into: scratch.path + "/count")
    let plain = try SampleDatabase(copy.path)
    var total = 0
    for entity in store.model.entities {
      let count = try store.rowCount(of: entity.name)
      total += count
      #expect(try expected(entity, store, plain).map { $0 == count } ?? true, "\(entity.name)")
    }
    #expect(try source.differences().isEmpty)
    let log = store is CoreDataStore || store is SQLiteStore ? source.writeAheadLog : nil
    return "| \(name) | \(store.identity.kind) \(store.identity.frameworkVersion ?? 0) "
      + "| \(store.model.origin) | \(store.model.entities.count) | \(total) "
      + "| \(log?.committedFrameCount ?? 0) "
      + "| \(Set(store.findings.map(\.code)).sorted().joined(separator: ", ")) |"
  }

  /// The number of rows by another connection.
  private static func expected(
    _ entity: StoreEntity,
    _ store: any Store,
    _ plain: SampleDatabase
  ) throws -> Int? {
    if store.identity.kind == .sqlite {
      return plain.number("SELECT count(*) FROM \"\(entity.name)\"")
    }
    let table = try #require(StoreReader.rootTable(of: entity, in: store.model))
    return plain.number("SELECT count(*) FROM \(table) WHERE Z_ENT = \(entity.number)")
  }

  private static func isBeside(_ name: String) -> Bool {
    ["-wal", "-shm", "-journal", ".jsonl"].contains { name.hasSuffix($0) }
  }

  /// Name, size, times and content of every file.
  private static func state(of folder: String) throws -> [String] {
    try Folder.names(in: folder).sorted().map { name in
      let path = folder + "/" + name
      let facts = try FileManager.default.attributesOfItem(atPath: path)
      let digest = try InputFile.sha256(of: path)
      return "\(name) \(digest) \(String(describing: facts[.modificationDate]))"
    }
  }
}
