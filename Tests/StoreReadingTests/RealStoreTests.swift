import Files
import Records
import SQLiteStores
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Real stores of many apps and systems, when there is a folder of them.
///
/// `FERRY_STORES` names a folder with a folder `sqlite` in it.
@Suite(.enabled(if: RealStores.folder != nil, "FERRY_STORES is not set"))
struct `Real stores` {
  @Test func `the samples include some`() { #expect(!RealStores.names.isEmpty) }

  @Test(arguments: RealStores.names)
  func `every row of every entity can be read`(name: String) throws {
    let path = try #require(RealStores.folder) + "/" + name
    let folder = try SampleFolder()
    let copy = try StoreCopy(of: path, into: folder.path + "/store")
    guard let store = try RealStores.store(copy) else { return }
    if store.model.origin == .store {
      let names = Set(store.model.entities.map(\.name.text))
      #expect(names == Set(store.identity.modelVersionHashes.keys))
    }
    let second = try StoreCopy(of: path, into: folder.path + "/count")
    let plain = try SampleDatabase(second.path)
    for entity in store.model.entities {
      let count = try StoreReader.readAll(entity, of: store)
      #expect(try store.rowCount(of: entity.name) == count, "\(entity.name)")
      if let table = StoreReader.rootTable(of: entity, in: store.model),
        let expected = plain.number("SELECT count(*) FROM \(table) WHERE Z_ENT=\(entity.number)")
      {
        #expect(count == expected, "\(entity.name)")
      }
    }
    #expect(try copy.differences().isEmpty)
    #expect(
      !store.findings.contains { $0.severity == .error },
      "\(store.findings.map(\.cause))"
    )
  }

  @Test(arguments: RealStores.names)
  func `both sides of a relationship agree`(name: String) throws {
    let path = try #require(RealStores.folder) + "/" + name
    let folder = try SampleFolder()
    guard let store = try RealStores.store(StoreCopy(of: path, into: folder.path)) else { return }
    for entity in store.model.entities {
      for relationship in entity.relationships {
        // Of two to-one sides, real apps leave one empty now and then.
        guard let inverse = relationship.inverse,
          relationship.isToMany || StoreReader.isToMany(inverse, relationship, in: store.model)
        else { continue }
        let forth = try StoreReader.pairs(relationship, of: entity.name, in: store)
        let back = try StoreReader.pairsBack(inverse, of: relationship.destination, in: store)
        let missing = forth.subtracting(back)
        #expect(missing.isEmpty, "\(entity.name).\(relationship.name)")
      }
    }
  }

  @Test func `SwiftData's composites, blobs and relationships are read`() throws {
    let name = try #require(RealStores.names.first { $0.hasSuffix("PreloadedCocktails.store") })
    let folder = try SampleFolder()
    let store = try CoreDataStore(
      StoreCopy(of: #require(RealStores.folder) + "/" + name, into: folder.path)
    )
    #expect(store.identity.kind == .swiftData)
    #expect(store.findings.isEmpty)
    let cocktail = try #require(store.model.entity(named: "Cocktail"))
    let cursor = try store.rows(
      RowRequest(
        entity: "Cocktail",
        fields: [
          .attribute(path: ["id"]), .attribute(path: ["author", "id"]),
          .attribute(path: ["cocktailName"]),
          .references(relationship: "garnish", identity: .attribute("name")),
          .references(relationship: "spec", identity: .attribute("id")),
        ]
      )
    )
    #expect(cocktail.relationships.map(\.name).contains("spec"))
    var ids: Set<String> = []
    var (rowCount, garnishCount, ingredientCount) = (0, 0, 0)
    while try cursor.next() {
      rowCount += 1
      ids.insert(described(cursor.row.cells[0]))
      if case .list(let cells) = cursor.row.cells[3] { garnishCount += cells.count }
      if case .list(let cells) = cursor.row.cells[4] { ingredientCount += cells.count }
    }
    #expect(rowCount > 100)
    #expect(ids.count == rowCount)
    #expect(garnishCount > 0)
    #expect(ingredientCount > rowCount)
  }
}

/// The folder of real stores and what is in it.
enum RealStores {
  static let folder = environmentValue("FERRY_STORES").map { $0 + "/sqlite" }

