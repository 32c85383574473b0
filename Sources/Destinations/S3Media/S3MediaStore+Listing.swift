package import DestinationModel
import HTTPTransport
import JSONText
import Profiles
package import Records
import TextCodecs

extension S3MediaStore {
  /// Which list a page is of.
  private enum List: String {
    case objects, uploads

    /// What is said where the service does not give the list.
    func page(refusedWith error: DestinationError) -> MediaPage {
      let (subject, right) =
        switch self {
        case .objects: ("files that no run sent", "s3:ListBucket")
        case .uploads:
          ("files whose sending was begun and not ended", "s3:ListBucketMultipartUploads")
        }
      return MediaPage(
        refusal: MediaPage.Refusal(
          of: subject,
          reason: error.reason,
          cure:
            "give the access key the right to list (\(right)), or look there by hand; a service "
            + "may not be able to list them"
        ),
        next: self == .objects ? Self.uploads.rawValue : nil
      )
    }
  }

  /// One page of the account's files of a category, and after them of what was begun and not ended.
  ///
  /// - Returns: `nil` where the keys do not begin with the account's name: what lies there could
  ///   be another user's.
  package func page(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    guard let ends = try await ends(of: entity) else { return nil }
    let (list, place) = try Self.place(mark)
    do throws(DestinationError) {
      switch list {
      case .objects: return try await objects(ends, from: place)
      case .uploads: return try await uploads(ends, from: place)
      }
    } catch {
      // Sending and reading files needs no list: a key without this right is not one that is wrong.
      guard !error.isPassing else { throw error }
      return list.page(refusedWith: error)
    }
  }

  /// Where in a list reading goes on, by what the service said, and what shows that it comes to an end.
  private struct Place {
    /// A token, or a key and an upload; none at the beginning.
    var tokens: [String] = []
    var lap = PageCycleDetector()

    /// The mark of the page at these tokens, after one with these entries.
    func mark(
      in list: List,
      at tokens: [String],
      after entries: [String]
    ) throws(DestinationError) -> String {
      let position = JSONValue.array(tokens.map { .string($0) })
      guard let lap = lap.next(position: position.canonicalText, ids: entries) else {
        throw .unexpected(
          request: "a list of the bucket",
          reason: "the pages repeat or hold nothing, so that the list would never end"
        )
      }
      let parts: JSONValue = [.string(list.rawValue), position, lap.value]
      return parts.canonicalText
    }
  }

  /// What the mark of a page says.
  private static func place(_ mark: String?) throws(DestinationError) -> (List, Place) {
    guard let mark else { return (.objects, Place()) }
    if let list = List(rawValue: mark) { return (list, Place()) }
    do throws(JSONError) {
      let parts = try JSONValue(parsing: mark)
      let tokens = (parts[1]?.array ?? []).compactMap(\.text)
      let list = parts[0]?.text.flatMap { List(rawValue: $0) } ?? .objects
      return (list, Place(tokens: tokens, lap: PageCycleDetector(parts[2])))
    } catch {
      throw .misconfigured(
        reason: "the stored cursor of the list is damaged",
        cure: "read from the beginning"
      )
    }
  }

  private func objects(_ ends: KeyEnds, from place: Place) async throws(DestinationError)
    -> MediaPage
  {
    var query = [("list-type", "2"), ("prefix", ends.head)]
    if let token = place.tokens.first { query.append(("continuation-token", token)) }
    let document = try await list(query, root: "ListBucketResult")
    let items = document.list("Contents")
    let files = items.compactMap { item -> MediaPage.File? in
      guard let key = item["Key"], ends.frame(key) else { return nil }
      return MediaPage.File(serverID: key, size: item["Size"].flatMap { Int64($0) })
    }
    // The token is good where more is to come, and some services give an empty one at the end:
    // <https://docs.aws.amazon.com/AmazonS3/latest/API/API_ListObjectsV2.html>.
    guard document.first("IsTruncated") != "false",
      let next = document.first("NextContinuationToken"), !next.isEmpty
    else {
      try Self.expectEnd(document, "NextContinuationToken")
      return MediaPage(files: files, next: List.uploads.rawValue)
    }
    return MediaPage(
      files: files,
      next: try place.mark(in: .objects, at: [next], after: items.map { $0["Key"] ?? "" })
    )
  }

