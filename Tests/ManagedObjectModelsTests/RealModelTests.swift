import Files
import ManagedObjectModels
import Records
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Models of real apps, when there is a folder of them.
///
/// `FERRY_STORES` names a folder with a folder `model` in it.
@Suite(.enabled(if: RealModels.folder != nil, "FERRY_STORES is not set"))
struct `Real models` {
  @Test func `the samples include some`() { #expect(!RealModels.names.isEmpty) }

  @Test(arguments: RealModels.names)
  func `each model file is read, or refused by its kind`(name: String) throws {
    let path = try #require(RealModels.folder) + "/" + name
    if name.hasSuffix(".omo") || name.hasSuffix("-elements") {
      let fault = #expect(throws: ModelFault.self) { try GivenModels.candidates(at: path) }
      #expect(
        fault?.reason.contains("optimized") == true || fault?.reason.contains("Xcode 3") == true
      )
      return
    }
    let candidate = try #require(GivenModels.candidates(at: path).first)
    let model = try candidate.model()
    #expect(!model.entities.isEmpty)
    #expect(model.entities.values.contains { !$0.attributes.isEmpty })
    for entity in model.entities.values {
      for relationship in entity.relationships {
        #expect(model.entities[relationship.destination.text] != nil)
      }
    }
  }
}

/// The folder of real models and what is in it.
enum RealModels {
  static let folder: String? = getenv("FERRY_STORES").flatMap { String(validatingCString: $0) }
    .map { $0 + "/model" }

  static let names: [String] = {
    guard let folder else { return [] }
    do {
      return try Folder.names(in: folder).filter { name in
        ["VersionInfo", ".xccurrentversion", "index.jsonl"].allSatisfy { !name.contains($0) }
      }
    } catch {
      return []
    }
  }()
}
