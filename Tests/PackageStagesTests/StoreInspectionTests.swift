import Foundation
import PackageStages
import StoreReading
import TestSupport
import Testing

struct StoreInspectionTests {
  @Test(arguments: [("a.json", true), ("a.txt", false)])
  func `a folder of JSON documents alone is one store, in which no other is looked for`(
    name: String,
    isOne: Bool
  ) async throws {
    try await withTemporaryFolder { folder in
      try Data("{}".utf8).write(to: URL(filePath: "\(folder)/\(name)"))
      let container = try StoreInspection.container(at: folder, options: Source.Options())
      #expect((container == nil) == isOne)
    }
  }
}
