import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import StoreFiles

/// Reads the records of a store as an export does, but for the files that they name.
struct RecordReading {
  let export: CompiledExport
  let store: any Store
  /// The members of each entity's records that are relationships of the store, with the entities to which
  /// each leads.
  let links: [EntityName: [String: [EntityName]]]

  init(_ profile: Profile, _ store: any Store) throws(StoreWritingError) {
    self.store = store
    do throws(ProfileError) {
      export = try CompiledExport(profile: profile, model: store.model)
    } catch {
      throw .profile(error)
    }
    links = Dictionary(
      export.programs.map { ($0.entity, Self.links(of: $0)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  private static func links(of program: RecordProgram) -> [String: [EntityName]] {
    var links = Dictionary(
      program.references.map { ($0.member, $0.targets) },
      uniquingKeysWith: { first, _ in first }
    )
    for field in program.profile.fields {
      if case .attribute = field.source { links[field.member] = nil }
    }
    return links
  }

  /// Gives each record in canonical JSON, entity by entity.
  func forEachRecord(
    _ body: (RecordID, [UInt8]) -> Void
  ) throws(StoreWritingError) {
    do throws(StoreError) {
      for program in export.programs { try read(program, body) }
    } catch {
      throw .store(error)
    }
  }

  private func read(
    _ program: RecordProgram,
    _ body: (RecordID, [UInt8]) -> Void
  ) throws(StoreError) {
    let writer = unsafe RecordWriter(program) { (_, name) throws(RecordFault) in
      unsafe MediaValue(state: .missing, name: String(decoding: name, as: UTF8.self))
    } content: { (_, _) throws(RecordFault) in
      MediaValue(state: .missing, name: "")
    }
    let keyMember = JSONName(program.keyMember)
    let document = JSONDocument()
    let rows = try store.rows(program.request)
    while try rows.next() {
      guard let line = Self.line(of: rows.row, writer),
        let key = Self.key(of: line, keyMember, document)
      else { continue }
      body(RecordID(entity: program.entity, key: key), line)
    }
  }

  /// A row that an export rejects is a record in neither reading.
  private static func line(of row: Row, _ writer: RecordWriter) -> [UInt8]? {
    var line = JSONWriter()
    do throws(RecordFault) {
      try writer.write(row, into: &line)
    } catch {
      return nil
    }
    return writer.bytes(of: line)
  }

  private static func key(
    of line: [UInt8],
    _ member: JSONName,
    _ document: JSONDocument
  ) -> String? {
    do throws(JSONError) { try document.parse(keeping: line) } catch { return nil }
    return document.member(of: document.root, member).map { document.text(ofScalar: $0) }
  }
}
