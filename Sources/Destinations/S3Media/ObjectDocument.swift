import XMLAccess

/// The elements of an S3 answer: a root, and lists of small elements inside of it.
struct ObjectDocument: Sendable {
  /// The root element's name; empty when the answer is no sound XML.
  private(set) var root = ""
  /// The text of the elements that hold no others, by their way from the root: `Part/ETag`.
  private var entries: [(way: String, text: String)] = []

  /// A document without anything.
  init() {}

  /// Reads an answer; what is not sound XML to its end counts as nothing.
  init(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    do throws(XMLError) {
      var reading = ObjectDocument()
      try reading.read(XMLEventReader(bytes: bytes))
      self = reading
    } catch {
      return
    }
  }

  private mutating func read(_ reader: XMLEventReader) throws(XMLError) {
    var way: [String] = []
    var text: [UInt8] = []
    while let event = try reader.next() {
      switch event {
      case .start(let name, _):
        let plain = name.split(separator: ":").last.map(String.init) ?? name
        if root.isEmpty { root = plain } else { way.append(plain) }
        text = []
      case .text(let piece): text += piece
      case .end:
        guard !way.isEmpty else { continue }
        entries.append((way.joined(separator: "/"), String(decoding: text, as: UTF8.self)))
        way.removeLast()
        text = []
      }
    }
  }

  /// The text of the first element on this way.
  func first(_ way: String) -> String? { entries.first { $0.way == way }?.text }

  /// The elements called `name` right below the root, each as its members' texts.
  func list(_ name: String) -> [[String: String]] {
    var items: [[String: String]] = []
    var item: [String: String] = [:]
    for entry in entries {
      if entry.way == name {
        items.append(item)
        item = [:]
      } else if entry.way.hasPrefix(name + "/") {
        item[String(entry.way.dropFirst(name.count + 1))] = entry.text
      }
    }
    return items
  }
}
