import Files
import Foundation
import JSONText
import ProfileDrafting
import Profiles
import RecordMapping
import Records
import SchemaValidation
import StoreFiles
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
  func `the samples include real stores`() { #expect(!Self.names.isEmpty) }

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
    var links = DraftedLinks()
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
        links.add(document, of: program)
        guard !validator.isValid(document, document.root) else { continue }
        Issue.record("\(program.entity): \(validator.faults(document, document.root).prefix(3))")
        break
      }
    }
    #expect(links.leadingNowhere.isEmpty)
  }

  /// Every table of each store loses its first row, as if an app had deleted it by SQL.
  @Test(
    .enabled(if: folder != nil, "skipped: FERRY_STORES does not name the folder of real stores"),
    arguments: names
  )
  func `a draft leaves out links to rows that were removed, and no others`(
    name: String
  ) throws {
    let place = try PrivateFolder()
    let path = place.path + "/" + name
    let original = try #require(Self.folder) + "/" + name
    for end in ["", "-wal"] where InputFile.isPresent(original + end) {
      try WholeFile.copy(original + end, to: path + end, isLasting: false)
    }
    let whole = try Source(path, into: place.path + "/whole").store
    let before = try Self.read(whole, name)
    let removed = try RowRemoval.run(path)
    let store = try Source(path, into: place.path + "/source").store
    let after = try Self.read(store, name)
    #expect(after.links.leadingNowhere.isEmpty)
    #expect(after.leftOut >= before.leftOut)
    if removed == 0 { #expect(after.leftOut == before.leftOut) }
  }

  /// Writes every record of a store by a draft of it.
  private static func read(
    _ store: any Store,
    _ name: String
  ) throws -> (links: DraftedLinks, leftOut: Int) {
    let draft = try ProfileDraft(of: store, app: "draft", from: .rows)
    let profile = try Profile(yaml: Array(draft.yaml.utf8), path: name)
    let export = try CompiledExport(profile: profile, model: store.model)
    var links = DraftedLinks()
    var leftOut = 0
    for program in export.programs {
      let writer = RecordWriter(program) { rule, _ throws(RecordFault) in
        throw RecordFault(code: "none", member: rule.member, cause: "no media", cure: "none")
      }
      let document = JSONDocument()
      var line = JSONWriter()
      let reader = try store.rows(program.request)
      while try reader.next() {
        line.reset()
        try writer.write(reader.row, into: &line)
        leftOut += writer.losses.count { $0.kind == .leftOut || $0.kind == .lostRow }
        try document.parse(copying: line.bytes)
        links.add(document, of: program)
      }
    }
    return (links, leftOut)
  }
}

/// The records that were written, and those that they name.
private struct DraftedLinks {
  private var keys: [EntityName: Set<String>] = [:]
  private var named: [(member: String, targets: [EntityName], key: String)] = []

  mutating func add(_ document: JSONDocument, of program: RecordProgram) {
    if let key = document.member(of: document.root, named: program.keyMember) {
      keys[program.entity, default: []].insert(Self.text(of: key, document))
    }
    for reference in program.references {
      guard let node = document.member(of: document.root, named: reference.member) else { continue }
      switch document.kind(of: node) {
      case .null: break
      case .array:
        document.forEachElement(of: node) { element in
          named.append((reference.member, reference.targets, Self.text(of: element, document)))
        }
      default: named.append((reference.member, reference.targets, Self.text(of: node, document)))
      }
    }
  }

  /// A key as text: one that is a number is its digits.
  private static func text(of node: JSONNode, _ document: JSONDocument) -> String {
    document.value(of: node).text
      ?? String(decoding: document.canonicalBytes(of: node), as: UTF8.self)
  }

  /// The first links to records that were not written.
  var leadingNowhere: [String] {
    let lost = named.lazy.filter { link in
      !link.targets.contains { keys[$0]?.contains(link.key) == true }
    }
    return lost.prefix(5).map { "\($0.member): \($0.key)" }
  }
}
