import Foundation
import JSONText
import SchemaValidation
import Testing

/// The official test suite of JSON Schema, where the environment says that it lies.
///
/// https://github.com/json-schema-org/JSON-Schema-Test-Suite
enum OfficialSuite {
  static let variable = "FERRY_JSON_SCHEMA_SUITE"
  static let folder = ProcessInfo.processInfo.environment[variable]

  /// One file of the suite.
  struct File: Sendable, CustomTestStringConvertible {
    let draft: SchemaDraft
    let name: String

    /// The folder of the draft's tests, and of what they refer to.
    var folder: String {
      switch draft {
      case .draft2020, .draft2019: "draft\(draft.rawValue)"
      case .draft7, .draft6, .draft4: "draft\(draft.rawValue.dropFirst())"
      }
    }

    /// Formats are asserted where the suite says so; and so is content, which is as optional.
    var formats: FormatMeaning {
      let isAsserting = name.hasPrefix("optional/format/") || name == "optional/content.json"
      return isAsserting && !(draft == .draft2020 && name == "optional/content.json")
        ? .assert : .annotate
    }

    var testDescription: String { "\(draft.rawValue) \(name)" }
  }

  static let files: [File] = {
    guard let folder else { return [] }
    return SchemaDraft.allCases.flatMap { draft -> [File] in
      let root = folder + "/tests/" + File(draft: draft, name: "").folder
      guard let names = FileManager.default.enumerator(atPath: root) else { return [] }
      return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted().map {
        File(draft: draft, name: $0)
      }
    }
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: (folder ?? "") + "/" + path)))
  }

  /// What references in the suite may lead to, under the addresses the suite promises.
  struct Remotes: SchemaFinder {
    func document(
      with address: String
    ) throws(SchemaError) -> (address: String, bytes: [UInt8])? {
      let base = "http://localhost:1234/"
      guard address.hasPrefix(base), let folder = OfficialSuite.folder else { return nil }
      let path = "\(folder)/remotes/\(address.dropFirst(base.count))"
      return FileManager.default.contents(atPath: path).map { (address, Array($0)) }
    }
  }
}

struct OfficialSuiteTests {
  @Test(
    .enabled(
      if: OfficialSuite.folder != nil,
      "skipped: \(OfficialSuite.variable) does not name the folder of the official suite"
    )
  )
  func `the official test suite is present for the newest and the most used draft`() {
    for draft in [SchemaDraft.draft2020, .draft7] {
      #expect(OfficialSuite.files.count { $0.draft == draft } > 20, "\(draft)")
    }
  }

  @Test(
    .enabled(
      if: OfficialSuite.folder != nil,
      "skipped: \(OfficialSuite.variable) does not name the folder of the official suite"
    ),
    arguments: OfficialSuite.files
  )
  func `the official test suite of JSON Schema passes`(file: OfficialSuite.File) throws {
    let groups = try JSONValue(parsing: OfficialSuite.bytes("tests/\(file.folder)/\(file.name)"))
    for group in try #require(groups.array) {
      try check(group, file)
    }
  }

  private func check(_ group: JSONValue, _ file: OfficialSuite.File) throws {
    let name = "\(file.testDescription): \(group["description"]?.text ?? "")"
    let address = "urn:suite:schema"
    let source = try #require(group["schema"]).canonicalBytes
    let schema: Schema
    do throws(SchemaError) {
      let set = try SchemaSet(
        schemas: [(address, source)],
        formats: file.formats,
        unknownKeywords: .ignore,
        draft: file.draft,
        finder: OfficialSuite.Remotes()
      )
      schema = try set.schema(at: address)
    } catch {
      Issue.record("\(name): \(error)")
      return
    }
    let document = JSONDocument()
    for test in try #require(group["tests"]?.array) {
      try document.parse(copying: #require(test["data"]).canonicalBytes)
      let isValid = test["valid"]?.boolean == true
      let what: Comment = "\(name): \(test["description"]?.text ?? "")"
      #expect(schema.isValid(document, document.root) == isValid, what)
      #expect(schema.faults(document, document.root).isEmpty == isValid, what)
    }
  }
}
