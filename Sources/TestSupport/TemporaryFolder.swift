import Foundation

/// Lends an empty folder that is gone afterwards.
///
/// With `isInMemory` it lies in memory where the system has a place for that, so that a test which
/// syncs thousands of times waits for no disk.
package func withTemporaryFolder<Value>(
  isInMemory: Bool = false,
  _ body: (_ path: String) async throws -> Value
) async throws -> Value {
  let path = try makeTemporaryFolder(in: isInMemory ? memoryFolder : nil)
  do {
    let value = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return value
  } catch {
    // The first error is the one to state.
    try? FileManager.default.removeItem(atPath: path)
    throw error
  }
}

/// Where Linux keeps files in memory; `nil` where there is no such place.
private var memoryFolder: URL? {
  let path = "/dev/shm"
  return FileManager.default.isWritableFile(atPath: path) ? URL(filePath: path) : nil
}

/// Makes an empty folder with a name that no other test has.
private func makeTemporaryFolder(in parent: URL?) throws -> String {
  let folder = (parent ?? FileManager.default.temporaryDirectory)
    .appending(path: "ferry-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.resolvingSymlinksInPath().path
}
