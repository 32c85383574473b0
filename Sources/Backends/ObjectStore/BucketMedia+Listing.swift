import Profiles
import Records

extension BucketMedia {
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
  ///   be somebody else's.
  func page(
    of entity: EntityName,
    after mark: String?
  ) async throws(DestinationError) -> MediaPage? {
    guard let ends = try await ends(of: entity) else { return nil }
    let parts = (mark ?? List.objects.rawValue).split(
      separator: "\n",
      omittingEmptySubsequences: false
    ).map(String.init)
    let list = List(rawValue: parts[0]) ?? .objects
    do throws(DestinationError) {
      switch list {
      case .objects: return try await objects(ends, from: parts.count > 1 ? parts[1] : nil)
      case .uploads:
        return try await uploads(ends, from: parts.count > 2 ? (parts[1], parts[2]) : nil)
      }
    } catch {
      // Sending and reading files needs no list: a key without this right is none that is wrong.
      guard !error.isPassing else { throw error }
      return list.page(refusedWith: error)
    }
  }

  private func objects(_ ends: KeyEnds, from token: String?) async throws(DestinationError)
    -> MediaPage
  {
    var query = [("list-type", "2"), ("prefix", ends.head)]
    if let token { query.append(("continuation-token", token)) }
    let document = try await list(query, root: "ListBucketResult")
    let files = document.list("Contents").compactMap { item -> MediaPage.File? in
      guard let key = item["Key"], ends.frame(key) else { return nil }
      return MediaPage.File(serverID: key, size: item["Size"].flatMap { Int64($0) })
    }
    let next = document.first("NextContinuationToken")
    return MediaPage(
      files: files,
      next: next.map { "\(List.objects.rawValue)\n\($0)" } ?? List.uploads.rawValue
    )
  }

  private func uploads(_ ends: KeyEnds, from place: (key: String, upload: String)?)
    async throws(DestinationError) -> MediaPage
  {
    var query = [("uploads", ""), ("prefix", ends.head)]
    if let place { query += [("key-marker", place.key), ("upload-id-marker", place.upload)] }
    let document = try await list(query, root: "ListMultipartUploadsResult")
    let keys = document.list("Upload").compactMap { $0["Key"] }.filter(ends.frame)
    guard document.first("IsTruncated") == "true", let key = document.first("NextKeyMarker"),
      key != place?.key || document.first("NextUploadIdMarker") != place?.upload
    else { return MediaPage(unfinished: keys, next: nil) }
    let upload = document.first("NextUploadIdMarker") ?? ""
    return MediaPage(unfinished: keys, next: "\(List.uploads.rawValue)\n\(key)\n\(upload)")
  }

  /// Whether the bucket is there, and the access key good for it, as far as a list tells.
  func check() async -> DestinationCheck {
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
        throw .unexpected(request: "a list of the bucket", reason: "the answer is no \(root)")
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

  /// What stands before and behind the digest in the keys of the account's files.
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
