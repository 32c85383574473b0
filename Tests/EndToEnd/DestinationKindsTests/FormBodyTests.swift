import HTTPTransport
import Testing

struct FormBodyTests {
  private func size(fileName: String) -> Int64 {
    FormBody(
      fields: [],
      part: "file",
      fileName: fileName,
      mediaType: "image/png",
      content: .bytes([]),
      size: 0,
      boundary: "boundary"
    ).size
  }

  @Test func `a line break or a quote in a file name does not end its line`() {
    #expect(size(fileName: "a\r\nb") == size(fileName: "a%0D%0Ab"))
    #expect(size(fileName: "a\"\u{301}b") == size(fileName: "a%22\u{301}b"))
  }
}
