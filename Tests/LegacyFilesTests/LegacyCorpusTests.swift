import Files
import LegacyFiles
import ResultText
import TestSupport
import Testing

struct LegacyCorpusTests {
  @Test func `whatever the fuzzer found is read to its end, or refused with a reason`() async throws
  {
    let catalogue = try BuiltInGames.catalogue()
    try await withTemporaryFolder(isInMemory: true) { folder in
      for (name, bytes) in try FuzzCorpus.inputs(of: "legacy-file") {
        guard let choice = bytes.first else { continue }
        let path = folder + "/legacy"
        try WholeFile.replace(path, with: Array(bytes.dropFirst()))
        let forms = LegacyForm.allCases
        let number = Int(choice) % 32
        do throws(LegacyFileError) {
          let file = try LegacyFile(path, form: number < forms.count ? forms[number] : nil)
          let reader = try file.reader(LegacyOptions(), catalogue: catalogue)
          while try reader.next() != nil {}
        } catch {
          #expect(!error.description.isEmpty, "\(name)")
        }
      }
    }
  }
}
