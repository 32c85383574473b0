import CSHA256

/// The SHA-256 digests of several files, worked out side by side where the processor gains by it.
package enum FileDigests {
  /// How digests come about on a processor.
  package enum Way: CaseIterable, Hashable, Sendable {
    /// One file after the other, by the library.
    case alone
    /// Eight files at once, with the vectors of AVX2.
    case avx2
    /// Eight files at once, with the rotations of AVX-512 on vectors of the same width.
    case avx512

    fileprivate var number: Int32 {
      switch self {
      case .alone: FERRY_SHA256_ALONE
      case .avx2: FERRY_SHA256_AVX2
      case .avx512: FERRY_SHA256_AVX512VL
      }
    }

    /// The ways that this processor knows.
    package static let known = allCases.filter { $0.number <= ferry_sha256_best_way() }

    /// The cheapest way here: the library's, where there are instructions for SHA-256 itself or no
    /// wide vectors.
    package static let best: Way =
      ferry_sha256_has_instructions() != 0 ? .alone : known.last ?? .alone
  }

  /// How many files are read side by side.
  package static let width = Int(FERRY_SHA256_LANES)

  /// Eight lanes cost what two files cost one after the other, or a little more.
  private static let fewest = 3

  /// What a file holds, in short: the 32 bytes of its digest, and its size.
  package typealias Account = (digest: [UInt8], size: Int64)

  /// The accounts of the files, in the order of their paths.
  package static func sha256(
    of paths: [String],
    way: Way = .best
  ) throws(FileError) -> [Account] {
    var digests: [Account] = []
    for start in stride(from: 0, to: paths.count, by: width) {
      let group = paths[start..<min(start + width, paths.count)]
      if way != .alone, group.count >= fewest {
        digests += try DigestLanes(group, number: way.number).digests()
      } else {
        for path in group { digests.append(try InputFile.sha256(of: path)) }
      }
    }
    return digests
  }
}

/// At most eight files on their way to their digests.
@safe
private struct DigestLanes: ~Copyable {
  private static let blockSize = 64
  /// How much of a file is read at once; a multiple of the block size.
  private static let pieceSize = 1 << 15
  /// A piece, and the padding that may follow it.
  private static let roomSize = pieceSize + 2 * blockSize
  /// Where each digest begins (FIPS 180-4, section 5.3.3).
  private static let start: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab,
    0x5be0_cd19,
  ]

  private let number: Int32
  private let lanes: [Lane]
  private let memory: UnsafeMutableRawBufferPointer
  private var states: [UInt32] = []

  init(_ paths: ArraySlice<String>, number: Int32) throws(FileError) {
    self.number = number
    var lanes: [Lane] = []
    for path in paths { lanes.append(Lane(try InputFile(path))) }
    self.lanes = lanes
    unsafe memory = .allocate(byteCount: FileDigests.width * Self.roomSize, alignment: 32)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
    for _ in 0..<FileDigests.width { states += Self.start }
  }

  deinit { unsafe memory.deallocate() }

  consuming func digests() throws(FileError) -> [FileDigests.Account] {
    while true {
      for index in lanes.indices where lanes[index].isEmpty { try refill(index) }
      let count = lanes.filter { $0.digest == nil }.map(\.blockCount).min() ?? 0
      if count == 0 { return lanes.map { ($0.digest ?? [], Int64($0.size)) } }
      update(count)
    }
  }

  /// Reads on, or notes the digest of a file of which nothing is left.
  private func refill(_ index: Int) throws(FileError) {
    let lane = lanes[index]
    if lane.isRead {
      let state = states[8 * index..<8 * index + 8]
      lane.digest = state.flatMap { word in
        stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt32($0)) }
      }
    } else {
      let start = index * Self.roomSize
      unsafe try lane.fill(.init(rebasing: memory[start..<start + Self.roomSize]), Self.pieceSize)
    }
  }

  /// Takes blocks of all lanes; what becomes of a lane whose digest is known does not matter.
  private mutating func update(_ count: Int) {
    guard let base = unsafe UnsafeRawPointer(memory.baseAddress) else { return }
    let messages = unsafe (0..<FileDigests.width).map { index in
      let used = index < lanes.count && lanes[index].digest == nil ? lanes[index].used : 0
      return unsafe (base + index * Self.roomSize + used).assumingMemoryBound(to: UInt8.self)
    }
    unsafe ferry_sha256_lanes_update(number, &states, messages, count)
    for lane in lanes { lane.used += count * Self.blockSize }
  }

  /// One file, and how far it is.
  private final class Lane {
    private var file: InputFile
    private(set) var size: UInt64 = 0
    private var filled = 0
    /// The bytes at the front of the piece that were digested.
    var used = 0
    private(set) var isRead = false
    var digest: [UInt8]?

    init(_ file: consuming InputFile) { self.file = file }

    var isEmpty: Bool { digest == nil && used == filled }
    var blockCount: Int { (filled - used) / DigestLanes.blockSize }

    /// Reads the next piece; behind the last of the file come the padding and the file's length.
    func fill(
      _ room: UnsafeMutableRawBufferPointer,
      _ pieceSize: Int
    ) throws(FileError) {
      unsafe filled = try file.read(into: .init(rebasing: room[..<pieceSize]))
      used = 0
      size += UInt64(filled)
      guard filled < pieceSize else { return }
      isRead = true
      unsafe room[filled] = 0x80
      filled += 1
      while filled % DigestLanes.blockSize != DigestLanes.blockSize - 8 {
        unsafe room[filled] = 0
        filled += 1
      }
      let bits = size * 8
      for shift in stride(from: UInt64(56), through: 0, by: -8) {
        unsafe room[filled] = UInt8(truncatingIfNeeded: bits >> shift)
        filled += 1
      }
    }
  }
}
