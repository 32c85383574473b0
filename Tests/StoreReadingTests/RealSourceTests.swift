import Files
import PropertyLists
import Records
import StoreFiles
import StoreReading
import Testing
import StoreSamples

/// Files of real apps, in a folder that the environment names.
@Suite(
  .enabled(
    if: environmentValue("FERRY_STORES") != nil,
    "FERRY_STORES names no folder of real stores, so none is read"
  )
)
struct RealSourceTests {
  private static func names(_ folder: String) -> [String] {
    guard let root = environmentValue("FERRY_STORES") else { return [] }
    do {
      return try Folder.names(in: root + "/" + folder).filter { $0 != "index.jsonl" }
    } catch {
      return []
    }
  }

  private static func path(_ name: String) -> String {
    (environmentValue("FERRY_STORES") ?? "") + "/" + name
  }

  private static let xmlNames = names("xmlstore")
  private static let hostileNames = names("../hostile/xml")
  private static let listNames = names("plist")

  @Test func `the samples include some of each kind`() {
    #expect(!Self.xmlNames.isEmpty)
    #expect(!Self.hostileNames.isEmpty)
    #expect(!Self.listNames.isEmpty)
  }

  @Test(arguments: xmlNames)
  func `an XML store has the objects its bytes show`(name: String) throws {
    let folder = try SampleFolder()
    let path = Self.path("xmlstore/" + name)
    let source = try Source(path, into: folder.path + "/private")
    let expected = ObjectScan.counts(try InputFile.contents(of: path))
    var counts: [String: Int] = [:]
    for entity in source.store.model.entities {
      counts[entity.name.text.uppercased()] = try source.store.rowCount(of: entity.name)
      let reader = try source.store.rows(
        RowRequest(entity: entity.name, fields: Self.fields(of: entity))
      )
      var rows = 0
      while try reader.next() { rows += 1 }
      #expect(rows == counts[entity.name.text.uppercased()])
    }
    #expect(counts == expected)
    #expect(try source.differences().isEmpty)
  }

  @Test(arguments: hostileNames)
  func `a hostile XML document is refused as a store`(name: String) throws {
    let folder = try SampleFolder()
    let copy = try StoreCopy(of: Self.path("../hostile/xml/" + name), into: folder.path + "/p")
    #expect(throws: StoreError.self) { try XMLStore(copy) }
  }

  @Test(arguments: listNames)
  func `a property list is read as preferences or refused with its reason`(name: String) throws {
    let folder = try SampleFolder()
    let path = Self.path("plist/" + name)
    do throws(StoreError) {
      let source = try Source(path, into: folder.path + "/private")
      for entity in source.store.model.entities {
        let reader = try source.store.rows(
          RowRequest(entity: entity.name, fields: Self.fields(of: entity))
        )
        var rows = 0
        while try reader.next() { rows += 1 }
        #expect(try rows == source.store.rowCount(of: entity.name))
      }
    } catch {
      switch error {
      case .unreadableList, .notPreferences, .unsupported, .unusableTable: break
      default: Issue.record("\(error)")
      }
    }
  }

  private static func fields(of entity: StoreEntity) -> [FieldRequest] {
    [.objectURI] + entity.attributes.map { .attribute(path: [$0.name]) }
      + entity.relationships.map {
        $0.isToMany
          ? .references(relationship: $0.name, identity: .objectURI)
          : .reference(relationship: $0.name, identity: .objectURI)
      }
  }
}

/// Counts the objects of an XML store by its bytes alone.
private enum ObjectScan {
  static func counts(_ bytes: [UInt8]) -> [String: Int] {
    let text = String(decoding: bytes, as: UTF8.self)
    var counts: [String: Int] = [:]
    for piece in text.split(separator: "<").filter({ $0.hasPrefix("object ") }) {
      let tag = piece.prefix { $0 != ">" }
      let parts = tag.split(separator: "type=\"", maxSplits: 1)
      guard parts.count == 2, let type = parts[1].split(separator: "\"").first else { continue }
      counts[type.uppercased(), default: 0] += 1
    }
    return counts
  }
}
