package import JSONText
package import Records
package import RequestBodies
import TextCodecs

/// One place of an interface: a method and a path with `{names}` to be filled in.
///
/// `{id}` is the record's identity at the destination, `{key}` that of a media file; where a record is
/// made, any other name is that of a member of its request.
package struct Route: Hashable, Sendable, CustomStringConvertible {
  package let method: Method
  /// The path, from the root or below the destination's URL: `/api/v1/heroes/{id}`.
  package let template: String
  /// What its requests carry; `nil` for the record itself, or nothing.
  package var content: RequestContent?

  package init(method: Method, template: String) {
    self.method = method
    self.template = template
  }

  /// The HTTP method.
  package enum Method: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// The path with each `{name}` replaced by its percent-encoded value; `nil` when one is missing.
  package func path(_ values: [String: String] = [:]) -> String? {
    Template(template).filled { name in values[name].map { PercentCoding.encoded($0) } }
  }

  /// The names that have to be filled in.
  package var names: [String] { Template(template).names }

  package var description: String { "\(method.rawValue) \(template)" }
}

/// A name and a text that may hold `{placeholders}`.
package struct TemplateMember: Hashable, Sendable {
  package let name: String
  package let text: String

  /// The text with each `{name}` replaced; `nil` when one is missing.
  package func filled(_ values: [String: String]) -> String? {
    Template(text).filled { values[$0] }
  }
}

/// How a token is got for the credentials.
package struct SignIn: Hashable, Sendable {
  package let route: Route
  /// The members of the JSON body.
  package let body: [TemplateMember]
  package let token: TokenPlace
  /// The header that carries the token, and its value, in which `{token}` represents it; `nil` where the query
  /// does.
  package let authorization: TemplateMember?
  /// The query parameters that carry the token.
  package let query: [TemplateMember]
  /// Where it is said when the token ends; `nil` where only a 401 shows that.
  package let expires: AnswerPlace?
  /// How long before its end a token is got anew.
  package let renew: Duration
  /// The address of the server that signs in; `nil` for the destination itself.
  package let server: String?
  /// The members of the body that are true or false.
  package let flags: [String: Bool]
  /// Where it is said whose data the token opens; `nil` where the answer does not say that.
  package let account: AnswerPlace?
  /// Whether the body is a form, and no JSON.
  package let isForm: Bool
  /// What is signed with a key for `{assertion}` in the body; `nil` for nothing.
  package let assertion: AssertionRule?
  /// The credential that each sign-in uses up, and where the answer has the next one; `nil` for none.
  package let rotation: Rotation?

  /// A credential that is good for one sign-in: a refresh token.
  package struct Rotation: Hashable, Sendable {
    package let credential: String
    package let next: MemberPath
  }

  /// Where it is said when a token ends, or whose data it opens.
  package enum AnswerPlace: Hashable, Sendable {
    /// A member of the answer to the sign-in.
    case member(MemberPath)
    /// A claim of the token itself, which is a JSON Web Token: `exp`, in seconds since 1970, or `sub`
    /// (<https://www.rfc-editor.org/rfc/rfc7519#section-4.1>).
    case claim(String)
  }

  /// Where the answer has the token.
  package enum TokenPlace: Hashable, Sendable {
    case header(String)
    case member(MemberPath)
  }
}

/// A user and a password, in which `{names}` represent credentials.
package struct BasicLogin: Hashable, Sendable {
  package let user: TemplateMember
  package let password: TemplateMember
}

/// Where the destination says whose data it serves.
package struct AccountRoute: Hashable, Sendable {
  package let route: Route
  package let member: MemberPath
  /// Further members of the answer by which an app's store may know the account.
  package let names: [MemberPath]
}

/// Where a version is found.
package enum VersionPlace: Hashable, Sendable {
  case member(MemberPath)
  case header(String)
}

