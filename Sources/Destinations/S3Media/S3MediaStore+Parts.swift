import DestinationModel
import Files
import HTTPTransport
import NIOHTTP1
import Profiles
import TextCodecs
import UploadPlanning

// MARK: - Files in parts

extension S3MediaStore {
  /// An upload in parts that the service knows of.
  private struct Started {
    let id: String
    let partSize: Int64
    /// Whether an earlier attempt began it, this store's or another's.
    var isFound = false
    /// The MD5 of the parts that arrived, in hexadecimal digits, by their number.
    var parts: [Int: String] = [:]
  }

  /// A step that did not give what the next one needs.
  private struct Stop: Error {
    let result: ItemResult
  }

  /// Sends a file in parts of equal size, and goes on with what an earlier attempt began.
  func sendParts(of object: Object) async -> ItemResult {
    do throws(Stop) {
      if let result = await obstacle(to: object) { return result }
      var started: Started
      if let found = try await lastStarted(object) {
        started = found
      } else {
        started = try await start(object)
      }
      let count = Int((object.media.size + started.partSize - 1) / started.partSize)
      for number in 1...count { try await send(number, of: object, in: &started) }
      let answer = await store.send(
        ObjectStore.Request(
          method: "POST",
          key: object.key,
          query: [("uploadId", started.id)],
          headers: object.condition(store.api),
          body: .text(Self.completion(started, count: count))
        )
      )
      if answer.code == "ConditionalRequestConflict" {
        // The service wants every part anew, as Amazon's reference has it of `CompleteMultipartUpload`.
        // Where the parts are not given up now, the next attempt meets the same.
        _ = await store.send(
          ObjectStore.Request(method: "DELETE", key: object.key, query: [("uploadId", started.id)])
        )
      }
      let result = await conclude(answer, object)
      guard started.isFound, case .outcome(.stored) = result else { return result }
      return await maker(of: object)
    } catch {
      return error.result
    }
  }

  /// Whose an object is that another may have begun to send: it carries what was said when it was begun.
  private func maker(of object: Object) async -> ItemResult {
    let found = await store.send(ObjectStore.Request(method: "HEAD", key: object.key))
    guard case .done = found.meaning, !isSent(by: object.operation, found) else {
      return stored(object)
    }
    return adopted(object)
  }

  /// What became of the parts that were begun for a key.
  enum Aborted {
    case gone
    /// The key names no account, so that they may be another account's.
    case kept
    /// Some were begun about when the run began, by it or by another.
    case doubted
    /// The service does not say what was begun.
    case unclear(reason: String)
    case failed(ItemResult)
  }

  /// How far the clocks of a service and of this machine may be apart: requests of one that is further off
  /// are not taken, <https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html>.
  private static let clockDistance = 15.0 * 60
  /// How far a moment may be off that a service gives in whole seconds, as its clock does.
  private static let clockStep = 2.0

  /// Gives up what was begun for a key since a run began, and was not finished.
  ///
  /// A service does not say who began an upload, but when:
  ///
  /// | begun | whose it is |
  /// |---|---|
  /// | since the run began | the run's; another device that sends the same file of the account just then has to begin anew |
  /// | up to a quarter of an hour before, or at a time that the service does not give | unknown, as clocks differ: it stays |
  /// | earlier | another's, and stays |
  ///
  /// Where the key names no account, all of it stays.
  func abortParts(of key: String, since: Int64?) async -> Aborted {
    let start = since.map { Double($0) }
    do throws(Stop) {
      var begun: [Upload]
      switch try await started(key) {
      case .listed(let listed): begun = listed
      case .unclear(let reason): return .unclear(reason: reason)
      }
      begun = begun.filter { $0.isBegun(since: start, within: Self.clockDistance) ?? true }
      guard store.api.namesAccount else { return begun.isEmpty ? .gone : .kept }
      let own = begun.filter { $0.isBegun(since: start, within: Self.clockStep) ?? false }
      for upload in own {
        let answer = await store.send(
          ObjectStore.Request(method: "DELETE", key: key, query: [("uploadId", upload.id)])
        )
        switch answer.meaning {
        case .done, .faulty(status: 404, _, _): continue
        case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
          return .failed(ItemResult(answer.meaning).repeatable)
        }
      }
      return own.count == begun.count ? .gone : .doubted
    } catch {
      return .failed(error.result)
    }
  }

  private func start(_ object: Object) async throws(Stop) -> Started {
    let answer = await store.send(
      ObjectStore.Request(
        method: "POST",
        key: object.key,
        query: [("uploads", "")],
        headers: object.headers
      )
    )
    guard case .done = answer.meaning, let id = answer.document.first("UploadId") else {
      throw Stop(result: ItemResult(answer.meaning).repeatable)
    }
    return Started(id: id, partSize: partSize(for: object.media.size))
  }

  /// The profile's part size, or a larger one where there would be too many parts.
  func partSize(for size: Int64) -> Int64 {
    let least = (size + BucketApi.mostParts - 1) / BucketApi.mostParts
    let mebibytes = (least + (1 << 20) - 1) >> 20
    return max(store.api.partSize, mebibytes << 20)
  }

