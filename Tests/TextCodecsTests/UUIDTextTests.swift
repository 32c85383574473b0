import Testing
import TextCodecs

struct UUIDTextTests {
  private static let bytes: [UInt8] = [
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
  ]
  private static let text = "00112233-4455-6677-8899-AABBCCDDEEFF"

  @Test func `16 bytes become UUID text in capitals, any other count is nil`() {
    #expect(UUIDText.text(Self.bytes) == Self.text)
    #expect(UUIDText.text(0x0011_2233_4455_6677, 0x8899_AABB_CCDD_EEFF) == Self.text)
    for count in [0, 15, 17, 32] {
      #expect(UUIDText.text([UInt8](repeating: 7, count: count)) == nil)
    }
  }

  @Test func `letters of either case are a UUID, for Core Data's files only capitals`() {
    for text in [Self.text, Self.text.lowercased(), "aA112233-4455-6677-8899-aAbBCcDdEeFf"] {
      #expect(UUIDText.isUUID(text.utf8))
      Array(text.utf8).withUnsafeBytes { bytes in
        #expect(UUIDText.isUUID(bytes))
        #expect(UUIDText.isUpperCaseUUID(bytes) == (text == Self.text))
      }
    }
  }

  // https://www.rfc-editor.org/rfc/rfc9562#appendix-A and sections 5.9 and 5.10
  @Test(arguments: [
    "C232AB00-9414-11EC-B3C8-9F6BDECED846", "5df41881-3aed-3515-88a7-2f4a814cf09e",
    "919108f7-52d1-4320-9bac-f847db4148a8", "2ed6657d-e927-568b-95e1-2665a8aea6a2",
    "1EC9414C-232A-6B00-B3C8-9F6BDECED846", "017F22E2-79B0-7CC3-98C4-DC0C0C07398F",
    "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  ])
  func `the examples of RFC 9562 are read and written`(text: String) {
    #expect(UUIDText.isUUID(text.utf8))
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    #expect(
      Hexadecimal.bytes(digits, .eitherCase).flatMap { UUIDText.text($0) } == text.uppercased()
    )
  }

  @Test func `a text with a wrong byte in any place is refused as a UUID`() {
    let text = Array(Self.text.utf8)
    for place in text.indices {
      for byte in [0, 0x20, 0x2F, 0x3A, 0x40, 0x47, 0x60, 0x67, 0x80, 0xB0, 0xE1, 0xFF] as [UInt8] {
        var other = text
        other[place] = byte
        #expect(!UUIDText.isUUID(other), "\(byte) at \(place)")
      }
      var other = text
      other[place] = text[place] == UInt8(ascii: "-") ? UInt8(ascii: "0") : UInt8(ascii: "-")
      #expect(!UUIDText.isUUID(other))
      other.remove(at: place)
      #expect(!UUIDText.isUUID(other))
    }
    for text in ["", "{\(Self.text)}", Self.text + "0", Self.text.filter { $0 != "-" }] {
      #expect(!UUIDText.isUUID(text.utf8))
    }
  }
}
