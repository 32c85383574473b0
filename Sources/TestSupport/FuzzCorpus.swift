import class Foundation.FileManager
import struct Foundation.Data
import struct Foundation.URL

/// The inputs with which the fuzzer found ways of their own through a reader.
///
/// They are few and small; `Tests/Fuzzing/fuzz.sh` begins with them too.
package enum FuzzCorpus {
  /// The inputs of a target, the name of a file in `Tests/Fuzzing/targets`; never none.
  package static func inputs(of target: String) throws -> [(name: String, bytes: [UInt8])] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Tests/Fuzzing/corpora/\(target)").standardized
    let inputs = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
      .map { name in (name, [UInt8](try Data(contentsOf: folder.appending(path: name)))) }
    guard !inputs.isEmpty else { throw TestSupportError("there is no input in \(folder.path)") }
    return inputs
  }
}
