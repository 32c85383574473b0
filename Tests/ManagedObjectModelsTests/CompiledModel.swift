/// Lays the objects of a compiled model out as an archive in XML, which is how the first ones were
/// written and what a person can read.
struct CompiledModel {
  private var objects = ["<string>$null</string>"]

  /// Keeps an object and gives what refers to it.
  mutating func keep(_ value: String) -> String {
    objects.append(value)
    return "<dict><key>CF$UID</key><integer>\(objects.count - 1)</integer></dict>"
  }

  mutating func text(_ text: String) -> String { keep("<string>\(text)</string>") }

  mutating func object(_ className: String, _ members: [(String, String)]) -> String {
    let name = keep(
      "<dict><key>$classname</key><string>\(className)</string>"
        + "<key>$classes</key><array><string>\(className)</string></array></dict>"
    )
    return keep(Self.dictionary(members + [("$class", name)]))
  }

  mutating func list(_ elements: [String]) -> String {
    object("NSArray", [("NS.objects", "<array>\(elements.joined())</array>")])
  }

  mutating func pairs(_ pairs: [(String, String)]) -> String {
    let keys = pairs.map { text($0.0) }.joined()
    return object(
      "NSDictionary",
      [
        ("NS.keys", "<array>\(keys)</array>"),
        ("NS.objects", "<array>\(pairs.map(\.1).joined())</array>"),
      ]
    )
  }

  /// An attribute of a number that represents its type.
  mutating func attribute(
    _ name: String,
    type: Int = 700,
    _ members: [(String, String)] = [],
    className: String = "NSAttributeDescription"
  ) -> String {
    let own = [("NSPropertyName", text(name)), ("NSAttributeType", "<integer>\(type)</integer>")]
    let ofAttributes = keep(
      "<dict><key>$classname</key><string>\(className)</string><key>$classes</key><array>"
        + "<string>\(className)</string><string>NSAttributeDescription</string></array></dict>"
    )
    return keep(Self.dictionary(own + members + [("$class", ofAttributes)]))
  }

  mutating func entity(
    _ name: String,
    _ properties: [(String, String)],
    _ members: [(String, String)] = []
  ) -> String {
    let own = [("NSEntityName", text(name)), ("NSProperties", pairs(properties))]
    return object("NSEntityDescription", own + members)
  }

  /// The file, whose root is the model of these entities.
  mutating func bytes(
    _ entities: [(String, String)],
    _ members: [(String, String)] = []
  ) -> [UInt8] {
    let list = pairs(entities)
    let root = object("NSManagedObjectModel", [("NSEntities", list)] + members)
    return bytes(root: root)
  }

  /// The file with another root, or none.
  func bytes(root: String?) -> [UInt8] {
    let top = root.map { "<key>root</key>\($0)" } ?? ""
    return Array(
      """
      <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
      <key>$version</key><integer>100000</integer>
      <key>$archiver</key><string>NSKeyedArchiver</string>
      <key>$top</key><dict>\(top)</dict>
      <key>$objects</key><array>\(objects.joined())</array></dict></plist>
      """.utf8
    )
  }

  static func dictionary(_ members: [(String, String)]) -> String {
    "<dict>" + members.map { "<key>\($0.0)</key>\($0.1)" }.joined() + "</dict>"
  }
}
