import PropertyLists
import Testing

/// Keyed archives, walked and turned into JSON.
struct `Keyed archives` {
  @Test func `known classes become plain JSON`() throws {
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(class: 12, [("NS.objects", .array((2...11).map { .uid($0) }))]),
      .string("a \"b\"\n"), .integer(-3), .boolean(true), .real(0.5), .data([1, 2, 3]),
      ArchiveSample.object(class: 13, [("NS.time", .real(700_000_000.25))]),
      ArchiveSample.object(class: 14, [("NS.uuidbytes", .data(Array(0..<16)))]),
      ArchiveSample.object(
        class: 15,
        [("NS.base", .uid(0)), ("NS.relative", .string("https://a.b/c"))]
      ),
      ArchiveSample.object(class: 16, []),
      ArchiveSample.object(
        class: 17,
        [
          ("NS.keys", .array([.uid(2), .uid(2)].dropLast())),
          ("NS.objects", .array([.uid(0)])),
        ]
      ),
      ArchiveSample.record("NSMutableArray", "NSArray", "NSObject"),
      ArchiveSample.record("NSDate", "NSObject"),
      ArchiveSample.record("NSUUID", "NSObject"),
      ArchiveSample.record("NSURL", "NSObject"),
      ArchiveSample.record("NSNull", "NSObject"),
      ArchiveSample.record("NSDictionary", "NSObject"),
    ])
    #expect(
      try ArchiveSample.text(archive)
        == #"["a \"b\"\n",-3,true,0.5,{"$base64":"AQID"},{"$date":"2023-03-08T20:26:40.25Z"},"#
        + #"{"$uuid":"00010203-0405-0607-0809-0A0B0C0D0E0F"},{"$url":"https://a.b/c"},"#
        + #"null,{"a \"b\"\n":null}]"#
    )
  }

  @Test func `an unknown class keeps its name and its keys`() throws {
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(class: 2, [("size", .integer(3)), ("area", .uid(3))]),
      ArchiveSample.record("App.Box", "NSObject"),
      .string("wide"),
    ])
    #expect(
      try ArchiveSample.text(archive) == #"{"$class":"App.Box","area":"wide","size":3}"#
    )
  }

  @Test func `a decimal keeps all its digits`() throws {
    var mantissa = Array(repeating: UInt8(0), count: 16)
    mantissa[0] = 0x39
    mantissa[1] = 0x30
    mantissa[2] = 0x01
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(
        class: 2,
        [
          ("NS.mantissa", .data(mantissa)), ("NS.mantissa.bo", .integer(1)),
          ("NS.exponent", .integer(-7)), ("NS.length", .integer(2)),
          ("NS.negative", .boolean(true)), ("NS.compact", .boolean(true)),
        ]
      ),
      ArchiveSample.record("NSDecimalNumber", "NSNumber", "NSValue", "NSObject"),
    ])
    #expect(try ArchiveSample.text(archive) == #"{"$decimal":"-0.0077881"}"#)
  }

  @Test func `a self-containing object is cut`() throws {
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(class: 2, [("NS.objects", .array([.uid(1)]))]),
      ArchiveSample.record("NSArray", "NSObject"),
    ])
    #expect(try ArchiveSample.text(archive) == #"[{"$cycle":1}]"#)
  }

  @Test func `shared values that expand without end are refused`() throws {
    let levels = (1...40).map { level in
      ArchiveSample.object(
        class: 42,
        [("NS.objects", .array([.uid(level + 1), .uid(level + 1)]))]
      )
    }
    let archive = try ArchiveSample.archive(
      levels + [.string("leaf"), ArchiveSample.record("NSArray", "NSObject")]
    )
    #expect(throws: PropertyListError.self) { try archive.json() }
  }

  @Test func `a dictionary of known keys leaves out absent values`() throws {
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(
        class: 8,
        [("searchMapping", .uid(2)), ("values", .uid(4)), ("emptyToken", .uid(5))]
      ),
      ArchiveSample.object(class: 9, [("keys", .uid(3)), ("length", .integer(2))]),
      ArchiveSample.object(class: 10, [("NS.objects", .array([.uid(6), .uid(7)]))]),
      ArchiveSample.object(class: 10, [("NS.objects", .array([.uid(6), .uid(5)]))]),
      .string("NSKnownKeysDictionary_Nothing"), .string("a"), .string("b"),
      ArchiveSample.record("NSKnownKeysDictionary1", "NSMutableDictionary", "NSDictionary"),
      ArchiveSample.record("NSKnownKeysMappingStrategy1", "NSObject"),
      ArchiveSample.record("NSArray", "NSObject"),
    ])
    #expect(try ArchiveSample.text(archive) == #"{"a":"a"}"#)
  }

  @Test(
    arguments: [
      (-63_114_076_800, "0000-12-30T00:00:00Z"), (0, "2001-01-01T00:00:00Z"),
      (-0.25, "2000-12-31T23:59:59.75Z"), (63_113_904_000, "4001-01-01T00:00:00Z"),
      (-31_622_400, "2000-01-01T00:00:00Z"), (-26_438_400.5, "2000-02-29T23:59:59.5Z"),
      (1e-7, "2001-01-01T00:00:00.0000001Z"), (-1.5e-5, "2000-12-31T23:59:59.999985Z"),
      (1e300, "1e+300"), (.infinity, "inf"), (.nan, "nan"),
      (-63_145_526_400, "0000-01-01T00:00:00Z"), (252_423_993_599, "9999-12-31T23:59:59Z"),
    ] as [(Double, String)]
  )
  func `dates follow the Gregorian calendar`(seconds: Double, text: String) {
    #expect(ReferenceDate.text(seconds: seconds) == text)
  }

  @Test func `other data than an archive is recognised`() throws {
    #expect(throws: PropertyListError.notAnArchive(reason: "it has no $archiver")) {
      try KeyedArchive(.dictionary([]))
    }
    #expect(throws: PropertyListError.self) {
      try KeyedArchive(ArchiveSample.list([], archiver: "MyThing")).json()
    }
    let beyond = try ArchiveSample.archive([.array([.uid(77)])])
    #expect(throws: PropertyListError.self) { try beyond.json() }
  }
}

/// Builds archives from their objects; the first is the root, and has the number 1.
enum ArchiveSample {
  static func archive(_ objects: [PropertyList]) throws(PropertyListError) -> KeyedArchive {
    try KeyedArchive(list(objects, archiver: "NSKeyedArchiver"))
  }

  static func list(_ objects: [PropertyList], archiver: String) -> PropertyList {
    .dictionary([
      .init(name: "$version", value: .integer(100_000)),
      .init(name: "$archiver", value: .string(archiver)),
      .init(name: "$top", value: .dictionary([.init(name: "root", value: .uid(1))])),
      .init(name: "$objects", value: .array([.string("$null")] + objects)),
    ])
  }

  static func object(class number: Int, _ members: [(String, PropertyList)]) -> PropertyList {
    .dictionary(
      members.map { .init(name: $0.0, value: $0.1) }
        + [.init(name: "$class", value: .uid(number))]
    )
  }

  static func record(_ names: String...) -> PropertyList {
    .dictionary([
      .init(name: "$classname", value: .string(names[0])),
      .init(name: "$classes", value: .array(names.map { .string($0) })),
    ])
  }

  static func text(_ archive: KeyedArchive) throws(PropertyListError) -> String {
    String(decoding: try archive.json(), as: UTF8.self)
  }
}