/// How the records at the account are read.
package struct ListRoute: Hashable, Sendable {
  package let route: Route
  /// Where the answer has the array of rows.
  package let items: MemberPath
  package let limit: PageLimit?
  package let paging: Paging
  /// A boolean that says whether a page follows; `nil` where only a short page shows that.
  package let more: MemberPath?
  /// The query parameter that asks only for what changed after a mark; `nil` where none does.
  package let since: MarkParameter?
  /// Where the answer has the destination's own mark; where `nil`, the greatest version of the first
  /// page is the mark.
  package let mark: VersionPlace?
  /// What a row shows that the record is gone by: true, or the moment of its removal; `nil` where no row
  /// shows that.
  package let deleted: MemberPath?
  /// Whether one answer has the whole list, whatever it says of more.
  package let isWhole: Bool
  /// Where each row has the records, if the list is of what they are below; `nil` if rows are records.
  package let inside: Inside?

  /// A part of the rows of a list that is a record, or a list of records.
  package struct Inside: Hashable, Sendable {
    package let member: MemberPath
    /// Where the row itself has its identity, by which one page is known to follow another.
    package let id: MemberPath
  }

  /// The beginnings of the identities of rows that are no records: what the destination keeps for itself.
  package let excepted: [String]
  /// The entity below each of whose records there is a list, with ``parent`` for that record's identity in
  /// the address; `nil` where one list has all records.
  package let each: EntityName?

  /// The name of the other record's identity in an address.
  package static let parent = "parent"

  /// Whether pages follow each other by the mark from which changes are asked for, so that a later page's
  /// mark is a later mark.
  package var isFeed: Bool {
    guard case .cursor(let parameter, let next) = paging, parameter == since?.name else {
      return false
    }
    return mark == .member(next)
  }

  /// The query parameter for the rows of a page.
  package struct PageLimit: Hashable, Sendable {
    package let name: String
    package let value: Int
  }

  /// A query parameter for rows behind a mark: `updated_at=gte.2026-11-20T08:00:00Z`.
  package struct MarkParameter: Hashable, Sendable {
    package let name: String
    /// The value, with ``mark`` in braces.
    package let value: String
    /// What represents the mark: `since`.
    let mark: String

    /// The value for a mark, which is escaped where the value is JSON.
    package func value(of mark: String) -> String? {
      let isJSON = value.hasPrefix("{\"") || value.hasPrefix("[")
      let text =
        isJSON ? String(JSONValue.string(mark).canonicalText.dropFirst().dropLast()) : mark
      return Template(prose: value).filled { $0 == self.mark ? text : nil }
    }
  }

  /// How the next page is asked for.
  package enum Paging: Hashable, Sendable {
    /// The first answer has everything.
    case whole
    /// A query parameter counts the rows to pass over, and is `first` for none.
    case offset(parameter: String, first: Int)
    /// A query parameter takes the number of the page, counted from `first`.
    case page(parameter: String, first: Int)
    /// A query parameter takes what the answer before had under `next`; absent or null at the end.
    case cursor(parameter: String, next: MemberPath)
    /// The answer before has the next page's address; absent or null at the end.
    case address(VersionPlace)
    /// A query parameter takes the identity of the last row, in whose order the rows are.
    case after(MarkParameter)

    /// The query parameter that takes what an answer had.
    var cursorParameter: String? {
      switch self {
      case .cursor(let parameter, _): parameter
      case .after(let parameter): parameter.name
      case .whole, .offset, .page, .address: nil
      }
    }

    /// The query parameter that takes a number.
    var countingParameter: String? {
      switch self {
      case .offset(let parameter, _), .page(let parameter, _): parameter
      case .whole, .cursor, .address, .after: nil
      }
    }
  }
}

/// How one record is read.
package struct ReadRoute: Hashable, Sendable {
  package let route: Route
  package let item: MemberPath
  /// A boolean of the answer that says whether the record is there at all; `nil` where the answer
  /// itself is the record.
  package let there: MemberPath?
  /// What a record shows that it is gone by, true or the moment of its removal, where a server answers of it
  /// all the same; `nil` where none shows that.
  package let gone: MemberPath?
  /// Whether an answer without the record, or with `null` in its place, says that it is not there.
  package let mayLackItem: Bool
  package let presence: Presence
  /// How several records are read by one request; `nil` where each is read by its own.
  package let filter: RecordFilter?
  /// How several records are read by one request that names them; `nil` where no request does.
  package let lookup: RecordLookup?

  /// What says whether a record is there.
  package enum Presence: String, Sendable, CaseIterable {
    /// Its own address: one that is not there has none.
    case item
    /// The list: a server that only retires records still answers of them at their own addresses.
    case list
  }
}

