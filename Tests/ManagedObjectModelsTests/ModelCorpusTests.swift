import ManagedObjectModels
import Records
import TestSupport
import Testing

struct ModelCorpusTests {
  @Test func `whatever the fuzzer found is a model, or refused with a reason`() throws {
    for (name, bytes) in try FuzzCorpus.inputs(of: "model") {
      do throws(ModelFault) {
        let model = try ManagedObjectModel(compiled: bytes).storeModel
        #expect(model == (try ManagedObjectModel(compiled: bytes)).storeModel, "\(name)")
      } catch {
        #expect(!error.reason.isEmpty, "\(name)")
      }
      do throws(ModelFault) {
        _ = try ManagedObjectModel(deflated: bytes)
      } catch {
        #expect(!error.reason.isEmpty, "\(name)")
      }
    }
  }
}
