import Foundation
import Profiles
import Testing

/// Inputs with which the fuzzer found ways of their own through the reader (`Tests/Fuzzing`).
struct ProfileCorpusTests {
  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Fuzzing/corpora/profile").standardized

  @Test func `whatever was found is refused with a reason, or reads the same twice`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.corpus,
      includingPropertiesForKeys: nil
    )
    #expect(!files.isEmpty)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      do throws(ProfileError) {
        let profile = try Profile(yaml: bytes, path: file.lastPathComponent)
        #expect(try Profile(yaml: bytes, path: file.lastPathComponent) == profile)
      } catch {
        #expect(!error.description.isEmpty)
      }
    }
  }
}
