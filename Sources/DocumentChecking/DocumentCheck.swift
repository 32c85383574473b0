package import Files
import JSONText
package import SchemaValidation

/// Holds the documents of a file against a schema, whatever both are about.
///
/// A file is JSON Lines, one document a line, or one document over as many lines as it likes. Lines
/// are read as a stream: memory follows the longest.
package final class DocumentCheck {
  /// How a file holds its documents.
  package enum Layout: String, Sendable, CaseIterable {
    /// One document a line; empty lines count for nothing.
    case lines
    /// One document.
    case whole
    /// Lines when the first line that is not empty is a document by itself, else one document.
    case auto
  }

  /// What was found about one document.
  package struct Verdict: Sendable {
    /// The line it begins on, counted from one.
    package let line: Int
    package let findings: [DocumentFinding]
    package var isValid: Bool { findings.isEmpty }
  }

  /// How many documents there were.
  package struct Totals: Hashable, Sendable {
    package internal(set) var documentCount = 0
    package internal(set) var invalidCount = 0
  }

  /// The largest single document that is read.
  package static let largestDocument = 256 << 20

  private let validator: SchemaValidator
  private let document = JSONDocument()
  private var totals = Totals()

  /// Compiles the schema in the file at `schemaPath`.
  ///
  /// - Parameters:
  ///   - schemaPath: The file of the schema.
  ///   - draft: The draft of a schema that does not name its own.
  ///   - formats: Whether a value that is not in its format is a fault.
  ///   - folders: Where the schemas are that references lead to.
  /// - Throws: ``DocumentError`` when the schema cannot be used.
  package init(
    schemaPath: String,
    draft: SchemaDraft = .draft2020,
    formats: FormatMeaning = .annotate,
    folders: [SchemaFolder] = []
  ) throws(DocumentError) {
    let bytes = try filing { () throws(FileError) in try InputFile.contents(of: schemaPath) }
    var schemas: [(address: String, bytes: [UInt8])] = []
    for folder in folders { schemas += try folder.schemas() }
    let address = Self.address(of: schemaPath)
    // The schema may itself lie in one of the folders, under an address of its own.
    let all = schemas + [(address, bytes)]
    do throws(SchemaError) {
      let set = try SchemaSet(
        schemas: all,
        formats: formats,
        unknownKeywords: .ignore,
        draft: draft
      )
      validator = SchemaValidator(try set.schema(at: address))
    } catch {
      throw .schema(error)
    }
  }

  private static func address(of path: String) -> String {
    "file:///" + path.split(separator: "/").joined(separator: "/")
  }

  /// Holds every document of `file` against the schema, in order.
  ///
  /// - Parameters:
  ///   - file: The file, read from where it stands.
  ///   - layout: How it holds its documents.
  ///   - report: Is told of each document.
  /// - Returns: How many documents there were, and how many have faults.
  /// - Throws: ``DocumentError`` when the file cannot be read to its end.
  package func run(
    _ file: consuming InputFile,
    layout: Layout = .auto,
    report: (Verdict) -> Void
  ) throws(DocumentError) -> Totals {
    totals = Totals()
    let reader = DocumentReader(file, layout: layout)
    try reader.forEach { (piece) throws(DocumentError) in
      report(unsafe verdict(piece.bytes, line: piece.line))
    }
    return totals
  }

  private func verdict(_ bytes: UnsafeRawBufferPointer, line: Int) -> Verdict {
    totals.documentCount += 1
    do throws(JSONError) {
      unsafe try document.parse(bytes)
    } catch {
      totals.invalidCount += 1
      return Verdict(line: line, findings: [DocumentFinding(error, in: line)])
    }
    guard !validator.isValid(document, document.root) else {
      return Verdict(line: line, findings: [])
    }
    totals.invalidCount += 1
    let faults = validator.faults(document, document.root)
    return Verdict(line: line, findings: faults.map(DocumentFinding.init))
  }
}
