/// Reads the binary form (`bplist00`), strictly.
///
/// ```
/// bplist00 | objects … | offset table | 32 bytes: 6 unused, offset size, reference size,
///                                       object count, top object, offset of the table
/// ```
///
/// Every object has to lie between the magic and the offset table, sizes are checked before
/// anything is allocated, an object that holds itself is refused, and each object is read once
/// however often it is referred to.
enum BinaryPropertyList {
  static func read(
    _ bytes: [UInt8],
    limits: PropertyListLimits
  ) throws(PropertyListError) -> (list: PropertyList, notes: [PropertyListNote]) {
    var reader = try BinaryReader(ListBytes(bytes), limits: limits)
    return (try reader.object(reader.top, depth: 0), reader.notes)
  }

  /// Reads a list from its file; once anyone has written into that, reading a value fails.
  static func read(
    _ file: ListFile,
    limits: PropertyListLimits
  ) throws(PropertyListError) -> (list: PropertyList, notes: [PropertyListNote]) {
    var reader = try BinaryReader(ListBytes(of: file), of: file, limits: limits)
    return (try reader.object(reader.top, depth: 0), reader.notes)
  }
}
