import Files
import NIOCore

extension FormBody {
  /// Its bytes in pieces, those of the file read as they are asked for.
  var bytes: Bytes { Bytes(form: self) }

  struct Bytes: AsyncSequence, Sendable {
    typealias Element = ByteBuffer

    let form: FormBody

    func makeAsyncIterator() -> Iterator { Iterator(form: form) }
  }

  struct Iterator: AsyncIteratorProtocol {
    let form: FormBody
    /// `nil` for a file in memory.
    private let file: FileBytes.Iterator?
    private var place = Place.head

    private enum Place { case head, file, end }

    init(form: FormBody) {
      self.form = form
      file =
        switch form.content {
        case .file(let source):
          FileBytes(source: source, offset: 0, size: form.fileSize).makeAsyncIterator()
        case .bytes: nil
        }
    }

    mutating func next() async throws -> ByteBuffer? {
      switch place {
      case .head:
        place = .file
        if case .bytes(let bytes) = form.content {
          return ByteBuffer(bytes: form.head + bytes)
        }
        return ByteBuffer(bytes: form.head)
      case .file:
        if let piece = try await file?.next() { return piece }
        place = .end
        return ByteBuffer(bytes: form.tail)
      case .end: return nil
      }
    }
  }
}
