import JSONText
import SchemaValidation
import Testing

struct SchemaFormatTests {
  private func accepts(_ format: String, _ text: String) throws -> Bool {
    let set = try SchemaSet(schemas: [("urn:f", Array("{\"format\":\"\(format)\"}".utf8))])
    let document = JSONDocument()
    try document.parse(copying: JSONValue.string(text).canonicalBytes)
    return try set.schema(at: "urn:f").isValid(document, document.root)
  }

  @Test(arguments: [
    ("date-time", "1963-06-19T08:30:06.283185Z"), ("date-time", "1998-12-31T15:59:60.123-08:00"),
    ("date-time", "1963-06-19t08:30:06z"), ("date", "2024-02-29"), ("date", "0000-01-01"),
    ("time", "23:59:60Z"), ("time", "08:30:06+00:20"), ("time", "01:29:60+01:30"),
    ("time", "23:29:60+23:30"), ("time", "00:29:60+00:30"), ("duration", "P4DT12H30M5S"),
    ("duration", "P1M"), ("duration", "PT1M"), ("duration", "P2W"), ("duration", "PT0S"),
    ("duration", "P1Y2M3DT4H5M6S"), ("email", "te~st@example.com"), ("email", "\"joe b\"@x.org"),
    ("email", "a@[127.0.0.1]"), ("email", "a@[IPv6:::1]"), ("hostname", "xn--4gbwdl.xn--wgbh1c"),
    ("hostname", "a.b-c.d1"), ("ipv4", "0.0.0.0"), ("ipv6", "::"), ("ipv6", "::1"),
    ("ipv6", "1::d6:192.168.0.1"), ("ipv6", "::ffff:192.168.0.1"), ("ipv6", "1:2:3:4:5:6:7:8"),
    ("ipv6", "1:2:3:4:5:6:7::"), ("ipv6", "::2:3:4:5:6:7:8"),
    ("ipv6", "1000:1000:1000:1000:1000:1000:255.255.255.255"),
    ("uri", "urn:oasis:names"), ("uri", "http://[2001:db8::7]/c=GB?one"), ("uri", "tel:+1-816"),
    ("uri-reference", "/a"), ("iri", "http://ƒøø.ßår/?∂éœ=πîx"),
    ("uuid", "2EB8AA08-AA98-11EA-B4AA-73B441D16380"),
    ("json-pointer", "/a~1b/~0"), ("relative-json-pointer", "0#"), ("relative-json-pointer", "1/a"),
    ("uri-template", "/h/{id}{?q*}"), ("idn-hostname", "실례.테스트"), ("regex", "(?<=a+)b"),
  ])
  func `text in the format is accepted`(format: String, text: String) throws {
    #expect(try accepts(format, text))
  }

  @Test(arguments: [
    ("date-time", "1990-12-31T15:59:59-24:00"), ("date-time", "1998-12-31T23:58:60Z"),
    ("date-time", "1963-06-19 08:30:06Z"), ("date-time", "1963-06-19T08:30:06"),
    ("date", "2021-02-29"), ("date", "1963-6-19"), ("date", "2020-11-31"), ("date", "1963-06-1৪"),
    ("date", "2021-02-29\n"), ("time", "22:59:60Z"), ("time", "23:59:61Z"), ("time", "12:00:00"),
    ("time", "08:30:06.Z"), ("time", "24:00:00Z"), ("time", "01:02:03Z+00:30"),
    ("duration", "PT1D"),
    ("duration", "P"), ("duration", "P1YT"), ("duration", "PT"), ("duration", "P2D1Y"),
    ("duration", "P1D2H"), ("duration", "P2S"), ("duration", "P1Y2W"), ("duration", "P1"),
    ("duration", "P1Y1D"), ("duration", "PT1H1S"), ("duration", "P0.5Y"), ("duration", "4DT12H"),
    ("email", "2962"), ("email", ".a@b.c"), ("email", "a..b@c.d"), ("email", "a@b@c"),
    ("email", "a@[127.0.0.300]"), ("email", "joe b@x.org"), ("hostname", "-a"),
    ("hostname", "a..b"),
    ("hostname", "a_b"), ("hostname", "xn--X"), ("hostname", "ab--cd.e"), ("hostname", ""),
    ("ipv4", "127.0.0"), ("ipv4", "01.1.1.1"), ("ipv4", "1.1.1.256"), ("ipv4", "1২7.0.0.1"),
    ("ipv6", ""), ("ipv6", ":"), ("ipv6", "12345::"), ("ipv6", "1::2::3"),
    ("ipv6", "1:2:3:4:5:6:7"),
    ("ipv6", "1:2:3:4:5:6:7:8:9"), ("ipv6", "::1%eth0"), ("ipv6", "1:2:3:4:5:6:7:8::"),
    ("ipv6", ":2:3:4:5:6:7:8"), ("ipv6", "1:2:3:4:5:6:7:"), ("ipv6", "1::1.2.3"),
    ("ipv6", "::1/64"),
    ("ipv6", "1:2:3:4:5:6:7:1.2.3.4"), ("ipv6", "1.2.3.4"), ("ipv6", "::laptop"),
    ("ipv6", "::1.2.3.4:5"),
    ("uri", "//a.b/c"), ("uri", "a b"), ("uri", "http://a b"), ("uri", "http://a[b"),
    ("uri", "http://x/%zz"), ("uri", "1a:b"), ("uri-reference", "a:b\\c"),
    ("uri-reference", "\\\\a"),
    ("uuid", "2eb8aa08aa9811eab4aa73b441d16380"), ("uuid", "2eb8aa08-aa98-11ea-b4aa-73b441d1638"),
    ("uuid", "2eb8aa08,aa98-11ea-b4aa-73b441d16380"),
    ("json-pointer", "a"), ("json-pointer", "/~2"), ("json-pointer", "/~"),
    ("relative-json-pointer", "01"), ("relative-json-pointer", "-1/a"),
    ("relative-json-pointer", "0##"),
    ("uri-template", "{a"), ("uri-template", "a}"), ("uri-template", "{}"), ("idn-hostname", "〮한"),
    ("idn-hostname", "a·l"), ("regex", "^(abc]"), ("regex", "\\a"),
  ])
  func `text outside the format is refused`(format: String, text: String) throws {
    #expect(try !accepts(format, text))
  }
}
