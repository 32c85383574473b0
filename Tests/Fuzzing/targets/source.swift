// stand-ins: Crypto
// rooms: JSONText XMLAccess PropertyLists Records Files ManagedObjectModels StoreReading
// libraries: libxml-2.0 zlib sqlite3
// seeds: xmlstore plist
import Files
import Records
import StoreReading

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Lies in memory where TMPDIR does.
private let folder: PrivateFolder = {
  do throws(FileError) {
    return try PrivateFolder()
  } catch {
    fatalError("there is no room for the input: \(error)")
  }
}()

/// What libFuzzer calls: the input, as a file of whatever kind, may be refused, and nothing else may
/// happen; of what is not refused every row is read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let path = folder.path + "/source"
  guard let file = fopen(path, "w") else { fatalError("the input cannot be written") }
  fwrite(start, 1, count, file)
  fclose(file)
  do throws(StoreError) {
    let source = try Source(path, into: folder.path + "/private")
    for entity in source.store.model.entities {
      let fields = entity.attributes.map { FieldRequest.attribute(path: [$0.name]) }
      let reader = try source.store.rows(RowRequest(entity: entity.name, fields: fields))
      var rows = 0
      while try reader.next() { rows += 1 }
      let counted = try source.store.rowCount(of: entity.name)
      precondition(rows == counted, "\(rows) rows were read and \(counted) counted")
    }
  } catch {
    _ = error.description
    _ = error.cure
  }
  return 0
}
