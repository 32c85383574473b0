import Testing
import TextCodecs

struct UUIDTextTests {
  private static let bytes: [UInt8] = [
    0x00, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF,
  ]
  private static let text = "00112233-4455-6677-8899-AABBCCDDEEFF"

  @Test func `16 bytes have a text in capitals, any other count has none`() {
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

  @Test func `another byte in any place makes it none`() {
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