  /// An upload that was begun and not ended.
  private struct Upload {
    let id: String
    /// When it was begun, in seconds since 1970 by this machine's clock; `nil` where the service
    /// does not say.
    let begunAt: Double?

    /// Whether it was begun since a moment, or at most so many seconds before; `nil` where unknown.
    func isBegun(since moment: Double?, within seconds: Double) -> Bool? {
      guard let moment else { return true }
      return begunAt.map { $0 >= moment - seconds }
    }
  }

  /// What was begun for a key, as far as the service shows.
  private enum Begun {
    /// The uploads, the oldest first.
    case listed([Upload])
    case unclear(reason: String)
  }

  /// The uploads of this key that were begun.
  ///
  /// The key holds the content's digest and the account: whatever was begun for it is the same file.
  /// A key of the account may lack the right to list uploads (`s3:ListBucketMultipartUploads`), and a
  /// service may not be able to: sending a file needs neither.
  private func started(_ key: String) async throws(Stop) -> Begun {
    let answer = await store.send(
      ObjectStore.Request(method: "GET", query: [("uploads", ""), ("prefix", key)])
    )
    switch answer.meaning {
    case .done: break
    case .refused(.forbidden(let reason)): return .unclear(reason: reason)
    case .refused(let error) where answer.status == 501: return .unclear(reason: error.reason)
    case .unfit, .faulty, .refused, .neverSent, .later, .unknown:
      throw Stop(result: ItemResult(answer.meaning).repeatable)
    }
    let now = store.now()
    let lead = PauseHint.time(answer.headers, else: now) - now
    return .listed(
      answer.document.list("Upload")
        .filter { $0["Key"] == key }
        .sorted { ($0["Initiated"] ?? "") < ($1["Initiated"] ?? "") }
        .compactMap { upload in
          let begunAt = upload["Initiated"].flatMap { ServerTime.instant($0) }.map { $0 - lead }
          return upload["UploadId"].map { Upload(id: $0, begunAt: begunAt) }
        }
    )
  }

  /// The greatest number that a part has:
  /// <https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html>.
  private static let mostParts = 10_000

  private func lastStarted(_ object: Object) async throws(Stop) -> Started? {
    // If nothing shows it, the file is begun again.
    guard case .listed(let begun) = try await started(object.key), let id = begun.last?.id else {
      return nil
    }
    var parts: [Int: (tag: String, size: Int64)] = [:]
    var marker = 0
    while true {
      let answer = await store.send(
        ObjectStore.Request(
          method: "GET",
          key: object.key,
          query: [("part-number-marker", "\(marker)"), ("uploadId", id)]
        )
      )
      if case .faulty(status: 404, _, _) = answer.meaning { return nil }
      guard case .done = answer.meaning else {
        throw Stop(result: ItemResult(answer.meaning).repeatable)
      }
      for part in answer.document.list("Part") {
        guard let number = part["PartNumber"].flatMap({ Int($0) }), let tag = part["ETag"],
          let size = part["Size"].flatMap({ Int64($0) })
        else { continue }
        parts[number] = (tag.filter { $0 != "\"" }, size)
      }
      guard answer.document.first("IsTruncated") == "true",
        let next = answer.document.first("NextPartNumberMarker").flatMap({ Int($0) }),
        next > marker, next <= Self.mostParts
      else { break }
      marker = next
    }
    // All parts but the last must be of one size: that of the first one that is there.
    let usual = partSize(for: object.media.size)
    let size = parts.filter { $0.value.size < object.media.size }.values.map(\.size).max() ?? usual
    let partSize = size >= BucketApi.smallestPart ? size : usual
    return Started(id: id, partSize: partSize, isFound: true, parts: parts.mapValues(\.tag))
  }

  private func send(
    _ number: Int,
    of object: Object,
    in started: inout Started
  ) async throws(Stop) {
    let offset = Int64(number - 1) * started.partSize
    let slice = FileSlice(
      source: object.media.source,
      offset: offset,
      size: min(started.partSize, object.media.size - offset)
    )
    let sums: FileSlice.Sums
    do throws(FileError) { sums = try slice.sums() } catch {
      throw Stop(result: .outcome(ItemOutcome(unreadable: error)))
    }
    let tag = sums.md5.hexadecimal
    if started.parts[number] == tag { return }
    let answer = await store.send(
      ObjectStore.Request(
        method: "PUT",
        key: object.key,
        query: [("partNumber", "\(number)"), ("uploadId", started.id)],
        body: .slice(slice, sums)
      )
    )
    guard case .done = answer.meaning else {
      throw Stop(result: await conclude(answer, object))
    }
    started.parts[number] = answer.headers.first(name: "ETag")?.filter { $0 != "\"" } ?? tag
  }

  private static func completion(_ started: Started, count: Int) -> String {
    var text = "<CompleteMultipartUpload>"
    for number in 1...count {
      text += "<Part><PartNumber>\(number)</PartNumber>"
      text += "<ETag>&quot;\(started.parts[number] ?? "")&quot;</ETag></Part>"
    }
    return text + "</CompleteMultipartUpload>"
  }
}