  /// Opens a store; `nil` for the one database that is not one.
  static func store(_ copy: StoreCopy) throws(StoreError) -> CoreDataStore? {
    do throws(StoreError) {
      return try CoreDataStore(copy)
    } catch {
      guard case .notCoreData = error else { throw error }
      return nil
    }
  }

  /// The main files: those that begin like an SQLite database.
  static let names: [String] = {
    guard let folder else { return [] }
    do {
      return try Folder.names(in: folder).filter { name in
        // One store was broken on purpose by taking a table away; another has a cut model.
        guard !name.contains("test_no_table") else { return false }
        return try SourceKind(of: folder + "/" + name) == .sqlite
      }
    } catch {
      return []
    }
  }()
}

/// Reads whole entities, with everything the model says they have.
enum StoreReader {
  static func readAll(_ entity: StoreEntity, of store: CoreDataStore) throws -> Int {
    var fields: [FieldRequest] = [.objectURI]
    fields += leaves(entity.attributes, above: []).map { .attribute(path: $0) }
    for relationship in entity.relationships {
      fields.append(
        relationship.isToMany
          ? .references(relationship: relationship.name, identity: .objectURI)
          : .reference(relationship: relationship.name, identity: .objectURI)
      )
    }
    let cursor = try store.rows(RowRequest(entity: entity.name, fields: fields))
    var count = 0
    while try cursor.next() { count += 1 }
    return count
  }

  static func leaves(_ attributes: [StoreAttribute], above: [String]) -> [[String]] {
    attributes.filter { !$0.isTransient }.flatMap { attribute -> [[String]] in
      let path = above + [attribute.name]
      if case .composite(let elements, _) = attribute.kind { return leaves(elements, above: path) }
      return [path]
    }
  }

  static func rootTable(of entity: StoreEntity, in model: StoreModel) -> String? {
    var root = entity
    while let name = root.superentity, let above = model.entity(named: name) { root = above }
    return "Z" + root.name.text.uppercased()
  }

  static func isToMany(
    _ inverse: String,
    _ relationship: StoreRelationship,
    in model: StoreModel
  ) -> Bool {
    model.entity(named: relationship.destination)?.relationships
      .contains { $0.name == inverse && $0.isToMany } ?? false
  }

  /// All pairs (from, to) of a relationship, by the addresses of the objects.
  static func pairs(
    _ relationship: StoreRelationship,
    of entity: EntityName,
    in store: CoreDataStore
  ) throws -> Set<[String]> {
    let field: FieldRequest =
      relationship.isToMany
      ? .references(relationship: relationship.name, identity: .objectURI)
      : .reference(relationship: relationship.name, identity: .objectURI)
    let cursor = try store.rows(RowRequest(entity: entity, fields: [.objectURI, field]))
    var pairs: Set<[String]> = []
    while try cursor.next() {
      let from = described(cursor.row.cells[0])
      switch cursor.row.cells[1] {
      case .list(let cells): for cell in cells { pairs.insert([from, described(cell)]) }
      case .null: break
      case let cell: pairs.insert([from, described(cell)])
      }
    }
    return pairs
  }

  /// The pairs of the inverse, turned round, of the destination and all its sub-entities.
  static func pairsBack(
    _ inverse: String,
    of destination: EntityName,
    in store: CoreDataStore
  ) throws -> Set<[String]> {
    var pairs: Set<[String]> = []
    var waiting = [destination]
    while let name = waiting.popLast(), let entity = store.model.entity(named: name) {
      waiting += store.model.entities.filter { $0.superentity == name }.map(\.name)
      guard let relationship = entity.relationships.first(where: { $0.name == inverse }) else {
        continue
      }
      for pair in try self.pairs(relationship, of: name, in: store) {
        pairs.insert([pair[1], pair[0]])
      }
    }
    return pairs
  }
}
