import Foundation

/// Lends an empty folder that is gone afterwards.
package func withTemporaryFolder<Value>(
  _ body: (_ path: String) async throws -> Value
) async throws -> Value {
  let path = try makeTemporaryFolder()
  do {
    let value = try await body(path)
    try FileManager.default.removeItem(atPath: path)
    return value
  } catch {
    // The first error is the one to tell.
    try? FileManager.default.removeItem(atPath: path)
    throw error
  }
}

/// Makes an empty folder with a name that no other test has.
private func makeTemporaryFolder() throws -> String {
  let folder = FileManager.default.temporaryDirectory
    .appending(path: "ferry-tests-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder.resolvingSymlinksInPath().path
}
