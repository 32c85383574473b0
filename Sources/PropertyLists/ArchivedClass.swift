/// The classes whose archived form is understood, and the keys each may have.
enum ArchivedClass: String {
  case array = "NSArray"
  case set = "NSSet"
  case orderedSet = "NSOrderedSet"
  case countedSet = "NSCountedSet"
  case dictionary = "NSDictionary"
  case null = "NSNull"
  case string = "NSString"
  case data = "NSData"
  case date = "NSDate"
  case uuid = "NSUUID"
  case url = "NSURL"
  case decimal = "NSDecimalNumber"
  case locale = "NSLocale"
  case indexSet = "NSIndexSet"
  case indexPath = "NSIndexPath"
  case value = "NSValue"
  case attributedString = "NSAttributedString"

  /// Whether every key of an object is one that the class is known to have.
  func accounts(for members: [PropertyList.Member]) -> Bool {
    let (names, prefixes) = keys
    return members.allSatisfy { member in
      member.name == "$class" || names.contains(member.name)
        || prefixes.contains { member.name.hasPrefix($0) }
    }
  }

  private var keys: (names: [String], prefixes: [String]) {
    switch self {
    case .array, .set: (["NS.objects"], ["NS.object."])
    case .orderedSet: (["NS.objects"], ["NS.object."])
    case .countedSet: (["NS.count"], ["NS.object", "NS.count"])
    case .dictionary: (["NS.keys", "NS.objects", "searchMapping", "values", "emptyToken"], [])
    case .null: ([], [])
    case .string: (["NS.string", "NS.bytes"], [])
    case .data: (["NS.data", "NS.bytes"], [])
    case .date: (["NS.time"], [])
    case .uuid: (["NS.uuidbytes"], [])
    case .url: (["NS.base", "NS.relative"], [])
    case .decimal:
      (
        [
          "NS.mantissa", "NS.mantissa.bo", "NS.exponent", "NS.length", "NS.negative",
          "NS.compact",
        ], []
      )
    case .locale: (["NS.identifier"], [])
    case .indexSet: (["NSRangeCount", "NSLocation", "NSLength", "NSRangeData"], [])
    case .indexPath: (["NSIndexPathLength", "NSIndexPathValue", "NSIndexPathData"], [])
    case .value:
      (
        [
          "NS.special", "NS.pointval", "NS.sizeval", "NS.rectval", "NS.rangeval.location",
          "NS.rangeval.length",
        ], []
      )
    case .attributedString: (["NSString", "NSAttributes", "NSAttributeInfo"], [])
    }
  }

  /// Whether the class is one of Foundation's variants, which mean what their ancestor means.
  static func isOfApple(_ name: String) -> Bool {
    name.hasPrefix("NS") || name.hasPrefix("__NS") || name.hasPrefix("_NS")
  }
}
