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
    let name: String
    let formats: FormatMeaning

    var testDescription: String { name }
  }

  static let files: [File] = {
    guard let folder else { return [] }
    let root = folder + "/tests/draft2020-12"
    guard let names = FileManager.default.enumerator(atPath: root) else { return [] }
    return names.compactMap { $0 as? String }.filter { $0.hasSuffix(".json") }.sorted().map {
      File(name: $0, formats: $0.hasPrefix("optional/format/") ? .assert : .annotate)
    }
  }()

  static func bytes(_ path: String) throws -> [UInt8] {
    try Array(Data(contentsOf: URL(filePath: (folder ?? "") + "/" + path)))
  }

  /// What references in the suite may lead to, under the addresses the suite promises.
  static let remotes: [(address: String, bytes: [UInt8])] = {
    guard let folder, let names = FileManager.default.enumerator(atPath: folder + "/remotes") else {
      return []
    }
    let wanted = names.compactMap { $0 as? String }.filter { name in
      name.hasSuffix(".json")
        && (name.hasPrefix("draft2020-12/") || name.hasPrefix("draft2019-09/ignore")
          || !name.hasPrefix("draft") && !name.hasPrefix("v1/"))
    }
    // A metaschema must be known before the schema that names it.
    let ordered = wanted.sorted { left, right in
      (left.contains("metaschema") ? 0 : 1, left) < (right.contains("metaschema") ? 0 : 1, right)
    }
    return ordered.compactMap { name in
      guard let bytes = try? bytes("remotes/" + name) else { return nil }
      return ("http://localhost:1234/" + name, bytes)
    }
  }()
}

struct OfficialSuiteTests {
  @Test(
    .enabled(
      if: OfficialSuite.folder != nil,
      "skipped: \(OfficialSuite.variable) does not name the folder of the official suite"
    ),
    arguments: OfficialSuite.files
  )
  func `the official suite agrees`(file: OfficialSuite.File) throws {
    let groups = try JSONValue(parsing: OfficialSuite.bytes("tests/draft2020-12/" + file.name))
    for group in try #require(groups.array) {
      try check(group, file)
    }
  }

  private func check(_ group: JSONValue, _ file: OfficialSuite.File) throws {
    let name = "\(file.name): \(group["description"]?.text ?? "")"
    let address = "urn:suite:schema"
    let source = try #require(group["schema"]).canonicalBytes
    let schema: Schema
    do throws(SchemaError) {
      let set = try SchemaSet(
        schemas: OfficialSuite.remotes + [(address, source)],
        formats: file.formats,
        unknownKeywords: .ignore
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
