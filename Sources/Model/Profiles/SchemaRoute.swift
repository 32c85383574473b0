package import JSONText
import TextCodecs

/// Where a destination says what its collections are.
package struct SchemaRoute: Hashable, Sendable {
  package let form: AnswerForm
  package let route: Route
  /// The credential that may ask; `nil` where the account itself may.
  package let credential: String?
  /// Headers of the request, in which `{name}` represents that credential, or one of the account's.
  package let headers: [TemplateMember]

  /// The credentials that are needed to ask, the one that may ask first; `nil` where the account itself may.
  package var credentials: [String]? {
    guard let credential else { return nil }
    let named = Set(headers.flatMap { Template($0.text).names })
    return [credential] + named.subtracting([credential]).sorted()
  }

  /// The form of the answer: one that has a name, or one that the profile describes.
  package enum AnswerForm: Hashable, Sendable, CustomStringConvertible {
    case named(Form)
    case listing(SchemaListing)
    case inputs(InputTypes)

    package var description: String {
      switch self {
      case .named(let form): form.rawValue
      case .inputs(let types): "introspection, with a type \(types.pattern)"
      case .listing(let listing):
        "that “form” describes, with collections at “\(listing.collections)”"
      }
    }
  }

  /// The forms that have a name.
  package enum Form: String, CaseIterable, Sendable {
    /// <https://pocketbase.io/docs/api-collections/>: a list of collections, with the type and the name of
    /// each field.
    case pocketbaseCollections = "pocketbase-collections"
    /// OpenAPI 3, <https://spec.openapis.org/oas/v3.1.0#schema-object>: the objects of `components.schemas`.
    case openAPI = "openapi"
    /// Swagger 2.0 as PostgREST gives it, <https://docs.postgrest.org/en/stable/references/api/openapi.html>:
    /// `definitions`, in which the descriptions name keys.
    case postgREST = "postgrest"
    /// <https://directus.io/docs/api/fields>: a list of all fields, each with its collection.
    case directusFields = "directus-fields"
    /// <https://docs.parseplatform.org/rest/guide/#schema>: a list of classes, each with an object of fields.
    case parseSchemas = "parse-schemas"
    /// What OData services give as `$metadata`: XML with entity sets, types and their properties,
    /// <https://docs.oasis-open.org/odata/odata-csdl-xml/v4.01/odata-csdl-xml-v4.01.html>.
    case csdl
  }
}

/// Which types of a GraphQL schema say what a record is made with.
///
/// The schema is asked for by introspection, <https://spec.graphql.org/October2021/#sec-Introspection>.
package struct InputTypes: Hashable, Sendable {
  /// The name of such a type, with `*` for the collection: `*_insert_input`.
  package let pattern: String
  /// What scalars hold that are not GraphQL's own, by their names; any value where one is not here.
  package let kinds: [String: SchemaListing.Kind]

  package init(pattern: String, kinds: [String: SchemaListing.Kind]) {
    self.pattern = pattern
    self.kinds = kinds
  }

  /// The collection that a type is about; `nil` where its name is another.
  package func collection(of type: String) -> String? {
    let parts = pattern.split(separator: "*", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, type.count > pattern.count - 1, type.hasPrefix(parts[0]),
      type.hasSuffix(parts[1])
    else { return nil }
    return String(type.dropFirst(parts[0].count).dropLast(parts[1].count))
  }
}

/// Where a list of collections has what is to be known of each.
///
/// Strapi, for one, answers `{"data": [{"uid": "api::note.note", "schema": {"pluralName": "notes", "attributes":
/// {"title": {"type": "string", "required": true}}}}]}`, and Appwrite `{"collections": [{"$id": "notes",
/// "attributes": [{"key": "title", "type": "string", "required": true}]}]}`.
package struct SchemaListing: Hashable, Sendable {
  /// Where the answer has the collections; empty for the answer itself.
  package let collections: MemberPath
  /// Where a collection has its name.
  package let name: MemberPath
  /// Where a collection has what relations call it; `nil` where that is its name.
  package let key: MemberPath?
  /// Where a collection has its fields: an array, or an object by their names; `nil` where the answer lists the
  /// fields of all collections, each with the name of its collection.
  package let fields: MemberPath?
  /// Where a field of an array has its name.
  package let field: MemberPath
  /// Where a field has the name of its type.
  package let type: MemberPath
  /// What fields of a type hold, by the type's name; any value where it is not here.
  package let kinds: [String: Kind]
  /// Where a relation has the collection that it leads to.
  package let target: MemberPath?
  /// What shows that a relation leads to several records; `nil` where none does.
  package let many: Sign?
  /// Where a field is true whose records are refused without it.
  package let required: MemberPath?
  /// Where a field has the value that it gets without one.
  package let preset: MemberPath?
  /// Where a field is true that is, alone or with others, what identifies a record.
  package let identity: MemberPath?
  /// Where the answer is true if it is not whole.
  package let more: MemberPath?
  /// The fields that the destination fills itself, which the answer may not list.
  package let filled: [String]
  /// What relations call the collection that accounts sign in with.
  package let accounts: String?

  /// What a field holds.
  package enum Kind: String, Sendable, CaseIterable {
    case boolean, number, relation, file
    /// A date with a time.
    case moment
    /// A text that is refused unless it is a UUID.
    case uuid
  }

  /// A member, and the texts in it that mean something.
  package struct Sign: Hashable, Sendable {
    package let member: MemberPath
    package let values: [String]
  }
}
