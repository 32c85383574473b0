package import JSONText
import TextCodecs

/// How media files are sent.
package struct MediaApi: Hashable, Sendable {
  package let isEnabled: Bool
  package let way: Way

  /// The way a file takes.
  package enum Way: Hashable, Sendable {
    /// The destination hands out an address for each file.
    case tickets(TicketApi)
    /// Files go straight into a bucket of an S3 service.
    case bucket(BucketApi)
    /// Each file is a field of the record that names it, in CloudKit: an asset.
    case assets
    /// Files are copied beside the records, in a folder of this machine.
    case copies
    /// Files go as they are to addresses of the destination's own, made of their digests.
    case routes(FileRoutes)
  }

  /// A member of a body and the fact about the file that it holds.
  package struct Member: Hashable, Sendable {
    package let name: String
    package let fact: Fact
  }

  /// What a body can say about a file.
  package enum Fact: String, Sendable, CaseIterable {
    case name, size, category, key, sha256
    case mediaType = "media-type"
  }
}

/// Routes that take, show and remove a file by the names `{account}`, `{category}`, `{sha256}` and `{uuid}`.
package struct FileRoutes: Hashable, Sendable {
  /// The request whose body is the file, or a form with it.
  package let upload: Route
  /// The parts of the form; `nil` where the body is the file.
  package let form: Form?
  /// Where the answer to ``upload`` has what it says of the file.
  package let item: MemberPath
  /// The refusal that means that the file is there already; `nil` for 409.
  package let exists: ExistsSign?
  /// The request that says whether a file is there.
  package let read: Route
  /// Where its answer has what it says of the file; `nil` where the status says whether it is there.
  package let found: MemberPath?
  /// The request that removes a file, with `{id}` too; `nil` where none does.
  package let remove: Route?
  /// Where an answer has the file's identity; `nil` where its digest is that.
  package let id: MemberPath?
  package let address: Address

  /// What a record refers to its file by.
  package enum Address: Hashable, Sendable {
    /// An address, or a path from the destination's own, with names in braces.
    case made(String)
    /// What the answer has of the file.
    case member(MemberPath)
  }

  /// A form with a file: <https://www.rfc-editor.org/rfc/rfc7578>.
  package struct Form: Hashable, Sendable {
    /// The name of the part that is the file.
    package let file: String
    /// The parts before it, in which `{name}` is the file's name too.
    package let fields: [TemplateMember]
  }

  /// The names that routes and the address have values for.
  package static let names = ["account", "category"] + digests

  /// The names that say what a file holds.
  private static let digests = ["sha256", "uuid"]

  /// The first 32 digits of a digest as a UUID of version 8, for a destination whose files have names of at most 36
  /// letters: <https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8>.
  package static func uuid(of sha256: String) -> String {
    var digits = Array(sha256.prefix(32))
    guard digits.count == 32 else { return sha256 }
    digits[12] = "8"
    digits[16] = "8"
    let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32]
    return parts.map { String(digits[$0]) }.joined(separator: "-")
  }

  /// Every route a file needs.
  package var routes: [Route] { [upload, read, remove].compactMap(\.self) }

  /// What is wrong with the placeholders, or `nil`.
  var fault: (place: String, cause: String)? {
    let texts = [
      ("request", upload.template + (form?.fields.map(\.text) ?? []).joined()),
      ("read", read.template),
    ]
    for (place, text) in texts {
      guard Set(Template(prose: text).names).isDisjoint(with: Self.digests) else { continue }
      return (place, "it has no {sha256}, so that two files could have the same")
    }
    let namesFile = remove.map { route in
      !Set(route.names).isDisjoint(with: Self.digests) || route.names("id") && id != nil
    }
    guard namesFile ?? true else {
      return ("remove", "it has neither {sha256} nor {id} with “id”, so that it names no file")
    }
    return nil
  }
}

/// The route that takes the file of a record that is there, as a part of a form.
package struct FileRoute: Hashable, Sendable {
  package let upload: Route
  /// The name of the part that is the file.
  package let part: String
  /// The request that removes the file and leaves the record; `nil` where none does.
  package let remove: Route?
}

/// A ticket, the file itself, a confirmation.
package struct TicketApi: Hashable, Sendable {
  package let ticket: Ticket
  package let confirm: Confirmation?
  /// The route that removes a file by its `{key}`.
  package let remove: Route?

  /// The request for an address to put a file to.
  package struct Ticket: Hashable, Sendable {
    package let route: Route
    package let body: [MediaApi.Member]
    /// Where the answer has the address that the file is put to.
    package let upload: MemberPath
    package let key: MemberPath
    package let url: MemberPath
  }

  /// The request that says the file is there.
  package struct Confirmation: Hashable, Sendable {
    package let route: Route
    package let body: [MediaApi.Member]
  }

  /// Every route a file needs.
  package var routes: [Route] { [ticket.route, confirm?.route, remove].compactMap(\.self) }
}

/// A bucket of an S3 service, R2 and others included.
package struct BucketApi: Hashable, Sendable {
  /// The service's address, without the bucket: `https://ACCOUNT.r2.cloudflarestorage.com`.
  package let endpoint: String
  package let name: String
  /// The region that requests are signed for; R2 calls its own `auto`.
  package let region: String
  /// An object's key, of `{category}`, `{account}` and `{sha256}`.
  package let key: String
  /// What a record refers to its file by, with `{key}` in it; `nil` for the object's own address.
  package let address: String?
  /// The names of the credentials that requests are signed with.
  package let accessKey: String
  package let secretKey: String
  /// The size in bytes of a part; a larger file goes in parts of this size, the last one smaller.
  package let partSize: Int64
  /// Whether the service takes `If-None-Match: *`, so that no object is ever overwritten.
  package let isCreateOnly: Bool

  /// S3 takes no smaller parts, but for the last.
  package static let smallestPart: Int64 = 5 << 20
  /// Some services take no more parts of one object.
  package static let mostParts: Int64 = 1_000

  /// The key of the object that holds a content.
  package func key(category: String, account: String, sha256: String) -> String? {
    let values = [
      "category": category, "account": PercentCoding.encoded(account), "sha256": sha256,
    ]
    return Template(key).filled { values[$0] }
  }

  /// What a record refers to the object by.
  ///
  /// A key has to be escaped in an address of the web, where it has an escaped name in it too: what it is
  /// read as there is what the object is called.
  package func address(ofKey key: String) -> String? {
    guard let address else { return nil }
    let isOfWeb = ["http://", "https://", "/"].contains { address.hasPrefix($0) }
    let name = isOfWeb ? PercentCoding.encoded(key, keeping: "/") : key
    return Template(address).filled { $0 == "key" ? name : nil }
  }

  /// Whether the key depends on the account.
  package var namesAccount: Bool { Template(key).names.contains("account") }

  /// What is wrong with the key's or the address's placeholders, or `nil`.
  var fault: (place: String, cause: String)? {
    let names = Template(key).names
    if !names.contains("sha256") {
      return ("key", "the key has no {sha256}, so that two files could have the same")
    }
    if let name = names.first(where: { !["category", "account", "sha256"].contains($0) }) {
      return ("key", "“{\(name)}” is neither {category} nor {account} nor {sha256}")
    }
    if let address, !Template(address).names.elementsEqual(["key"]) {
      return ("address", "the address does not have {key} once, and nothing else, in it")
    }
    return nil
  }
}
