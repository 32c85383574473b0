import DestinationModel
import HTTPTransport
import Testing

/// Addresses from outside, of all forms.
struct HTTPAddressTests {
  @Test(arguments: [
    ("http://Example.com", "http://example.com/"),
    ("HTTPS://example.com:443/a?b=c#d", "https://example.com/a?b=c"),
    ("http://example.com:65535/a b", "http://example.com:65535/a%20b"),
    ("https://[2001:DB8::1]:8443/é", "https://[2001:db8::1]:8443/%C3%A9"),
    ("http://example.com?x=[1]&y=100%", "http://example.com/?x=%5B1%5D&y=100%25"),
    ("http://example.com/%41%zz", "http://example.com/%41%25zz"),
  ])
  func `an address is written in one way`(text: String, address: String) throws {
    #expect(try HTTPAddress(text).description == address)
  }

  @Test(arguments: [
    ("http://example.com:65536/", HTTPAddress.Fault.port), ("http://example.com:66000", .port),
    ("http://example.com:99999999999999999999/", .port), ("http://example.com:0/", .port),
    ("http://example.com:-1/", .port), ("http://example.com:+80/", .port),
    ("http://example.com:8x/", .port), ("http://example.com:/", .port), ("http://:80/", .noHost),
    ("http:///a", .noHost), ("http://a@example.com/", .login), ("ftp://example.com/", .otherScheme),
    ("example.com", .noScheme), ("http://exa mple.com/", .host), ("http://[::1/", .host),
    ("http://[127.0.0.1]/", .host), ("http://ex%61mple.com/", .host), ("http://bücher.de/", .host),
    ("http://example.com/a\nb", .unreadable),
  ])
  func `an unparsable address is nil`(text: String, fault: HTTPAddress.Fault) {
    #expect(throws: fault) { try HTTPAddress(text) }
  }

  @Test func `a backslash ends the host of an address`() throws {
    let address = try HTTPAddress(#"http://example.com\@127.0.0.1/"#)
    #expect(address.host == "example.com")
  }

  @Test(arguments: [
    ("?x=2", "http://a/b/c/d?x=2"), ("g", "http://a/b/c/g"), ("./g", "http://a/b/c/g"),
    ("g/", "http://a/b/c/g/"), ("/g", "http://a/g"), ("//g", "http://g/"), ("../g", "http://a/b/g"),
    ("../../../g", "http://a/g"), ("g;x=1/../y", "http://a/b/c/y"), ("", "http://a/b/c/d?q"),
    ("#s", "http://a/b/c/d?q"), ("g?y/./x", "http://a/b/c/g?y/./x"), ("..", "http://a/b/"),
    ("http://b/x", "http://b/x"), ("a:b", "none"), ("//g:70000/", "none"),
  ])
  func `a relative reference is resolved against its base`(reference: String, address: String)
    throws
  {
    let base = try HTTPAddress("http://a/b/c/d?q")
    if address == "none" {
      #expect(throws: HTTPAddress.Fault.self) { try base.resolving(reference) }
    } else {
      #expect(try base.resolving(reference).description == address)
    }
  }

  @Test(arguments: [
    "127.0.0.1", "127.255.0.3", "0.0.0.0", "10.1.2.3", "172.16.0.1", "172.31.255.255",
    "192.168.1.1", "169.254.169.254", "100.64.0.1", "198.18.0.1", "224.0.0.1", "255.255.255.255",
    "192.0.2.1", "::", "::1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1",
    "::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "64:ff9b::127.0.0.1", "2002:7f00:1::",
    "2001:db8::1", "2001::1", "::127.0.0.1", "fec0::1",
  ])
  func `addresses of this machine and its network are not public`(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(!address.isPublic)
  }

  @Test(arguments: [
    "1.1.1.1", "8.8.8.8", "172.32.0.1", "100.128.0.1", "192.0.1.1", "223.255.255.255",
    "2606:4700:4700::1111", "2001:4860:4860::8888", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
  ])
  func `addresses of the Internet are public`(text: String) throws {
    let address = try #require(IPAddress(text))
    #expect(address.isPublic)
  }

  @Test(arguments: [
    "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "1.2.3.256", "1.2.3", "a.b.c.d", "",
    ":::", "1::2::3", "12345::", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "::1.2.3",
  ])
  func `unusual forms of host names are left to the resolver`(text: String) {
    #expect(IPAddress(text) == nil)
  }

  @Test func `a request without a valid address is not sent`() async throws {
    let transport = HTTPTransport()
    for url in ["http://127.0.0.1:66000/", "http://127.0.0.1:99999999999/", "http://", "nothing"] {
      await #expect(throws: HTTPFailure.self) {
        try await transport.perform(HTTPRequest(method: "GET", url: url))
      }
    }
    await transport.shutdown()
  }

  private static let variables = [
    "https_proxy": "http://me:secret@proxy.example.com:3128",
    "HTTP_PROXY": "plain.example.com:8080",
    "NO_PROXY": "example.org, .internal,10.0.0.0/8,11.0.0.0/-1,special.example.net:8443",
  ]

  @Test(arguments: [
    ("https://api.example.com/", "proxy.example.com:3128"),
    ("http://api.example.com/", "plain.example.com:8080"), ("https://example.org/", nil),
    ("https://www.example.org/", nil), ("https://notexample.org/", "proxy.example.com:3128"),
    ("https://db.internal/", nil), ("https://10.20.30.40/", nil), ("https://localhost/", nil),
    ("https://11.20.30.40/", "proxy.example.com:3128"), ("http://127.0.0.1:8080/", nil),
    ("http://[::1]/", nil), ("https://special.example.net:8443/", nil),
    ("https://special.example.net/", "proxy.example.com:3128"),
  ])
  func `proxies are those of the environment`(address: String, proxy: String?) throws {
    let found = try ProxySettings(Self.variables).proxy(for: try HTTPAddress(address))
    #expect(found.map { "\($0.host):\($0.port)" } == proxy)
  }

  @Test(arguments: [
    ("socks5://proxy.example.com:1081", 1081), ("SOCKS5H://proxy.example.com", 1080),
    ("socks5://proxy.example.com/", 1080), ("http://proxy.example.com", 80),
  ])
  func `a proxy takes HTTP or SOCKS 5, at its own port`(text: String, port: Int) throws {
    let found = try ProxySettings(["ALL_PROXY": text])
      .proxy(for: try HTTPAddress("https://api.example.com/"))
    #expect(found?.host == "proxy.example.com")
    #expect(found?.port == port)
  }

  @Test func `an invalid proxy is reported without its password`() {
    for text in [
      "http://me:secret@proxy:99999", "socks5://me:secret@proxy:1080", "socks4://secret@proxy:1080",
    ] {
      let error = #expect(throws: DestinationError.self) {
        try ProxySettings(["HTTPS_PROXY": text])
      }
      #expect(error?.description.contains("HTTPS_PROXY") == true)
      #expect(error?.description.contains("secret") == false)
    }
    #expect(throws: Never.self) {
      try ProxySettings(["REQUEST_METHOD": "GET", "HTTP_PROXY": "::"])
    }
  }
}
