import Patterns
import TextCodecs

extension SchemaFormat {
  /// Whether `text` is in the format.
  package func accepts(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { unsafe accepts(UnsafeRawBufferPointer($0)) }
  }

  /// Whether `text`, which is well-formed UTF-8, is in the format.
  package func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
    var reader = unsafe ByteReader(text)
    switch self {
    case .dateTime: return reader.takeDateTime() && reader.isAtEnd
    case .date: return reader.takeDate() && reader.isAtEnd
    case .time: return reader.takeTime() && reader.isAtEnd
    case .duration: return reader.takeDuration() && reader.isAtEnd
    case .email: return reader.takeMailbox(isInternational: false)
    case .idnEmail: return reader.takeMailbox(isInternational: true)
    case .hostname: return unsafe Hostname.accepts(text)
    case .idnHostname: return unsafe Hostname.acceptsInternational(text)
    case .ipv4: return reader.takeIPv4() && reader.isAtEnd
    case .ipv6: return reader.takeIPv6() && reader.isAtEnd
    case .uri: return reader.takeURI(isInternational: false, needsScheme: true)
    case .uriReference: return reader.takeURI(isInternational: false, needsScheme: false)
    case .iri: return reader.takeURI(isInternational: true, needsScheme: true)
    case .iriReference: return reader.takeURI(isInternational: true, needsScheme: false)
    case .uuid: return unsafe UUIDText.isUUID(text)
    case .uriTemplate: return reader.takeURITemplate()
    case .jsonPointer: return reader.takeJSONPointer()
    case .relativeJSONPointer: return reader.takeRelativeJSONPointer()
    case .regex: return unsafe Pattern.isWellFormed(String(decoding: text, as: UTF8.self))
    }
  }

  /// What the format asks for, in words.
  package var words: String {
    switch self {
    case .dateTime: "a date and time such as 2026-01-31T09:30:00Z"
    case .date: "a date such as 2026-01-31"
    case .time: "a time with its zone, such as 09:30:00Z"
    case .duration: "a duration such as P3DT12H"
    case .email, .idnEmail: "an e-mail address"
    case .hostname, .idnHostname: "a host name such as example.com"
    case .ipv4: "an IPv4 address such as 192.0.2.1"
    case .ipv6: "an IPv6 address such as 2001:db8::1"
    case .uri, .iri: "a full address such as https://example.com/a"
    case .uriReference, .iriReference: "an address, full or relative"
    case .uuid: "a UUID such as 123e4567-e89b-12d3-a456-426614174000"
    case .uriTemplate: "an address template such as /heroes/{id}"
    case .jsonPointer: "a JSON Pointer such as /heroes/0"
    case .relativeJSONPointer: "a relative JSON Pointer such as 1/name"
    case .regex: "an ECMA-262 regular expression"
    }
  }
}
