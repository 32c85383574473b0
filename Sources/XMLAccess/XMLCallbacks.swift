import CLibXML2

/// The functions libxml2 calls, each handing over to the ``XMLEventSink`` it was given.
///
/// https://gnome.pages.gitlab.gnome.org/libxml2/html/libxml2-parser.html#xmlSAXHandler
enum XMLCallbacks {
  /// A table with every callback set that is wanted; libxml2 leaves out what is not.
  static func table() -> xmlSAXHandler {
    var table = unsafe xmlSAXHandler()
    unsafe table.initialized = XML_SAX2_MAGIC
    unsafe table.startElementNs = { context, local, prefix, _, spaceCount, spaces, count, _, list in
      guard let sink = unsafe XMLCallbacks.sink(context), let local = unsafe local else { return }
      let name = unsafe sink.pointee.name(local, prefix: prefix)
      guard spaceCount > 0 || count > 0 else {
        return unsafe sink.pointee.start(name: name, attributes: [])
      }
      var attributes: [XMLAttribute] = []
      attributes.reserveCapacity(Int(spaceCount + count))
      unsafe XMLCallbacks.appendNamespaces(spaces, Int(spaceCount), to: &attributes)
      unsafe XMLCallbacks.appendAttributes(list, Int(count), to: &attributes, &sink.pointee)
      unsafe sink.pointee.start(name: name, attributes: attributes)
    }
    unsafe table.endElementNs = { context, _, _, _ in
      unsafe XMLCallbacks.sink(context)?.pointee.end()
    }
    let characters: charactersSAXFunc = { context, start, count in
      guard let sink = unsafe XMLCallbacks.sink(context) else { return }
      unsafe sink.pointee.characters(UnsafeBufferPointer(start: start, count: Int(count)))
    }
    unsafe table.characters = unsafe characters
    unsafe table.ignorableWhitespace = unsafe characters
    unsafe table.cdataBlock = unsafe characters
    unsafe table.processingInstruction = { context, target, content in
      guard let sink = unsafe XMLCallbacks.sink(context), let target = unsafe target else { return }
      let words = unsafe content.map { unsafe String(cString: $0) } ?? ""
      unsafe sink.pointee.instruction(target: String(cString: target), content: words)
    }
    unsafe table.internalSubset = { context, name, publicID, systemID in
      guard let sink = unsafe XMLCallbacks.sink(context), let name = unsafe name else { return }
      let type = unsafe XMLDocumentType(
        name: String(cString: name),
        publicID: publicID.map { unsafe String(cString: $0) },
        systemID: systemID.map { unsafe String(cString: $0) }
      )
      unsafe sink.pointee.begin(type)
    }
    unsafe forbidEntities(&table)
    unsafe table.serror = { context, error in
      guard let sink = unsafe XMLCallbacks.sink(context), let error = unsafe error else { return }
      unsafe XMLCallbacks.report(error.pointee, to: &sink.pointee)
    }
    return unsafe table
  }

  private static func forbidEntities(_ table: inout xmlSAXHandler) {
    unsafe table.entityDecl = { context, _, _, _, _, _ in
      unsafe XMLCallbacks.sink(context)?.pointee.fail(.forbidden, "its DOCTYPE declares an entity")
    }
    unsafe table.unparsedEntityDecl = { context, _, _, _, _ in
      unsafe XMLCallbacks.sink(context)?.pointee.fail(.forbidden, "its DOCTYPE declares an entity")
    }
    unsafe table.attributeDecl = { context, _, _, _, _, _, list in
      unsafe xmlFreeEnumeration(list)
      unsafe XMLCallbacks.sink(context)?.pointee.fail(.forbidden, "its DOCTYPE declares attributes")
    }
    unsafe table.reference = { context, name in
      let words = unsafe name.map { unsafe String(cString: $0) } ?? ""
      unsafe XMLCallbacks.sink(context)?.pointee.fail(
        .malformed,
        "the entity “\(words.prefix(40))” is not defined"
      )
    }
  }

  private static func sink(
    _ context: UnsafeMutableRawPointer?
  ) -> UnsafeMutablePointer<XMLEventSink>? {
    unsafe context?.assumingMemoryBound(to: XMLEventSink.self)
  }

