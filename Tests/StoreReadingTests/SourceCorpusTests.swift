import Files
import Records
import StoreReading
import TestSupport
import Testing

struct SourceCorpusTests {
  @Test func `of whatever the fuzzer found, every row is read that is counted, or it is refused`()
    async throws
  {
    try await withTemporaryFolder(isInMemory: true) { folder in
      for (name, bytes) in try FuzzCorpus.inputs(of: "source") {
        let path = folder + "/" + name
        try WholeFile.replace(path, with: bytes)
        do throws(StoreError) {
          try read(path, into: "\(folder)/private-\(name)")
        } catch {
          #expect(!error.description.isEmpty, "\(name)")
        }
        #expect(try InputFile.contents(of: path) == bytes, "\(name) was written")
      }
    }
  }

  private func read(_ path: String, into folder: String) throws(StoreError) {
    let source = try Source(path, into: folder)
    for entity in source.store.model.entities {
      let fields = entity.attributes.map { FieldRequest.attribute(path: [$0.name]) }
      let reader = try source.store.rows(RowRequest(entity: entity.name, fields: fields))
      var rows = 0
      while try reader.next() { rows += 1 }
      let counted = try source.store.rowCount(of: entity.name)
      #expect(rows == counted, "\(path)")
    }
  }
}