/// A query parameter of the list that passes the records with some identities, and no others.
package struct RecordFilter: Hashable, Sendable {
  package let parameter: String
  /// What passes one record, with `{id}` for its identity: `id='{id}'`.
  package let each: String
  /// What is between two of those: `||`.
  package let separator: String
  /// The value of the parameter, with `{ids}` for all of those: `in.({ids})`.
  package let value: String
  /// Whether the parameter comes once for each identity: `id=1&id=2`.
  package let isRepeated: Bool
  /// The most identities of one request.
  package let limit: Int

  /// The parameter's values for these identities; `nil` where one of them has more than letters, digits and
  /// `-`, `_`, `.`, and might mean something else in a filter.
  package func values(
    of ids: [String],
    _ names: (String) -> [String: String] = { ["id": $0] }
  ) -> [String]? {
    let named = ids.map(names)
    let isPlain = named.allSatisfy { values in
      values.values.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(Self.isPlain) }
    }
    guard isPlain else { return nil }
    let parts = named.compactMap { values in Template(prose: each).filled { values[$0] } }
    guard parts.count == ids.count else { return nil }
    let wholes = isRepeated ? parts : [parts.joined(separator: separator)]
    let values = wholes.compactMap { whole in
      Template(prose: value).filled { $0 == "ids" ? whole : nil }
    }
    return values.count == wholes.count ? values : nil
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      true
    default: false
    }
  }
}

/// How records are made.
package enum CreateRoute: Hashable, Sendable {
  case single(SingleCreate)
  case batch(BatchCreate)
  /// Many single requests wrapped up in one, each with a status of its own.
  case requests(SingleCreate, RequestBatch)
  /// Many rows in one request, all of them made or none.
  case rows(RowBatch)
  /// Many writes in one request, all of them carried out or none.
  case writes(WriteBatch)

  package var route: Route {
    switch self {
    case .single(let single): single.route
    case .batch(let batch): batch.route
    case .requests(let single, _): single.route
    case .rows(let rows): rows.route
    case .writes(let writes): writes.route
    }
  }

  /// Whether the answer to a success names no record, and says so: the request's address names it.
  package var isSilent: Bool {
    switch self {
    case .single(let single), .requests(let single, _): single.isSilent
    case .batch, .rows, .writes: false
    }
  }

  /// The most records of one request.
  package var limit: Int {
    switch self {
    case .single: 1
    case .batch(let batch): batch.limit
    case .requests(_, let batch): batch.limit
    case .rows(let rows): rows.limit
    case .writes(let writes): writes.limit
    }
  }

  /// How many requests go in one; `nil` where records go in another form.
  package var requestBatch: RequestBatch? {
    if case .requests(_, let batch) = self { batch } else { nil }
  }

  /// How many writes go in one request; `nil` where records go in another form.
  package var writeBatch: WriteBatch? {
    if case .writes(let batch) = self { batch } else { nil }
  }
}

/// A refusal that means that the record is there already.
package struct ExistsSign: Hashable, Sendable {
  package let status: Int
  /// What the refusal's words contain; `nil` for any words.
  package let words: String?

  package func matches(status: Int, reason: String) -> Bool {
    status == self.status && words.map { reason.contains($0) } ?? true
  }
}

/// The header that carries the idempotency key.
package struct KeyHeader: Hashable, Sendable {
  package let name: String
  /// Whether the key is written as a string of a structured field, in quotes.
  package let isQuoted: Bool
}

