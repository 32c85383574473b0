import Files
import Foundation
import TestSupport
import Testing

struct LineReaderTests {
  private let place: Workplace

  init() throws {
    place = try Workplace()
  }

  private func reader(of bytes: [UInt8], longest: Int = 256 << 20) throws -> LineReader {
    let path = place.path + "/file"
    try Data(bytes).write(to: URL(filePath: path))
    return LineReader(try InputFile(path), longest: longest)
  }

  /// Lines of lengths from none to more than two blocks of a file, the last perhaps without an end.
  private func file(_ random: inout some RandomNumberGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    for _ in 0..<Int.random(in: 0...40, using: &random) {
      let longest = [0, 10, 1_000, 300_000, 2_500_000].randomElement(using: &random) ?? 0
      let length = Int.random(in: 0...longest, using: &random)
      bytes += Array(repeating: UInt8.random(in: 0x20...0x7E, using: &random), count: length)
      bytes.append(0x0A)
    }
    if Bool.random(using: &random) { bytes += Array("no end".utf8) }
    return bytes
  }

  @Test func `the blocks of a file are whole lines with numbers and places`() throws {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededNumbers(seed: seed)
    for _ in 0..<20 {
      let bytes = file(&random)
      let reader = try reader(of: bytes)
      var read: [UInt8] = []
      var lineCount = 0
      var isEnded = true
      var spare: [UInt8] = []
      while let block = try reader.takeBlock(reusing: &spare) {
        #expect(isEnded, "only the last block may lack its end; seed \(seed)")
        #expect(block.offset == Int64(read.count), "seed \(seed)")
        #expect(block.number == lineCount + 1, "seed \(seed)")
        #expect(block.isEnded == (block.bytes.last == 0x0A), "seed \(seed)")
        read += block.bytes
        lineCount += block.bytes.count { $0 == 0x0A }
        isEnded = block.isEnded
        spare = Bool.random(using: &random) ? block.bytes : []
      }
      #expect(read == bytes, "seed \(seed)")
    }
  }

  @Test func `a line that is longer than allowed is refused with its number`() throws {
    let bytes = Array("one\n".utf8) + Array(repeating: 0x61, count: 3 << 20)
    let reader = try reader(of: bytes, longest: 1 << 20)
    var spare: [UInt8] = []
    #expect(try reader.takeBlock(reusing: &spare)?.bytes == Array("one\n".utf8))
    #expect(throws: LineReader.Failure.tooLong(line: 2)) { try reader.takeBlock(reusing: &spare) }
  }
}
