import TextCodecs

/// Where a destination says what its collections are.
package struct SchemaRoute: Hashable, Sendable {
  package let form: Form
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

  /// The form of the answer.
  ///
  /// Another one is a case here, and its reading in `RemoteSchema`.
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
  }
}
