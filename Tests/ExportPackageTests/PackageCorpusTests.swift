import ExportPackage
import Files
import TestSupport
import Testing

struct PackageCorpusTests {
  @Test func `an export with a fuzzed file in the place of its journal ends as usual`() throws {
    let whole = try PackageFixture()
    let expected = try whole.write()
    for (name, bytes) in try FuzzCorpus.inputs(of: "package") {
      let fixture = try PackageFixture()
      for part in ["data", "media/sha256", "schemas"] {
        try Folder.make("\(fixture.package).partial/\(part)")
      }
      try WholeFile.replace("\(fixture.package).partial/progress.json", with: bytes)
      do throws(PackageError) {
        guard
          case .writing(let writer) = try PackageWriter.open(
            fixture.package,
            binding: PackageFixture.binding(),
            chunkSize: 256
          )
        else {
          Issue.record("\(name) is taken for a package")
          continue
        }
        #expect(throws: Never.self, "\(name)") {
          let manifest = try fixture.write(into: writer)
          #expect(manifest == expected, "\(name)")
        }
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }
}
