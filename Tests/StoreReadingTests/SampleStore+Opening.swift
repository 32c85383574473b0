import SQLiteStores
import StoreFiles
import StoreReading
import StoreSamples

extension SampleStore {
  /// Copies and opens the store at `path`.
  static func open(_ path: String, in folder: SampleFolder) throws -> CoreDataStore {
    try CoreDataStore(StoreCopy(of: path, into: folder.path + "/private"))
  }
}
