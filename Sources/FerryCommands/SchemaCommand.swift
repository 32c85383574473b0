import ArgumentParser
import CommandOptions
import CommandOutput
import DocumentChecking
import Files
import JSONText
import PackageStages
import Reporting
import SchemaChanges
import SchemaDrafting
import SchemaValidation

/// `ferry schema`: compare schemas, draft one, and describe a store to a backend.
struct SchemaCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Compare schemas, draft one from JSON, or describe a store to a backend.",
    discussion: """
      EXAMPLES
        ferry schema diff old new
      """,
    subcommands: [SchemaDiffCommand.self, SchemaInferCommand.self, SchemaEmitCommand.self]
  )
}

/// `ferry schema diff`: what a change of schemas means to data that are there.
struct SchemaDiffCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Compare schemas, and find breaking changes.",
    discussion: """
      EXAMPLES
        ferry schema diff Hero.v1.schema.json Hero.v2.schema.json

      The rule: what obeys the old schema must obey the new one. A change that lets more through \
      is compatible; one that refuses what was right is breaking; one of which that cannot be \
      determined counts as breaking. Two files are compared as they are, folders by the names of their \
      files, whose versions do not count: app.Hero.v1.schema.json is the old \
      app.Hero.v2.schema.json.

      EXIT STATUS
        0   No change, or compatible ones only.
        4   A file is not JSON.
        6   At least one breaking change.
        12  The new schema is not one: a keyword has a value that it cannot have.
            Or one of the two is of another draft than 2020-12 and 07.
      """
  )

  @Argument(help: "The old schema, or a folder of schemas.", completion: .file())
  var old: String

  @Argument(help: "The new schema, or a folder of schemas.", completion: .file())
  var new: String

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      for path in [old, new] { try NamedFile.expect(.text, at: path) }
      let comparison: SchemaComparison
      if Folder.exists(old), Folder.exists(new) {
        comparison = SchemaComparison(
          old: SchemaFolderContent(try schemas(in: old)),
          new: SchemaFolderContent(try schemas(in: new))
        )
      } else {
        comparison = SchemaComparison(old: try schema(at: old), new: try schema(at: new))
      }
      try check(new)
      try check(old, drafts: true)
      context.screen.result(SchemaChangeText.lines(of: comparison))
      context.screen.result(SchemaChangeText.value(of: comparison))
      return comparison.isBreaking ? .differences : .done
    }
  }

  private func schemas(
    in folder: String
  ) throws -> [(name: String, value: JSONValue)] {
    try paths(in: folder).map { path in try schema(at: path) }
  }

  private func paths(in folder: String) throws -> [String] {
    let names = try Folder.names(in: folder)
    return names.filter { $0.hasSuffix(".json") }.sorted().map { "\(folder)/\($0)" }
  }

  /// Refuses new schemas that are not: by them nothing is valid, whatever their changes seem to mean.
  ///
  /// Schemas of a draft whose changes are not understood are refused on both sides.
  private func check(_ place: String, drafts isOfDraftsAlone: Bool = false) throws {
    for path in try Folder.exists(place) ? paths(in: place) : [place] {
      let address = "file:///\(SchemaSet.addressPart(Folder.lastName(of: path)))"
      let bytes = try contents(of: path)
      do throws(SchemaError) {
        let set = try SchemaSet(
          schemas: [(address, bytes)],
          unknownKeywords: .ignore,
          drafts: SchemaDraft.ofPackages
        )
        _ = try set.schema(at: address)
      } catch {
        // What a reference leads to may lie elsewhere, which is reported with the changes.
        if error.isOfDraft { throw error }
        if case .malformed = error.reason, !isOfDraftsAlone { throw error }
      }
    }
  }

  private func contents(of path: String) throws -> [UInt8] {
    try InputFile.contents(of: path, limit: 16 << 20)
  }

  private func schema(at path: String) throws -> (name: String, value: JSONValue) {
    let bytes = try contents(of: path)
    do throws(JSONError) {
      return (Folder.lastName(of: path), try JSONValue(parsing: bytes))
    } catch {
      throw DocumentError.malformed(file: path, line: error.line, reason: error.message)
    }
  }
}

/// `ferry schema infer`: a schema that some JSON obeys.
struct SchemaInferCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "infer",
    abstract: "Draft a schema (2020-12) from JSON Lines, an array or a document.",
    discussion: """
      EXAMPLES
        ferry schema infer heroes.jsonl -o Hero.v1.schema.json

      Whatever was read obeys the draft. It names types, required members, formats, ranges, and \
      choices of few texts that come again and again. Memory follows the longest line or element.

      EXIT STATUS
        0  The draft is there.
        4  The input is not JSON, or empty.
      """
  )

  @Argument(help: "A file of JSON or JSON Lines, or - for standard input.", completion: .file())
  var file: String

  @Option(
    name: [.short, .long],
    help: "The file for the draft; standard output unless given.",
    completion: .file()
  )
  var output: String?

  @Option(help: "A title for the schema.")
  var title: String?

  @Option(help: "How the file holds its documents: auto unless given, lines or whole.")
  var layout: String = "auto"

  @Flag(help: "Allow only members that the documents have.")
  var closed = false

  @Flag(help: "Leave out ranges and choices, which later data may not keep to.")
  var loose = false

  @OptionGroup(title: "Every verb") var shared: SharedOptions

  func validate() throws {
    try OutputForm.json.check(output, of: "--output")
    guard DocumentCheck.Layout(rawValue: layout) != nil else {
      throw ValidationError("--layout takes auto, lines or whole, not “\(layout)”.")
    }
  }

  func run() async throws {
    let context = CommandContext(shared)
    try await context.run {
      let sketch = try sketch()
      let options = SchemaDraftOptions(
        saysRanges: !loose,
        saysChoices: !loose,
        isClosed: closed
      )
      let schema = sketch.schema(title: title, options)
      try context.put(schema.prettyText + "\n", schema, to: output)
      guard let output else { return .done }
      let count = sketch.documentCount
      context.screen.say(
        "\(output): drafted from \(count) \(count == 1 ? "document" : "documents")"
      )
      return .done
    }
  }

  private func sketch() throws -> DocumentSketch {
    let input = try file == "-" ? InputFile.standardInput() : InputFile(file)
    return try DocumentSketch(
      reading: input,
      layout: DocumentCheck.Layout(rawValue: layout) ?? .auto
    )
  }
}

extension CommandContext {
  /// Writes a document, which ends with a line feed, into a file or prints it.
  func put(
    _ text: String,
    _ value: JSONValue,
    to output: String?,
    isJSON: Bool = true
  ) throws {
    if let output { return try WholeFile.replace(output, with: Array(text.utf8)) }
    let shown = (isJSON ? text.escapedForDisplay : text).split(
      separator: "\n",
      omittingEmptySubsequences: false
    )
    screen.result(shown.dropLast().map(String.init))
    screen.result(value)
  }
}