/// What a refusal means, where the profile says so.
package struct AnswerRule: Hashable, Sendable {
  package let sign: ExistsSign
  package let means: Means

  /// What a refusal means.
  package enum Means: String, Sendable, CaseIterable {
    /// The record is there already.
    case exists
    /// The record is not at the version that was expected.
    case conflict
    /// Not carried out; to be asked again after a while.
    case later
    /// Perhaps carried out.
    case unknown
    /// The record is refused, and would be again.
    case rejected
    /// The record is not there: what 404 says of itself.
    case missing
    /// The token is no longer good: what 401 says of itself.
    case signIn = "sign-in"
  }

  package func matches(status: Int, reason: String) -> Bool {
    sign.matches(status: status, reason: reason)
  }
}

/// One record in one request.
package struct SingleCreate: Hashable, Sendable {
  package let route: Route
  package let item: MemberPath
  /// The member of the request that holds the record's; empty for the request itself.
  package let wrap: MemberPath
  /// Where the fields of a record are in the request; `nil` for side by side.
  package let shape: RecordShape?
  /// Whether `If-None-Match: *` guards against overwriting.
  ///
  /// Where a repeat of a lost request finds the record by its identity, it may find there what another
  /// device made of it meanwhile. So it is sent, unless the profile says otherwise, with every PUT of one
  /// record whose repeat is reported by the identity; a destination that does not know it takes no notice.
  package private(set) var ifNoneMatch: Bool
  /// How the idempotency key is sent, where the destination takes one.
  package let key: KeyHeader?
  package let exists: ExistsSign?
  /// Whether the answer to a success names no record: then the identity that was asked for counts.
  package let isSilent: Bool

  /// Whether the client's own identity is part of the address, or of what is around the record.
  package var choosesID: Bool { route.names("id") }

  /// The same with a guard against overwriting; `nil` where it has one, and where nothing can be
  /// overwritten because the destination chooses the identity.
  package var guarded: SingleCreate? {
    guard !ifNoneMatch, choosesID else { return nil }
    var guarded = self
    guarded.ifNoneMatch = true
    return guarded
  }
}

/// Several records in one request, answered one by one.
package struct BatchCreate: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array.
  package let items: String
  package let limit: Int
  /// The member of each item that carries our own identity of it.
  package let localID: String
  /// The member of each answer that carries it.
  package let answeredAs: String
  /// Where the answer has the array of those that were made.
  package let created: MemberPath
  /// Where the answer has the array of those that were refused.
  package let failed: MemberPath
  /// The member of a made one that is its identity at the destination.
  package let id: MemberPath
  /// The member of a refused one that says why.
  package let error: MemberPath
  /// Whether the destination carries the items out in one transaction although it answers for each: what
  /// was made may have been rolled back for the sake of one that failed, and be answered as made.
  package let isOneTransaction: Bool
  package let key: KeyHeader?
}

/// Many requests in one, each with a method, a path, headers and a body; each answered by a status,
/// a path, headers and a body.
package struct RequestBatch: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array.
  package let requests: String
  /// Where the answer has the array of answers; empty for the answer itself.
  package let responses: MemberPath
  package let limit: Int
  /// Where the destination gives its own limit; `nil` where it does not.
  package let serverLimit: ServerLimit?
  /// What the destination calls the parts of a request.
  package let parts: RequestParts
  /// What it calls the parts of an answer.
  package let answerParts: AnswerParts
  /// Whether the answers come in the order of the requests.
  package let isInOrder: Bool
  /// Where the destination names the request for which it carried out none; `nil` where each request counts
  /// by itself.
  package let transaction: Transaction?
  /// Whether a batch of no requests shows that the destination takes batches.
  package let isProbed: Bool

  /// A number in the answer to a request: of it and ``limit`` the smaller counts.
  package struct ServerLimit: Hashable, Sendable {
    package let route: Route
    package let member: MemberPath
  }

  /// Where a request has its parts.
  package struct RequestParts: Hashable, Sendable {
    package let method: MemberPath
    package let path: MemberPath
    package let headers: MemberPath
    package let body: MemberPath
    /// Its number as text, counted from zero; `nil` where requests have none.
    package let id: MemberPath?
  }

  /// Where an answer has its parts.
  package struct AnswerParts: Hashable, Sendable {
    package let status: MemberPath
    package let path: MemberPath
    package let headers: MemberPath
    package let body: MemberPath
    /// The number of its request, as that had it; `nil` where answers have none.
    package let id: MemberPath?
    /// What only the answer to a success has, with the body; `nil` where the status says that.
    package let success: MemberPath?
    /// What only the answer to a refusal has, with the body.
    package let error: MemberPath?
  }

  /// All requests are carried out, or none.
  package struct Transaction: Hashable, Sendable {
    /// Where the refusal has an object of the requests that failed, by their numbers, counted from zero;
    /// `nil` where it names none.
    package let failed: MemberPath?
    /// Where each of those has what the request alone would have been answered.
    package let reason: MemberPath
  }
}

