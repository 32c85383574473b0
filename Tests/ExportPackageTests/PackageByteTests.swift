import ExportPackage
import Files
import Foundation
import Records
import Testing

/// A small package that is damaged at every byte.
@Suite struct PackageByteTests {
  private let fixture: PackageFixture
  private let files: [String: [UInt8]]

  init() throws {
    fixture = try PackageFixture()
    try fixture.write(rows: 6)
    files = try PackageFixture.contents(of: fixture.package)
  }

  /// What becomes of the package when one of its files holds this.
  private enum Verdict: Equatable {
    case refused
    case damaged([String])
    case read([[UInt8]])
  }

  private func verdict(_ path: String, _ bytes: [UInt8]) throws -> Verdict {
    let place = URL(filePath: fixture.package + path)
    try Data(bytes).write(to: place)
    let verdict = try verdict()
    if let whole = files[path] { try Data(whole).write(to: place) }
    return verdict
  }

  private func verdict() throws -> Verdict {
    do throws(PackageError) {
      let package = try PackageReader(fixture.package)
      let damages = try package.damages()
      guard damages.isEmpty else { return .damaged(damages.compactMap(\.file)) }
      var lines: [[UInt8]] = []
      for entity in package.manifest.entities {
        let records = try package.records(of: entity.name)
        while let record = try records.next() { lines.append(Array(record.line)) }
        let rejects = try package.rejects(of: entity.name)
        while let reject = try rejects.next() { lines.append(Array(reject.line)) }
      }
      return .read(lines)
    } catch {
      #expect(!error.description.isEmpty)
      return .refused
    }
  }

  @Test
  func `every changed byte of a file that the manifest seals is reported with the file's name`()
    throws
  {
    var count = 0
    for (path, bytes) in files where path != "/manifest.json" {
      let name = String(path.dropFirst())
      for index in bytes.indices {
        var changed = bytes
        changed[index] ^= 1
        let verdict = try verdict(path, changed)
        #expect(verdict == .damaged([name]), "byte \(index) of \(path)")
        count += 1
      }
      for size in stride(from: 0, to: bytes.count, by: 7) {
        let verdict = try verdict(path, Array(bytes[..<size]))
        #expect(verdict == .damaged([name]), "\(path), cut at \(size)")
      }
    }
    #expect(count > 500)
  }

  @Test func `with any byte of the manifest changed, the package is refused`() throws {
    let path = "/manifest.json"
    let bytes = try #require(files[path])
    for index in bytes.indices {
      for bit in [0, 5] {
        var changed = bytes
        changed[index] ^= UInt8(1 << bit)
        let verdict = try verdict(path, changed)
        #expect(verdict == .refused, "byte \(index), bit \(bit)")
      }
    }
    for size in stride(from: 0, to: bytes.count, by: 7) {
      let verdict = try verdict(path, Array(bytes[..<size]))
      #expect(verdict == .refused, "cut at \(size)")
    }
  }
}
