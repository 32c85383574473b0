import ExportPackage
import Files
import Records
import Testing

/// Data files whose digests come together, after they were written.
@Suite struct PackageDigestTests {
  private let fixture: PackageFixture

  init() throws {
    fixture = try PackageFixture()
  }

  @Test(arguments: FileDigests.Way.known)
  func `however the digests come about, the package is the same`(way: FileDigests.Way) throws {
    try fixture.write(digests: .alone)
    let whole = try PackageFixture.contents(of: fixture.package)
    let path = fixture.folder + "/TOGETHER"
    try fixture.write(path: path, digests: way)
    #expect(try PackageFixture.contents(of: path) == whole)
    #expect(try PackageReader(path).damages().isEmpty)
  }

  @Test(arguments: FileDigests.Way.known, [6, 11, 30, 55, 61, 75, 90, 100, 119])
  func `what was cut off before its digests were known goes on, in any way`(
    way: FileDigests.Way,
    steps: Int
  ) throws {
    try fixture.write(digests: .alone)
    let whole = try PackageFixture.contents(of: fixture.package)
    for last in FileDigests.Way.known {
      let path = "\(fixture.folder)/CUT-\(last)"
      #expect(throws: PackageFixture.Cut.self) {
        try fixture.write(steps: steps, path: path, digests: way)
      }
      let kept = try Folder.names(in: "\(path).partial/data").count
      try fixture.write(path: path, digests: last)
      #expect(try PackageFixture.contents(of: path) == whole)
      #expect(kept > 0, "something was there to go on with")
    }
  }

  @Test(arguments: FileDigests.Way.known.filter { $0 != .alone })
  func `a file that was changed before its digest was known is refused`(
    way: FileDigests.Way
  ) throws {
    let binding = PackageFixture.binding()
    let opening = try PackageWriter.open(
      fixture.package,
      binding: binding,
      chunkSize: 8,
      digests: way
    )
    guard case .writing(let writer) = opening else { throw PackageFixture.Cut() }
    for place in 1...3 as ClosedRange<Int64> {
      try Array(#"{"$id":"a"}"#.utf8).withUnsafeBytes { bytes in
        try writer.add(bytes, of: "Owner", place: place)
      }
    }
    try WholeFile.replace("\(fixture.package).partial/data/Owner-00002.jsonl", with: [0x7B])
    let error = #expect(throws: PackageError.self) { try writer.finish(PackageFixture.manifest) }
    #expect(error?.description.contains("Owner-00002.jsonl is damaged") == true)
    #expect(!InputFile.isPresent(fixture.package))
  }

  @Test(arguments: [1, 7, 64, 1 << 18])
  func `lines that come together lie where they would alone`(usualSize: Int) throws {
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