/// Many rows in one request, which the destination makes, or changes, all or none of.
package struct RowBatch: Hashable, Sendable {
  package let route: Route
  /// The member of the request that holds the array; empty where the request itself is the array.
  package let rows: String
  package let limit: Int
  package let key: KeyHeader?
  package let exists: ExistsSign?
  /// Where the answer has the rows that were made or changed; `nil` where a success names none.
  package let made: MemberPath?
  /// Whether a row whose identity is there already is passed over, and so missing from ``made``.
  package let keepsExisting: Bool
  /// The query parameter that takes the names of all fields of the rows, where rows may lack some.
  package let columns: String?
}

/// How one record is changed.
package struct UpdateRoute: Hashable, Sendable {
  package let route: Route
  package let item: MemberPath
  /// The member of the request that holds the record's; empty for the request itself.
  package let wrap: MemberPath
  /// Whether `If-Match` carries the version expected.
  package let ifMatch: Bool
  /// The member of the record in the request that carries the version expected; `nil` for none.
  package let version: String?
  /// Whether many changes go in one request, in the form in which records are made.
  package let isBatched: Bool
  /// A write that changes one record, which goes in one request with others; `nil` where changes are
  /// requests.
  package let write: JSONTemplate?
  /// How a write names the fields that it changes; `nil` where `{body}` has them all.
  package let expression: FieldExpression?
  /// The query parameter that passes the record only at the revision expected; `nil` for none.
  package let match: VersionMatch?
  /// Where the fields of a record are in the request; `nil` for side by side.
  package let shape: RecordShape?
  /// What a change carries.
  package let sends: Sends
  /// Whether the answer to a success names no record: then the identity that was asked for counts.
  package let isSilent: Bool
  /// How several records are changed by one request, of which each row names its record; `nil` where each
  /// change is a request of its own.
  package let many: RowBatch?

  /// Whether a change takes the place of the whole record, so that what it does not carry is gone.
  package var isReplacing: Bool { sends != .changed }

  /// What a change carries.
  package enum Sends: String, Sendable, CaseIterable {
    /// The fields that differ.
    case changed
    /// Every field of `body`.
    case body
    /// Every field of `body`, and all else that the record has at the destination.
    case row
  }
}

/// A query parameter that passes a record only at one revision: `updated_at=eq.2026-11-20T08:00:00Z`.
package struct VersionMatch: Hashable, Sendable {
  package let name: String
  /// The value, with `{version}` for the revision.
  package let value: String

  /// The value for a revision.
  package func value(of version: String) -> String? {
    Template(value).filled { $0 == "version" ? version : nil }
  }
}

/// How one record is removed.
package struct DeleteRoute: Hashable, Sendable {
  package let route: Route
  package let ifMatch: Bool
  /// Whether many removals go in one request, in the form in which records are made.
  package let isBatched: Bool
  /// A write that removes one record, which goes in one request with others; `nil` where removals are
  /// requests.
  package let write: JSONTemplate?
  /// How several records are removed by a filter; `nil` where each needs a request of its own.
  package let many: FilteredRemoval?
}

/// A request that removes the records with some identities, and no others.
package struct FilteredRemoval: Hashable, Sendable {
  package let route: Route
  package let filter: RecordFilter
  /// Where the answer has the rows that were removed; empty for the answer itself.
  package let removed: MemberPath
}
