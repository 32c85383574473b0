package import Files
package import SchemaValidation

/// Holds the documents of a file against a schema, whatever both are about.
///
/// A file is JSON Lines, one document a line, or one document over as many lines as it likes. Lines
/// are read as a stream: memory follows the longest, and the number of workers.
package struct DocumentCheck: Sendable {
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
    /// What the schema has to say of a document without fault, where that was asked for.
    package let annotations: [SchemaAnnotation]
    package var isValid: Bool { findings.isEmpty }
  }

  /// A part of what was found, in the order of the file.
  package enum Stretch: Sendable {
    /// Documents there is nothing to say about, one on each of these lines.
    case valid(lines: ClosedRange<Int>)
    /// A document with faults, or with what the schema says of it.
    case document(Verdict)
  }

  /// How many documents there were.
  package struct Totals: Hashable, Sendable {
    package internal(set) var documentCount = 0
    package internal(set) var invalidCount = 0

    mutating func add(_ outcome: BlockOutcome) {
      documentCount += outcome.documentCount
      invalidCount += outcome.invalidCount
    }
  }

  /// The largest single document that is read: it is held whole, and so is what is known of it.
  package static let largestDocument = 24 << 20

  /// The most schemas with those of folders: the largest collection of them in public use, of which a
  /// document needs a few, has some 240,000 in a thousand files.
  private static let mostWithFolders = 600_000

  private let schema: Schema

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
    let bytes = try filing(InputFile.contents(of: schemaPath))
    let address = Self.address(of: schemaPath)
    do throws(SchemaError) {
      let set = try SchemaSet(
        schemas: [(address, bytes)],
        formats: formats,
        unknownKeywords: .ignore,
        draft: draft,
        limit: folders.isEmpty ? SchemaSet.usualLimit : Self.mostWithFolders,
        finder: folders.isEmpty ? nil : SchemaFolders(folders)
      )
      schema = try set.schema(at: address)
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
  ///   - file: The file, read from where it is.
  ///   - layout: How it holds its documents.
  ///   - workers: How many blocks of lines are looked at side by side; what is reported, and in
  ///     which order, does not depend on it.
  ///   - annotates: Whether documents without a fault come with what the schema says of them.
  ///   - report: Is given what was found about each block of documents, in the order of the file.
  /// - Returns: How many documents there were, and how many have faults.
  /// - Throws: ``DocumentError`` when the file cannot be read to its end.
  package func run(
    _ file: consuming InputFile,
    layout: Layout = .auto,
    workers: Int = 1,
    annotates: Bool = false,
    report: ([Stretch]) -> Void
  ) async throws(DocumentError) -> Totals {
    let reader = DocumentReader(file, layout: layout)
    if try reader.holdsLines() {
      return try await run(reader, workers, annotates, report)
    }
    var totals = Totals()
    func take(_ outcome: BlockOutcome) {
      totals.add(outcome)
      report(outcome.stretches)
    }
    let checker = DocumentChecker(schema, annotates: annotates)
    try reader.forEach { (piece) throws(DocumentError) in
      var outcome = BlockOutcome()
      outcome.add(unsafe checker.check(piece.bytes), line: piece.line)
      take(outcome)
    }
    return totals
  }

  /// Gives out blocks of lines and reports them in order.
  private func run(
    _ reader: DocumentReader,
    _ workers: Int,
    _ annotates: Bool,
    _ report: ([Stretch]) -> Void
  ) async throws(DocumentError) -> Totals {
    var totals = Totals()
    func take(_ outcome: BlockOutcome) {
      totals.add(outcome)
      report(outcome.stretches)
    }
    /// Takes what there is in a block from a place on, part by part.
    func takeLines(
      _ bytes: UnsafeRawBufferPointer,
      from place: BlockOutcome.Place,
      _ checker: DocumentChecker
    ) {
      var next: BlockOutcome.Place? = place
      while let place = next {
        let outcome = unsafe BlockOutcome(bytes, from: place, checker)
        take(outcome)
        next = outcome.rest
      }
    }
    guard workers > 1 else {
      // One worker looks at the lines where they were read.
      let checker = DocumentChecker(schema, annotates: annotates)
      while let block = try reader.nextBlock() {
        let start = BlockOutcome.Place(offset: 0, line: block.number)
        unsafe takeLines(block.bytes, from: start, checker)
      }
      return totals
    }
    // Memory that goes round is not asked of the system, and cleared by it, for each block.
    var spares: [[UInt8]] = []
    try await inOrder(workers: workers) { () throws(DocumentError) in
      var spare = spares.popLast() ?? []
      return try reader.takeBlock(reusing: &spare)
    } work: { [schema] block in
      let checker = DocumentChecker(schema, annotates: annotates)
      let outcome = unsafe block.bytes.withUnsafeBytes { bytes in
        unsafe BlockOutcome(
          bytes,
          from: BlockOutcome.Place(offset: 0, line: block.number),
          checker
        )
      }
      return (outcome, spare: block.bytes)
    } take: { (answer) throws(DocumentError) in
      take(answer.0)
      if let rest = answer.0.rest {
        let checker = DocumentChecker(schema, annotates: annotates)
        unsafe answer.spare.withUnsafeBytes { unsafe takeLines($0, from: rest, checker) }
      }
      spares.append(answer.spare)
    }
    return totals
  }
}
