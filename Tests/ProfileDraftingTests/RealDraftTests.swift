import Files
import Foundation
import JSONText
import ProfileDrafting
import Profiles
import Records
import SchemaValidation
import StoreReading
import Testing

/// Drafts of real stores hold for all their records.
struct RealDraftTests {
  static let folder = ProcessInfo.processInfo.environment["FERRY_STORES"].map { $0 + "/sqlite" }

  static let names: [String] = {
    guard let folder, let names = try? FileManager.default.contentsOfDirectory(atPath: folder)
    else { return [] }
    return names.filter { name in
      guard !name.hasSuffix("-wal"), !name.hasSuffix("-shm"), !name.hasSuffix("-journal") else {
        return false
      }
      return (try? SourceKind(of: folder + "/" + name)) == .sqlite
    }.sorted()
  }()

  @Test(
    .enabled(if: folder != nil, "skipped: FERRY_STORES does not name the folder of real stores")
  )
  func `there are real stores`() { #expect(!Self.names.isEmpty) }

  @Test(
    .enabled(if: folder != nil, "skipped: FERRY_STORES does not name the folder of real stores"),
    arguments: names,
    [ProfileDraft.Basis.rows, .model]
  )
  func `every record obeys the drafted schema, and drafts are the same twice`(
    name: String,
    basis: ProfileDraft.Basis
  ) throws {
    let place = try PrivateFolder()
    let store = try Source(
      #require(Self.folder) + "/" + name,
      into: place.path + "/source"
    ).store
    let draft = try ProfileDraft(of: store, app: "draft", from: basis)
    let again = try ProfileDraft(of: store, app: "draft", from: basis)
    #expect(draft.yaml == again.yaml)
    #expect(draft.schemas.map(\.bytes) == again.schemas.map(\.bytes))
    let profile = try Profile(yaml: Array(draft.yaml.utf8), path: name)
    let export = try CompiledExport(profile: profile, model: store.model)
    for program in export.programs {
      let schemaName = try #require(program.profile.schema)
      let bytes = try #require(draft.schemas.first { $0.name == schemaName }).bytes
      let schema = try SchemaSet(schemas: [(schemaName, bytes)]).schema(at: schemaName)
      let validator = SchemaValidator(schema)
      let writer = RecordWriter(program) { rule, _ throws(RecordFault) in
        throw RecordFault(code: "none", member: rule.member, cause: "no media", cure: "none")
      }
      let document = JSONDocument()
      var line = JSONWriter()
      let reader = try store.rows(program.request)
      while try reader.next() {
        line.reset()
        try writer.write(reader.row, into: &line)
        try document.parse(copying: line.bytes)
        guard !validator.isValid(document, document.root) else { continue }
        Issue.record("\(program.entity): \(validator.faults(document, document.root).prefix(3))")
        break
      }
    }
  }
}
