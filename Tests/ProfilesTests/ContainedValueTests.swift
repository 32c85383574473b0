import JSONText
import ProfileSettings
import Profiles
import RecordMapping
import Records
import Testing

/// Bytes that hold a value: a keyed archive, a property list, JSON, or a UUID.
struct ContainedValueTests {
  private func record(
    _ value: TestRow.Value,
    as reading: String,
    _ losses: inout [RecordLoss]
  ) throws -> JSONValue {
    try SampleApp.record(["title": .text("t"), "blob": value], losses: &losses) {
      $0.replacing(
        "      mood: mood\n      place",
        with: "      blob: { attribute: blob, as: \(reading) }\n      mood: mood\n      place"
      )
    }
  }

  private static func list(_ content: String) -> TestRow.Value {
    .blob(Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(content)</plist>".utf8))
  }

  /// An archive of the text `hi`.
  private static let archive = list(
    "<dict><key>$archiver</key><string>NSKeyedArchiver</string>"
      + "<key>$version</key><integer>100000</integer>"
      + "<key>$top</key><dict><key>root</key>"
      + "<dict><key>CF$UID</key><integer>1</integer></dict></dict>"
      + "<key>$objects</key><array><string>$null</string><string>hi</string></array></dict>"
  )
  private static let settings = list(
    "<dict><key>name</key><string>Ada</string><key>count</key><integer>3</integer>"
      + "<key>data</key><data>AQI=</data></dict>"
  )
  private static let uuid = TestRow.Value.blob([
    0x01, 0x23, 0x45, 0x67, 0x89, 0xAB, 0x4C, 0xDE, 0x80, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77,
  ])

  @Test(arguments: [
    (archive, "archive", "\"hi\""),
    (settings, "plist", "{\"count\":3,\"data\":{\"$base64\":\"AQI=\"},\"name\":\"Ada\"}"),
    (.blob(Array("{\"b\": [1, 2]}".utf8)), "json", "{\"b\":[1,2]}"),
    (uuid, "uuid", "\"01234567-89AB-4CDE-8011-223344556677\""), (.null, "archive", "null"),
  ])
  func `bytes are read as the profile says`(value: TestRow.Value, reading: String, text: String)
    throws
  {
    var losses: [RecordLoss] = []
    #expect(try record(value, as: reading, &losses)["blob"]?.canonicalText == text)
    #expect(losses.isEmpty)
  }

  @Test(arguments: [
    (settings, "archive"), (archive, "plist"), (.blob([1, 2]), "archive"),
    (.blob([1, 2]), "plist"),
    (.blob(Array("bplist00 and no more".utf8)), "plist"), (.blob([]), "archive"),
    (.blob(Array("{\"a\":1}".utf8)), "plist"),
  ])
  func `bytes that are not what the profile names are kept and reported`(
    value: TestRow.Value,
    reading: String
  ) throws {
    var losses: [RecordLoss] = []
    let record = try record(value, as: reading, &losses)
    #expect(record["blob"]?["$base64"]?.text != nil, "\(record)")
    #expect(losses == [RecordLoss(kind: .notDecoded, member: "blob")])
  }

  @Test func `a UUID of another length is kept and reported`() throws {
    var losses: [RecordLoss] = []
    let record = try record(.blob([1, 2, 3]), as: "uuid", &losses)
    #expect(record["blob"] == ["$base64": "AQID"])
    #expect(losses == [RecordLoss(kind: .otherKind, member: "blob")])
  }

  @Test(arguments: ["archive", "plist", "uuid"])
  func `an attribute that holds no bytes is refused with the cure`(reading: String) throws {
    let profile = try SampleApp.profile {
      $0.replacing(
        "      title: title\n",
        with: "      title: { attribute: title, as: \(reading) }\n"
      )
    }
    let error = #expect(throws: ProfileError.self) {
      try CompiledExport(profile: profile, model: SampleApp.model)
    }
    let text = error.map { "\($0)" } ?? ""
    #expect(text.contains("“title” does not hold bytes"), "\(text)")
  }
}
