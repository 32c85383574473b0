import Crypto
import Files
import HTTPTransport
import NIOHTTP1
import Records
import TextCodecs

// Whether an object holds what it should: a size, or what it says of itself, is no proof.

extension S3MediaStore {
  /// How an object compares with a file.
  enum Likeness {
    case same, different
    /// The service did not let it be read.
    case unclear(ObjectAnswer)
    /// The file cannot be read on this machine.
    case unreadable(FileError)
  }

  /// How many bytes are read at once.
  static let pieceSize: Int64 = 8 << 20

  /// Compares the object at a key, of which `found` is what the service says, with a content.
  ///
  /// The entity tag says where it is the MD5 of all bytes, or of the parts that a file of this size goes in:
  /// <https://docs.aws.amazon.com/AmazonS3/latest/API/API_Object.html>. It need not be, as with objects that
  /// are encrypted; then the object is read.
  func likeness(
    of key: String,
    _ found: ObjectAnswer,
    to digest: String,
    _ source: FileSource?
  ) async -> Likeness {
    let size = found.headers.first(name: "Content-Length").flatMap(Int64.init)
    if let source {
      do throws(FileError) {
        let local = try source.open(followsLinks: false).size()
        if let size, size != local { return .different }
        let tag = found.headers.first(name: "ETag")?.filter { $0 != "\"" }.lowercased()
        if let tag, try self.tag(of: source, local, like: tag) == tag { return .same }
      } catch {
        return .unreadable(error)
      }
    }
    return await read(key, size, comparedWith: digest)
  }

  /// The entity tag that an object of a file's content has, in one piece or in as many parts as `tag` says;
  /// `nil` where it does not go in so many from here.
  private func tag(
    of source: FileSource,
    _ size: Int64,
    like tag: String
  ) throws(FileError) -> String? {
    guard let count = tag.split(separator: "-").dropFirst().first.flatMap({ Int64($0) }) else {
      return try FileSlice(source: source, offset: 0, size: size).sums().md5.hexadecimal
    }
    let partSize = partSize(for: size)
    guard (size + partSize - 1) / partSize == count else { return nil }
    var all = Insecure.MD5()
    for number in 0..<count {
      let offset = number * partSize
      let part = FileSlice(source: source, offset: offset, size: min(partSize, size - offset))
      all.update(data: try part.sums().md5)
    }
    return "\(Array(all.finalize()).hexadecimal)-\(count)"
  }

  /// Reads an object, a piece at a time, and compares its digest.
  private func read(
    _ key: String,
    _ size: Int64?,
    comparedWith digest: String
  ) async -> Likeness {
    var sum = SHA256()
    var offset: Int64 = 0
    while offset < size ?? .max, size != 0 {
      let end = min(offset + Self.pieceSize, size ?? .max) - 1
      let answer = await store.send(
        ObjectStore.Request(
          method: "GET",
          key: key,
          headers: size == nil ? [] : [("range", "bytes=\(offset)-\(end)")],
          isOfContent: true
        )
      )
      guard case .done = answer.meaning else { return .unclear(answer) }
      if offset == 0, size == nil || answer.status == 200 {
        return Self.holds(answer, digest) ? .same : .different
      }
      sum.update(data: answer.content)
      offset += Int64(answer.content.count)
      // A service that gives less than it was asked for does not bring it to an end.
      if answer.status == 200 || answer.content.isEmpty { break }
    }
    if let size, offset != size { return .different }
    return Array(sum.finalize()).hexadecimal == digest ? .same : .different
  }

  /// Whether an answer brings a whole object of this content: as it is stored, or packed on the way.
  private static func holds(_ answer: ObjectAnswer, _ digest: String) -> Bool {
    if Array(SHA256.hash(data: answer.content)).hexadecimal == digest { return true }
    do throws(PackedBody.Failure) {
      let content = try PackedBody.unpacked(
        answer.content,
        answer.headers,
        limit: HTTPTransport.largestAnswer
      )
      return Array(SHA256.hash(data: content)).hexadecimal == digest
    } catch {
      return false
    }
  }
}
