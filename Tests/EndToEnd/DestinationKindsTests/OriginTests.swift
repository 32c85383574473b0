import DestinationModel
import HTTPTransport
import Testing

struct OriginTests {
  @Test(arguments: [
    ("https://API.example.com/", "https://api.example.com", ""),
    ("https://example.com:443/base/", "https://example.com", "/base"),
    ("http://127.0.0.1:8080", "http://127.0.0.1:8080", ""),
    ("http://[::1]:80/x/y", "http://[::1]", "/x/y"),
  ])
  func `an address has an origin and a path`(address: String, text: String, path: String) throws {
    let origin = try Origin(address)
    #expect(origin.text == text)
    #expect(origin.path == path)
  }

  @Test(arguments: [
    "example.com", "ftp://example.com", "https://", "https://user:canary@example.com",
    "https://example.com?a=b", "https://example.com#a", "https://example.com:0",
    "https://example.com:x", "https://exa mple.com", "https://example.com\r\nX: y",
  ])
  func `an address that cannot be used is refused`(address: String) {
    let error = #expect(throws: DestinationError.self) { try Origin(address) }
    #expect(error?.description.contains("canary") == false)
  }

  @Test func `plain text counts as protected only within this machine`() throws {
    #expect(try Origin("http://localhost:8080").isProtected)
    #expect(try Origin("https://example.com").isProtected)
    #expect(try !Origin("http://example.com").isProtected)
    #expect(try !Origin("http://127.example.com").isProtected)
  }
}
