package import JSONText

/// Why a schema cannot be used, and where in it.
package struct SchemaError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What is wrong with the schema.
  package enum Reason: Hashable, Sendable {
    /// The bytes are not JSON.
    case notJSON(JSONError)
    /// The keyword is not one of its version of JSON Schema.
    case unknownKeyword(String)
    /// The format is not one that is known.
    case unknownFormat(String)
    /// The keyword's value is not what the keyword needs.
    case malformed(keyword: String, reason: String)
    /// The reference leads nowhere.
    case unresolved(reference: String)
    /// The schema leads back to itself without going into the value.
    case endless
    /// Two schemas have the same address, or two anchors of one schema the same name.
    case repeated(String)
    /// There is no schema at the address.
    case absent
    /// The schema asks for a vocabulary that is not known.
    case unknownDialect(String)
    /// The schema names a draft, or a metaschema, that is not read here.
    case otherDraft(String)
    /// The file of the schema cannot be read.
    case unreadable(String)
    /// Two files give schemas that differ the same address.
    case ambiguous(files: [String])
    /// The schema, with all that it came with, holds more schemas than are compiled.
    case tooMany(limit: Int)
  }

  /// The address of the schema.
  package let address: String
  /// The JSON Pointer of the place inside the schema.
  package let location: String
  package let reason: Reason

  package init(address: String, location: String, reason: Reason) {
    self.address = address
    self.location = location
    self.reason = reason
  }

  /// Whether the schema is written in a draft that is not read here.
  package var isOfDraft: Bool {
    if case .otherDraft = reason { true } else { false }
  }

  package var description: String {
    "schema \(address)\(location.isEmpty ? "" : " at \(location)"): \(sentence)"
  }

  private var sentence: String {
    switch reason {
    case .notJSON(let error): "\(error)"
    case .unknownKeyword(let keyword):
      "\"\(keyword)\" is not a keyword of its version of JSON Schema; own ones begin with x-"
    case .unknownFormat(let format): "\"\(format)\" is not a known format"
    case .malformed(let keyword, let reason): "\"\(keyword)\" \(reason)"
    case .unresolved(let reference): "the reference \"\(reference)\" leads nowhere"
    case .endless: "the schema refers to itself for the same value and would never end"
    case .repeated(let name): "\"\(name)\" is there twice"
    case .absent: "there is no such schema"
    case .tooMany(let limit):
      "it and what came with it hold more than \(limit) schemas; take out those that no document needs"
    case .unknownDialect(let dialect): "the vocabulary \"\(dialect)\" is not known"
    case .otherDraft(let address):
      "its $schema names \"\(address)\", which is neither a draft that is read here "
        + "(validate reads \(SchemaDraft.names); packages and comparisons 2020-12, 07) nor a schema "
        + "at hand"
    case .unreadable(let reason): reason
    case .ambiguous(let files):
      "files give different schemas this address (\(files.joined(separator: ", "))); keep one of them"
    }
  }
}
