/// What a DOCTYPE names: the root element, and where declarations for it are said to lie.
///
/// Nothing is ever read from there. The ones that Apple's frameworks write are known by heart and
/// passed over; whatever else is there would have a document mean more than it says.
struct XMLDocumentType: Hashable {
  let name: String
  var publicID: String?
  var systemID: String?

  /// The ones that property lists and the XML stores of Core Data have had over the years.
  private static let known: Set<XMLDocumentType> = [
    XMLDocumentType(name: "plist"),
    XMLDocumentType(
      name: "plist",
      publicID: "-//Apple//DTD PLIST 1.0//EN",
      systemID: "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
    ),
    XMLDocumentType(
      name: "plist",
      publicID: "-//Apple Computer//DTD PLIST 1.0//EN",
      systemID: "http://www.apple.com/DTDs/PropertyList-1.0.dtd"
    ),
    XMLDocumentType(
      name: "plist",
      publicID: "-//Apple//DTD PLIST 1.0//EN",
      systemID: "https://www.apple.com/DTDs/PropertyList-1.0.dtd"
    ),
    XMLDocumentType(
      name: "plist",
      systemID: "file://localhost/System/Library/DTDs/PropertyList.dtd"
    ),
    XMLDocumentType(
      name: "database",
      systemID: "file:///System/Library/DTDs/CoreData.dtd"
    ),
  ]

  var isKnown: Bool { Self.known.contains(self) }

  /// Why one that is not known is refused, as a clause.
  var refusal: String {
    let place = (systemID ?? publicID).map { " “\($0.prefix(80))”" } ?? ""
    return "its DOCTYPE \(name.prefix(40))\(place) is not one of Apple's, and no other is read"
  }
}
