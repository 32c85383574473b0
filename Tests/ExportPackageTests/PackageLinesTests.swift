import ExportPackage
import Files
import Records
import Testing

/// Lines that are handed over together.
@Suite struct PackageLinesTests {
  private let fixture: PackageFixture

  init() throws {
    fixture = try PackageFixture()
  }

  @Test(arguments: [1, 7, 64, 1 << 18])
  func `lines written together have the same places as lines written alone`(usualSize: Int) throws {
    let lines = (1...200).map {
      Array(#"{"$id":"\#($0)\#(String(repeating: "x", count: $0 % 50))"}"#.utf8)
    }
    let binding = PackageFixture.binding()
    let (alone, together) = (fixture.folder + "/ALONE", fixture.folder + "/TOGETHER")
    for path in [alone, together] {
      guard
        case .writing(let writer) = try PackageWriter.open(path, binding: binding, chunkSize: 300)
      else { throw PackageFixture.Cut() }
      var pending: [UInt8] = []
      var count = 0
      for (index, line) in lines.enumerated() {
        let place = Int64(index + 1)
        if path == alone {
          try line.withUnsafeBytes { try writer.add($0, of: "Owner", place: place) }
          continue
        }
        pending += line + [0x0A]
        count += 1
        let missing = Int(try writer.missingSize(of: "Owner"))
        guard pending.count >= min(usualSize, missing) || index == lines.count - 1 else { continue }
        try pending.withUnsafeBytes {
          try writer.add(lines: $0, count: count, of: "Owner", lastPlace: place)
        }
        (pending, count) = ([], 0)
      }
      _ = try writer.finish(PackageFixture.manifest)
    }
    #expect(try PackageFixture.contents(of: together) == PackageFixture.contents(of: alone))
  }
}