  private static func report(_ error: xmlError, to sink: inout XMLEventSink) {
    let level = unsafe error.level
    guard level == XML_ERR_ERROR || level == XML_ERR_FATAL else { return }
    let words = unsafe error.message.map { unsafe String(cString: $0) } ?? "it is damaged"
    // libxml2 has no code of its own for what is beyond the limits that XML_PARSE_HUGE would lift.
    if words.contains("Huge input lookup") || words.contains("XML_PARSE_HUGE") {
      return sink.fail(
        .beyondLimit,
        "a section, comment or text that is too long",
        line: Int(unsafe error.line) + sink.lineOffset
      )
    }
    // Of a document that is cut off it says that there is more behind its end. The reader shows that.
    if unsafe error.code == CInt(XML_ERR_DOCUMENT_END.rawValue), !sink.hasRoot || sink.depth > 0 {
      return
    }
    let clause = words.unicodeScalars.prefix(200).filter { $0.value >= 0x20 && $0.value != 0x7F }
    let isEncoding = [
      XML_ERR_INVALID_ENCODING.rawValue, XML_ERR_UNSUPPORTED_ENCODING.rawValue,
      XML_ERR_INVALID_CHAR.rawValue, 6003,
    ].contains(UInt32(bitPattern: unsafe error.code))
    sink.fail(
      isEncoding ? .encoding : .malformed,
      String(String.UnicodeScalarView(clause)),
      line: Int(unsafe error.line) + sink.lineOffset,
      column: Int(unsafe error.int2)
    )
  }

  /// Namespaces come as pairs: prefix or `NULL`, address.
  private static func appendNamespaces(
    _ spaces: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?,
    _ count: Int,
    to attributes: inout [XMLAttribute]
  ) {
    guard let spaces = unsafe spaces else { return }
    for index in 0..<count {
      let prefix = unsafe spaces[index * 2].map { unsafe ":" + String(cString: $0) } ?? ""
      let address = unsafe spaces[index * 2 + 1].map { unsafe String(cString: $0) } ?? ""
      attributes.append(XMLAttribute(name: "xmlns" + prefix, value: address))
    }
  }

  /// Attributes come as five pointers: name, prefix, namespace, start and end of the value.
  private static func appendAttributes(
    _ list: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?,
    _ count: Int,
    to attributes: inout [XMLAttribute],
    _ sink: inout XMLEventSink
  ) {
    guard let list = unsafe list else { return }
    for index in 0..<count {
      guard let local = unsafe list[index * 5], let start = unsafe list[index * 5 + 3],
        let end = unsafe list[index * 5 + 4]
      else { continue }
      let bytes = unsafe UnsafeBufferPointer(start: start, count: end - start)
      let name = unsafe sink.name(local, prefix: list[index * 5 + 1])
      attributes.append(
        XMLAttribute(
          name: sink.names[Int(name)],
          value: unsafe String(decoding: bytes, as: UTF8.self)
        )
      )
    }
  }
}

extension XMLCallbacks {
  /// What has to happen once before libxml2 is used by several threads.
  private static let isReady: Bool = {
    xmlInitParser()
    return true
  }()

  /// A push parser that speaks to `sink` and reaches nothing outside of its document.
  static func parser(
    for sink: UnsafeMutablePointer<XMLEventSink>,
    ignoresDeclaredEncoding: Bool
  ) -> xmlParserCtxtPtr? {
    guard isReady else { return nil }
    var table = unsafe table()
    guard let parser = unsafe xmlCreatePushParserCtxt(&table, sink, nil, 0, nil) else {
      return nil
    }
    // No XML_PARSE_NOENT, _DTDLOAD, _DTDATTR, _XINCLUDE and, for its limits' sake, no _HUGE.
    var options = Int32(XML_PARSE_NONET.rawValue)
    if ignoresDeclaredEncoding { options |= Int32(XML_PARSE_IGNORE_ENC.rawValue) }
    _ = unsafe xmlCtxtUseOptions(parser, options)
    unsafe sink.pointee.attach(parser)
    return unsafe parser
  }
}

extension XMLEventSink {
  /// Keeps what the guard refused.
  mutating func fail(refusal: XMLGuard.Refusal) {
    switch refusal {
    case .nul: fail(.malformed, "a zero byte, which no XML document has")
    case .markupSize: fail(.beyondLimit, "a tag, comment or instruction that is too long")
    case .attributeCount: fail(.beyondLimit, "a tag with too many attributes")
    case .declarations(let lineCount):
      fail(
        .forbidden,
        "its DOCTYPE has declarations of its own",
        line: max(line, lineOffset + 1) + lineCount
      )
    }
  }
}
