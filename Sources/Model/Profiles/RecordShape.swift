package import JSONText

/// Where a destination wants the parts of a record, if not side by side in one object.
///
/// JSON:API, for one, wants `{"type": "notes", "id": "1", "attributes": {…}, "relationships": {…}}`, and a
/// reference as `{"data": {"type": "folders", "id": "2"}}`:
/// <https://jsonapi.org/format/#document-resource-objects>. Everything but requests and answers has the
/// fields side by side.
package struct RecordShape: Hashable, Sendable {
  /// What every request says beside the record.
  package let constants: JSONObject
  /// The name of the identity, in a record and in what is sent.
  package let id: String
  /// Whether a change has the identity of its record beside the fields, where a server may refuse that.
  package let isIdentified: Bool
  /// The member that holds the fields; empty where they are beside the identity.
  package let fields: MemberPath
  /// The fields that are beside the member that holds the others.
  package let beside: [String]
  /// The member that holds the references.
  package let references: MemberPath
  /// Where a reference has what names the other record, or an array of those; empty for the reference itself.
  package let linkage: MemberPath
  /// What names another record: a text, or an object with `{id}` and `{type}` in it.
  package let identifier: JSONTemplate
  /// What the destination calls the records that each reference names, by the reference's name; `nil` where
  /// the profile does not say.
  package let types: [String: String?]
}
