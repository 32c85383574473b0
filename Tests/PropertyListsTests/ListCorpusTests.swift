import JSONText
import PropertyLists
import TestSupport
import Testing

struct ListCorpusTests {
  @Test(arguments: ["xml-list", "binary-list", "old-style-list"])
  func `whatever the fuzzer found is a list, or refused with a reason`(target: String) throws {
    for (name, bytes) in try FuzzCorpus.inputs(of: target) {
      do throws(PropertyListError) {
        let form = try PropertyListDocument(bytes: bytes).form
        #expect(form == PropertyListForm(bytes), "\(name)")
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }

  @Test func `whatever the fuzzer found is an archive that JSON can hold, or refused`() throws {
    for (name, bytes) in try FuzzCorpus.inputs(of: "keyed-archive") {
      do throws(PropertyListError) {
        let json = try KeyedArchive(bytes: bytes).json()
        #expect(throws: Never.self, "\(name)") { try JSONValue(parsing: json) }
      } catch {
        #expect(!error.description.isEmpty, "\(name)")
      }
    }
  }
}
