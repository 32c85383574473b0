import Files
import JSONText
import LongTexts
import PropertyLists
package import Records
package import StoreFiles
import XMLAccess

/// The preferences of an app, read as a store: a property list (`UserDefaults`), or the XML file of
/// Android's `SharedPreferences`.
///
/// | what the list holds | becomes |
/// |---|---|
/// | the list itself | the entity `Preferences` with one row, each key an attribute |
/// | an array of dictionaries, one at least | an entity named by the key, each element a row |
/// | data that is that array as JSON, property list or keyed archive | the same |
/// | keys of one name, `_`, `-` or `.`, and a UUID, each holding a dictionary or data that is one | an entity of that name, each key a row; `$key` is the whole key |
/// | boolean, integer, real, date, string | an attribute of that kind |
/// | data that is any other JSON array or object, list or archive | a transformable, lent as JSON |
/// | other data | a binary attribute |
/// | anything else, and integers beyond `Int64` | a transformable, lent as JSON: each type keeps its form |
///
/// Attributes of an entity are the names that any of its rows has. Where the rows' values are of
/// several kinds the attribute is a transformable too; integers and fractions of JSON are one kind.
/// A member that is null and one that is not there both read as null; where there are such that are
/// null, an attribute `$null` lists their names. A key that cannot name an entity, and one whose
/// elements have more than 2,000 names between them, stays an attribute of `Preferences`. Names that
/// are one text in different bytes are one attribute, unless a row has several of them: then the
/// first, by its bytes, stays, the others are percent-encoded in all rows, and each is named in a
/// finding.
///
/// Rows keep the order of the array. Their place is their number, counted from one, and their
/// address `x-preferences:FILE/ENTITY/NUMBER`, FILE being the file's name without its extension.
/// Keys that Apple's frameworks are known to write are left out, and named in a finding.
package final class PreferencesStore: Store {
  package let identity: StoreIdentity
  package let model: StoreModel
  /// The keys of Apple's frameworks that were left out.
  package let otherTables: [String]
  package let findings: [Finding]
  /// The source's path, for messages.
  package let sourcePath: String

  /// Where the texts are that stand-ins of Android's preferences stand for; `nil` for property lists, which
  /// have none.
  let texts: LongTexts?
  private let tables: [EntityName: PreferenceTable]

  /// The entity that holds the keys that are no entities of their own.
  package static let rootEntity: EntityName = "Preferences"

  /// Larger preferences are refused; the system itself warns at 4 MiB.
  private static let sizeLimit = 256 << 20

  /// Each key that holds no records is an attribute, and has a line in a profile and in a schema.
  private static let largestKeyCount = 20_000

  /// Reads the copy.
  ///
  /// - Parameters:
  ///   - copy: The private copy of the property list or of the XML file.
  ///   - keepsSystemKeys: Whether keys of Apple's frameworks are read too.
  /// - Throws: `StoreError.unreadableList(path:reason:)` for what is no property list,
  ///   `StoreError.notPreferences(path:found:)` for a list that is no dictionary of keys, and
  ///   `StoreError.malformedXML(_:)` for preferences of Android that cannot be read.
  package init(_ copy: StoreCopy, keepsSystemKeys: Bool = false) throws(StoreError) {
    texts = copy.kind == .androidPreferences ? LongTexts() : nil
    let (members, notes) =
      if let texts { try Self.members(ofMap: copy, texts) } else { try Self.members(of: copy) }
    let keepsAll = keepsSystemKeys || texts != nil
    let isLeftOut = { (name: String) in !keepsAll && SystemKeys.contains(name) }
    var reading = PreferenceReading()
    for member in members where !isLeftOut(member.name) { reading.add(member) }
    guard reading.plainCount <= Self.largestKeyCount else {
      throw .tooMany(
        path: copy.sourcePath,
        what: "keys that hold no records",
        count: reading.plainCount,
        limit: Self.largestKeyCount
      )
    }
    let name = Self.stem(of: Folder.lastName(of: copy.sourcePath))
    otherTables = members.map(\.name).filter(isLeftOut)
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let tables = reading.tables(root: Self.rootEntity)
    self.tables = Dictionary(uniqueKeysWithValues: tables.map { ($0.entity.name, $0) })
    model = StoreModel(origin: .store, entities: tables.map(\.entity))
    identity = StoreIdentity(kind: .preferences, uuid: name)
    sourcePath = copy.sourcePath
    findings =
      Self.systemKeyFindings(otherTables) + reading.findings + tables.flatMap(\.findings)
      + PreferenceNotes.findings(notes)
  }

  package func rowCount(of entity: EntityName) throws(StoreError) -> Int {
    try table(of: entity).elements.count
  }

  package func rows(_ request: RowRequest) throws(StoreError) -> any RowReader {
    try PreferenceRowCursor(table(of: request.entity), request, of: self)
  }

  private func table(of entity: EntityName) throws(StoreError) -> PreferenceTable {
    guard let table = tables[entity] else { throw .unknownEntity(path: sourcePath, entity) }
    return table
  }

  private static func members(
    of copy: StoreCopy
  ) throws(StoreError) -> ([PropertyList.Member], [PropertyListNote]) {
    let document = try document(of: copy)
    guard let members = document.list.members else {
      throw .notPreferences(path: copy.sourcePath, found: "a property list without keys")
    }
    guard document.list["$archiver"] == nil else {
      throw .notPreferences(path: copy.sourcePath, found: "a keyed archive")
    }
    return (members, document.notes)
  }

  private static func document(of copy: StoreCopy) throws(StoreError) -> PropertyListDocument {
    try refuseTooLarge(copy)
    do throws(PropertyListError) {
      return try PropertyListDocument(at: copy.path, sizeLimit: sizeLimit)
    } catch {
      if case .file(let fault) = error { throw .file(fault) }
      throw .unreadableList(path: copy.sourcePath, reason: error)
    }
  }

  private static func refuseTooLarge(_ copy: StoreCopy) throws(StoreError) {
    guard copy.byteCount > sizeLimit else { return }
    throw .tooMany(
      path: copy.sourcePath,
      what: "bytes",
      count: Int(copy.byteCount),
      limit: sizeLimit
    )
  }

  private static func members(
    ofMap copy: StoreCopy,
    _ texts: LongTexts
  ) throws(StoreError) -> ([PropertyList.Member], [PropertyListNote]) {
    try refuseTooLarge(copy)
    let fault = AndroidPreferences.FileFault()
    do throws(XMLError) {
      let preferences = try AndroidPreferences(copy.path, texts, fault)
      return (preferences.members, preferences.notes)
    } catch {
      if let error = fault.error { throw .file(error) }
      throw .malformedXML(
        XMLError(
          error.cause,
          path: copy.sourcePath,
          line: error.line,
          column: error.column,
          reason: error.reason
        )
      )
    }
  }

  /// The name without its extension.
  private static func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
  }

  private static func systemKeyFindings(_ keys: [String]) -> [Finding] {
    guard !keys.isEmpty else { return [] }
    return [
      Finding(
        code: "preferences.system-keys",
        severity: .note,
        entity: rootEntity,
        cause: "\(keys.count) keys that the system wrote are left out: \(KeyList.text(keys))",
        cure: "no action is needed; if the app uses one of them, --system-keys reads them too"
      )
    ]
  }
}
