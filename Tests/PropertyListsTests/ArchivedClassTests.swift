import PropertyLists
import Testing

/// Every class that is understood, and what keeps the others whole.
struct `Archived classes` {
  @Test func `an archived set is written as a set, and a counted set with its counts`() throws {
    let two = PropertyList.array([.string("a"), .integer(1)])
    #expect(try json("NSMutableSet", "NSSet", [("NS.objects", two)]) == #"{"$set":["a",1]}"#)
    #expect(
      try json("NSOrderedSet", [("NS.object.1", .integer(2)), ("NS.object.0", .integer(1))])
        == #"{"$orderedSet":[1,2]}"#
    )
    #expect(try json("NSOrderedSet", []) == #"{"$orderedSet":[]}"#)
    #expect(
      try json(
        "NSCountedSet",
        "NSMutableSet",
        "NSSet",
        [("NS.count", .integer(1)), ("NS.object0", .string("a")), ("NS.count0", .integer(3))]
      ) == #"{"$countedSet":[{"count":3,"value":"a"}]}"#
    )
    #expect(try json("NSCountedSet", [("NS.count", .integer(0))]) == #"{"$countedSet":[]}"#)
  }

  @Test(arguments: [Int64.max, .max / 2 + 1, 1, -1, .min])
  func `a counted set with a wrong count of members is written as it is`(
    count: Int64
  ) throws {
    #expect(
      try json("NSCountedSet", [("NS.count", .integer(count))])
        == #"{"$class":"NSCountedSet","NS.count":\#(count)}"#
    )
  }

  @Test func `a text, a date, data and a number in wrappers are distinguished`() throws {
    #expect(try json("NSMutableString", "NSString", [("NS.string", .string("a"))]) == #""a""#)
    #expect(try json("NSMutableString", "NSString", [("NS.bytes", .data([0x61]))]) == #""a""#)
    #expect(
      try json("NSMutableData", "NSData", [("NS.data", .data([1]))]) == #"{"$base64":"AQ=="}"#
    )
    #expect(try json("NSLocale", [("NS.identifier", .string("de"))]) == #"{"$locale":"de"}"#)
    #expect(
      try json("NSDate", [("NS.time", .real(.nan))]) == #"{"$date":"NaN"}"#
    )
    #expect(
      try json("NSArray", [("NS.objects", .array([.real(.infinity)]))])
        == #"[{"$real":"Infinity"}]"#
    )
  }

  @Test func `a real differs from an integer, and a date outside the calendar is a number`() throws
  {
    #expect(
      try json("NSArray", [("NS.objects", .array([.real(1), .integer(1), .real(1e300)]))])
        == "[1.0,1,1e+300]"
    )
    #expect(try json("NSDate", [("NS.time", .real(1e300))]) == #"{"$date":1e+300}"#)
  }

  @Test func `index sets, index paths and values are read`() throws {
    #expect(
      try json(
        "NSIndexSet",
        [("NSRangeCount", .integer(2)), ("NSRangeData", .data([1, 2, 0x90, 3, 1]))]
      )
        == #"{"$indexSet":[{"length":2,"location":1},{"length":1,"location":400}]}"#
    )
    #expect(try json("NSIndexPath", [("NSIndexPathLength", .integer(0))]) == #"{"$indexPath":[]}"#)
    #expect(
      try json(
        "NSIndexPath",
        [("NSIndexPathLength", .integer(2)), ("NSIndexPathData", .data([5, 0x80, 1]))]
      ) == #"{"$indexPath":[5,128]}"#
    )
    #expect(
      try json(
        "NSValue",
        [("NS.special", .integer(3)), ("NS.rectval", .string("{{1, 2}, {3, 4}}"))]
      )
        == #"{"$rect":"{{1, 2}, {3, 4}}"}"#
    )
    #expect(
      try json(
        "NSValue",
        [
          ("NS.special", .integer(4)), ("NS.rangeval.location", .integer(7)),
          ("NS.rangeval.length", .integer(8)),
        ]
      ) == #"{"$range":{"length":8,"location":7}}"#
    )
  }

  @Test func `an attributed string keeps its runs`() throws {
    let runs = PropertyList.array([
      .dictionary([]), .dictionary([.init(name: "b", value: .integer(1))]),
    ])
    #expect(
      try json(
        "NSMutableAttributedString",
        "NSAttributedString",
        [
          ("NSString", .string("0😀3")), ("NSAttributes", runs),
          ("NSAttributeInfo", .data([1, 0, 3, 1])),
        ]
      ) == #"{"$attributedString":{"runs":[{"attributes":{},"length":1},"#
        + #"{"attributes":{"b":1},"length":3}],"string":"0😀3"}}"#
    )
    #expect(
      try json("NSAttributedString", [("NSString", .string("ab"))])
        == #"{"$attributedString":{"runs":[],"string":"ab"}}"#
    )
  }

  @Test func `an unexpected key in an archived object keeps the object whole`() throws {
    #expect(
      try json(
        "NSURL",
        [("NS.relative", .string("x")), ("NS.base", .uid(0)), ("extra", .integer(1))]
      )
        == #"{"$class":"NSURL","NS.base":null,"NS.relative":"x","extra":1}"#
    )
    #expect(
      try json(
        "NSAttributedString",
        [("NSString", .string("ab")), ("NSAttributeInfo", .data([9, 0]))]
      )
        == #"{"$class":"NSAttributedString","NSAttributeInfo":{"$base64":"CQA="},"NSString":"ab"}"#
    )
    #expect(
      try json("NSOrderedSet", [("NS.object.0", .integer(1)), ("NS.object.2", .integer(3))])
        == #"{"$class":"NSOrderedSet","NS.object.0":1,"NS.object.2":3}"#
    )
  }

  @Test func `a mutable class is understood without its ancestors`() throws {
    #expect(try json("NSMutableData", [("NS.data", .data([1]))]) == #"{"$base64":"AQ=="}"#)
  }

  @Test func `a subclass of an app keeps its name`() throws {
    #expect(
      try json("App.List", "NSMutableArray", "NSArray", [("NS.objects", .array([.integer(1)]))])
        == #"{"$class":"App.List","$value":[1]}"#
    )
  }

  @Test func `archive names that begin with a dollar sign are distinguished from Ferry's own`()
    throws
  {
    #expect(
      try json(
        "NSDictionary",
        [("NS.keys", .array([.string("$date")])), ("NS.objects", .array([.integer(1)]))]
      )
        == #"{"$$date":1}"#
    )
    #expect(try json("App.Box", [("$0", .integer(1))]) == #"{"$class":"App.Box","$$0":1}"#)
  }

  @Test func `archive keys that are not text become pairs`() throws {
    #expect(
      try json(
        "NSDictionary",
        [("NS.keys", .array([.integer(1)])), ("NS.objects", .array([.integer(2)]))]
      )
        == #"{"$dictionary":[{"key":1,"value":2}]}"#
    )
  }

  @Test func `a null object under a key is distinguished from nil`() throws {
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(class: 2, [("a", .uid(0)), ("b", .uid(3))]),
      ArchiveSample.record("App.Box"), ArchiveSample.object(class: 4, []),
      ArchiveSample.record("NSNull"),
    ])
    #expect(
      try ArchiveSample.text(archive)
        == #"{"$class":"App.Box","a":null,"b":{"$class":"NSNull"}}"#
    )
  }

  @Test func `an archive of several top objects keeps them all`() throws {
    let list = PropertyList.dictionary([
      .init(name: "$version", value: .integer(100_000)),
      .init(name: "$archiver", value: .string("NSKeyedArchiver")),
      .init(
        name: "$top",
        value: .dictionary([
          .init(name: "root", value: .uid(1)), .init(name: "$0", value: .uid(1)),
        ])
      ),
      .init(name: "$objects", value: .array([.string("$null"), .string("x")])),
    ])
    #expect(
      try ArchiveSample.text(KeyedArchive(list)) == #"{"$top":{"$$0":"x","root":"x"}}"#
    )
  }

  @Test func `an archive in XML is read like a binary one`() throws {
    let text = """
      <dict><key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$version</key><integer>100000</integer>
      <key>$top</key><dict><key>root</key><dict><key>CF$UID</key><integer>1</integer></dict></dict>
      <key>$objects</key><array><string>$null</string><string>x</string></array></dict>
      """
    #expect(try ArchiveSample.text(KeyedArchive(bytes: Array(text.utf8))) == #""x""#)
  }

  @Test func `an archive whose data expands beyond a limit is refused`() throws {
    let many = PropertyList.array(Array(repeating: .uid(3), count: 1000))
    let archive = try ArchiveSample.archive([
      ArchiveSample.object(class: 2, [("NS.objects", many)]), ArchiveSample.record("NSArray"),
      .data(Array(repeating: 1, count: 100_000)),
    ])
    let limits = PropertyListLimits(depth: 9, nodeCount: 9999, textSize: 1 << 20)
    #expect(throws: PropertyListError.beyondLimit("the archive unfolds to more than 1048576 bytes"))
    {
      try archive.json(limits: limits)
    }
  }

  /// The JSON of one object of a class and its ancestors.
  private func json(
    _ names: String...,
    with members: [(String, PropertyList)]
  ) throws -> String {
    let record = PropertyList.dictionary([
      .init(name: "$classname", value: .string(names[0])),
      .init(name: "$classes", value: .array((names + ["NSObject"]).map { .string($0) })),
    ])
    return try ArchiveSample.text(
      ArchiveSample.archive([ArchiveSample.object(class: 2, members), record])
    )
  }

  private func json(_ name: String, _ members: [(String, PropertyList)]) throws -> String {
    try json(name, with: members)
  }

  private func json(
    _ name: String,
    _ above: String,
    _ members: [(String, PropertyList)]
  ) throws -> String {
    try json(name, above, with: members)
  }

  private func json(
    _ name: String,
    _ above: String,
    _ root: String,
    _ members: [(String, PropertyList)]
  ) throws -> String {
    try json(name, above, root, with: members)
  }
}