  /// Sees that no more follows where the service does not say how that is asked for.
  private static func expectEnd(
    _ document: ObjectDocument,
    _ name: String
  ) throws(DestinationError) {
    guard document.first("IsTruncated") == "true" else { return }
    throw .unexpected(
      request: "the bucket's list",
      reason:
        "it says that more follows (“IsTruncated” is true), and not where: “\(name)” is missing"
    )
  }

  private func uploads(_ ends: KeyEnds, from place: Place) async throws(DestinationError)
    -> MediaPage
  {
    var query = [("uploads", ""), ("prefix", ends.head)]
    if place.tokens.count > 1 {
      query += [("key-marker", place.tokens[0]), ("upload-id-marker", place.tokens[1])]
    }
    let document = try await list(query, root: "ListMultipartUploadsResult")
    let items = document.list("Upload")
    let keys = items.compactMap { $0["Key"] }.filter(ends.frame)
    guard document.first("IsTruncated") == "true", let key = document.first("NextKeyMarker") else {
      try Self.expectEnd(document, "NextKeyMarker")
      return MediaPage(unfinished: keys, next: nil)
    }
    let next = [key, document.first("NextUploadIdMarker") ?? ""]
    let entries = items.map { "\($0["Key"] ?? "")\n\($0["UploadId"] ?? "")" }
    return MediaPage(
      unfinished: keys,
      next: try place.mark(in: .uploads, at: next, after: entries)
    )
  }

  /// Whether the bucket is there, and the access key good for it, as far as a list shows.
  package func check() async -> DestinationCheck {
    do throws(DestinationError) {
      _ = try await list([("list-type", "2"), ("max-keys", "1")], root: "ListBucketResult")
      return DestinationCheck("bucket", .fits, "“\(store.api.name)” can be listed")
    } catch {
      // Sending needs no list.
      guard case .forbidden(let reason) = error else { return DestinationCheck("bucket", error) }
      return DestinationCheck("bucket", .unknown, "it cannot be listed: \(reason)")
    }
  }

  private func list(
    _ query: [(name: String, value: String)],
    root: String
  ) async throws(DestinationError) -> ObjectDocument {
    let answer = await store.send(ObjectStore.Request(method: "GET", query: query))
    switch answer.meaning {
    case .done:
      guard answer.document.root == root else {
        throw .unexpected(request: "a list of the bucket", reason: "the answer is not \(root)")
      }
      return answer.document
    case .refused(let error): throw error
    case .unfit(let reason), .faulty(_, _, let reason):
      throw .unexpected(request: "a list of the bucket", reason: reason)
    case .neverSent(let reason), .unknown(_, let reason):
      throw .unreachable(origin: store.origin.text, reason: reason)
    case .later(let pause, let reason): throw .busy(retryAfter: pause, reason: reason)
    }
  }

  /// The text before and behind the digest in the keys of the account's files.
  private struct KeyEnds {
    let head: String
    let tail: String

    /// Whether a key is a digest between the two.
    func frame(_ key: String) -> Bool {
      guard key.hasPrefix(head), key.hasSuffix(tail) else { return false }
      let digest = key.utf8.dropFirst(head.utf8.count).dropLast(tail.utf8.count)
      return digest.count == 64
        && digest.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
  }

  private func ends(of entity: EntityName) async throws(DestinationError) -> KeyEnds? {
    guard store.api.namesAccount else { return nil }
    // No key that a bucket takes has this character in it.
    let parts = try await key(entity, "\u{0}").split(
      separator: "\u{0}",
      omittingEmptySubsequences: false
    )
    let account = PercentCoding.encoded(try await accountName())
    guard parts.count == 2, parts[0].contains(account), !account.isEmpty else { return nil }
    return KeyEnds(head: String(parts[0]), tail: String(parts[1]))
  }
}
