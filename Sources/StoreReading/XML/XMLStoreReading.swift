import Records
import StoreFiles
import XMLAccess

/// One pass over a Core Data XML store, which puts its objects into a private database.
///
/// After it, order, counts and references are found without the file, and memory does not grow with
/// it: what is kept is the names of entities and properties.
struct XMLStoreReading {
  private(set) var metadata = XMLStoreMetadata()
  private(set) var shape = XMLStoreShape()
  private var hasInformation = false

  private let reader: XMLEventReader
  private let database: ScratchDatabase
  private let objects: ScratchStatement
  private let values: ScratchStatement
  private let links: ScratchStatement
  private let newNames: ScratchStatement
  private let knownNames: ScratchStatement

  private static let valueLimit = 256 << 20

  static let tables = [
    "CREATE TABLE object (number INTEGER PRIMARY KEY, entity INTEGER NOT NULL)",
    "CREATE TABLE value (object INTEGER, attribute INTEGER, value, "
      + "PRIMARY KEY (object, attribute)) WITHOUT ROWID",
    "CREATE TABLE link (source INTEGER, relationship INTEGER, position INTEGER, target INTEGER, "
      + "PRIMARY KEY (source, relationship, position)) WITHOUT ROWID",
    // Names of objects that are no `z` and a number; their numbers are negative.
    "CREATE TABLE name (number INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE)",
  ]

  init(_ reader: XMLEventReader, into database: ScratchDatabase) throws(StoreError) {
    for table in Self.tables { try database.run(table) }
    self.reader = reader
    self.database = database
    objects = try database.insertion("INSERT INTO object (number, entity) VALUES (?, ?)")
    values = try database.insertion(
      "INSERT INTO value (object, attribute, value) VALUES (?, ?, ?)"
    )
    links = try database.insertion(
      "INSERT INTO link (source, relationship, position, target) VALUES (?, ?, ?, ?)"
    )
    newNames = try database.insertion(
      "INSERT OR IGNORE INTO name (number, text) "
        + "VALUES ((SELECT coalesce(min(number), 0) - 1 FROM name), ?)"
    )
    knownNames = try database.insertion("SELECT number FROM name WHERE text = ?")
  }

  /// Reads the whole file.
  mutating func run() throws(StoreError) {
    try database.run("BEGIN")
    try xml { () throws(XMLError) in
      guard case .start("database", _)? = try reader.next() else {
        throw reader.unexpected("the root element is not “database”")
      }
    }
    while let event = try xml({ () throws(XMLError) in try reader.next() }) {
      switch event {
      case .start("databaseInfo", _):
        guard !hasInformation else { throw refusal("a second element “databaseInfo”") }
        hasInformation = true
        metadata = try xml { () throws(XMLError) in try XMLStoreMetadata(reader) }
      case .start("object", let attributes):
        try readObject(attributes)
      case .start(let name, _):
        throw refusal("an element “\(name)” where objects are expected")
      case .text(let bytes):
        try refuseText(bytes)
      case .end:
        break
      }
      guard shape.nameCount <= XMLStoreShape.nameLimit else {
        throw refusal("more than \(XMLStoreShape.nameLimit) entities and properties")
      }
    }
    try database.run("COMMIT")
    try database.run("CREATE INDEX entityOfObject ON object (entity, number)")
    try database.run("CREATE INDEX targetOfLink ON link (target, relationship)")
  }

  /// Takes the inverses from a model.
  mutating func pair(by given: XMLGivenModel) {
    shape.pairRelationships(by: given)
  }

  // MARK: - Objects

  private mutating func readObject(_ attributes: [XMLAttribute]) throws(StoreError) {
    guard let entity = attributes["type"], let id = attributes["id"], !entity.isEmpty else {
      throw refusal("an object without a type or an id")
    }
    let number = try number(of: id)
    do throws(StoreError) {
      try objects.run([number, Int64(shape.addObject(entity))])
    } catch {
      guard case .database(_, _, 1555, _) = error else { throw error }
      throw refusal("a second object with the id “\(id)”")
    }
    let outside = reader.depth - 1
    while reader.depth > outside,
      let event = try xml({ () throws(XMLError) in try reader.next() })
    {
      switch event {
      case .start("attribute", let attributes): try readValue(attributes, number, entity)
      case .start("relationship", let attributes): try readLinks(attributes, number, entity)
      case .start(let name, _): throw refusal("an element “\(name)” in an object")
      case .text(let bytes): try refuseText(bytes)
      case .end: break
      }
    }
  }

  private mutating func readValue(
    _ attributes: [XMLAttribute],
    _ object: Int64,
    _ entity: String
  ) throws(StoreError) {
    guard let name = attributes["name"], let type = attributes["type"] else {
      throw refusal("an attribute without a name or a type")
    }
    let text = try xml { () throws(XMLError) in try reader.text(limit: Self.valueLimit) }
    let value = XMLValue.held(text, type: type)
    let number = shape.addValue(name, of: entity, type: type, isMalformed: value == nil)
    do throws(StoreError) {
      try values.run([object, Int64(number)], value ?? .text(text))
    } catch {
      guard case .database(_, _, 1555, _) = error else { throw error }
      throw refusal("a second attribute “\(name)” of one object")
    }
  }

  private mutating func readLinks(
    _ attributes: [XMLAttribute],
    _ object: Int64,
    _ entity: String
  ) throws(StoreError) {
    guard let name = attributes["name"], let destination = attributes["destination"] else {
      throw refusal("a relationship without a name or a destination")
    }
    let counts = (attributes["type"] ?? "0/0").split(separator: "/").map { Int($0) }
    guard counts.count == 2, let least = counts[0], let most = counts[1] else {
      throw refusal("a relationship whose type is not two numbers, such as 0/1")
    }
    let targets = (attributes["idrefs"] ?? "").split { $0 == " " || $0.isNewline || $0 == "\t" }
    guard
      let number = shape.addRelationship(
        name,
        of: entity,
        destination: destination,
        isToMany: most != 1,
        isOptional: least == 0
      )
    else { throw refusal("the relationship “\(name)” of another type than before") }
    guard most != 1 || targets.count <= 1 else {
      throw refusal("the to-one relationship “\(name)” with \(targets.count) objects")
    }
    for (position, target) in targets.enumerated() {
      let target = try self.number(of: String(target))
      try links.run([object, Int64(number), Int64(position), target])
    }
    try xml { () throws(XMLError) in try reader.skipElement() }
  }

  /// `102` of `z102`; any other name gets a negative number of its own.
  private func number(of id: String) throws(StoreError) -> Int64 {
    if id.hasPrefix("z"), let number = Int64(id.dropFirst()), number >= 0, "z\(number)" == id {
      return number
    }
    let text = Array(id.utf8)
    try newNames.run([], .text(text))
    return knownNames.number(of: text)
  }

  // MARK: - Refusing

  private func refuseText(_ bytes: ArraySlice<UInt8>) throws(StoreError) {
    guard bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
      throw refusal("text where objects are expected")
    }
  }

  private func refusal(_ reason: String) -> StoreError {
    .malformedXML(reader.unexpected(reason))
  }

  private func xml<Value>(
    _ body: () throws(XMLError) -> Value
  ) throws(StoreError) -> Value {
    do throws(XMLError) { return try body() } catch { throw .malformedXML(error) }
  }
}
