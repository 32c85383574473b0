import CPublishedSchemas

/// The published schemas, built into the program byte for byte.
package enum PublishedSchemas {
  /// Every file of the folder `published`, by name.
  package static let all = unsafe published_schemas().all

  /// The bytes of the file called `name`, or `nil` when none is published under it.
  package static func bytes(named name: String) -> [UInt8]? {
    all.first { $0.name == name }?.bytes
  }
}
