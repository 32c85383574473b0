import Files

/// What of a list, or of its part at hand, is held, and the folder of its long leaves that its own file does not give.
final class LeafScratch {
  private var made: PrivateFolder?
  private var heldCount = 0
  private let heldSize: Int

  init(_ limits: PropertyListLimits) { heldSize = limits.heldSize }

  /// How many bytes a leaf may have to be held beside those that are.
  var mostHeld: Int { heldCount > 2 * heldSize ? heldSize / 16 : heldSize }

  /// Nothing is held any more: the part of the list that was is given away.
  func beginPart() { heldCount = 0 }

  /// Counts a leaf that is held.
  func hold(_ count: Int) { heldCount += count }

  fileprivate func folder() throws(FileError) -> PrivateFolder {
    if let made { return made }
    let folder = try PrivateFolder()
    made = folder
    return folder
  }
}

/// Takes a leaf in pieces, of which a long one is not held.
struct LeafWriter: ~Copyable {
  private let isText: Bool
  /// `nil` where every leaf is held.
  private let scratch: LeafScratch?
  private var bytes: [UInt8] = []
  private var count = 0
  private var file: OutputFile?
  private var folder: PrivateFolder?
  /// Whether data begins like one that is decoded, and is held for that.
  private var isHeld = false

  init(isText: Bool, _ scratch: LeafScratch?) {
    self.isText = isText
    self.scratch = scratch
  }

  mutating func take(_ piece: UnsafeRawBufferPointer) throws(PropertyListError) {
    do throws(FileError) { try add(piece) } catch { throw .file(error) }
  }

  mutating func take(_ piece: [UInt8]) throws(PropertyListError) {
    try piece.withUnsafeBufferPointer { piece throws(PropertyListError) in
      try take(UnsafeRawBufferPointer(piece))
    }
  }

  private mutating func add(_ piece: UnsafeRawBufferPointer) throws(FileError) {
    count += piece.count
    guard folder == nil else {
      try file?.write(piece)
      return
    }
    bytes += piece
    guard let scratch, !isHeld, count > scratch.mostHeld else { return }
    isHeld = !isText && EncodedData.mayBegin(with: Array(bytes.prefix(EncodedData.startSize)))
    guard !isHeld else { return }
    let folder = try scratch.folder()
    let name = String(UInt64.random(in: .min ... .max))
    file = try OutputFile(creating: "\(folder.path)/\(name)", isDigested: false)
    self.folder = folder
    try file?.write(bytes)
    bytes = []
  }

  /// The value, once the last piece has passed.
  consuming func finished() throws(PropertyListError) -> PropertyList {
    guard let folder, let file = file.take() else {
      scratch?.hold(count)
      return isText ? .string(String(decoding: bytes, as: UTF8.self)) : .data(bytes)
    }
    let path = file.path
    do throws(FileError) { _ = try file.finishUnsynced() } catch { throw .file(error) }
    return .long(LongLeaf(isText: isText, .own(path: path, folder), count: count))
  }
}

/// Does what may fail with the system.
func filing<Value: ~Copyable>(
  _ body: () throws(FileError) -> Value
) throws(PropertyListError) -> Value {
  do throws(FileError) { return try body() } catch { throw .file(error) }
}
