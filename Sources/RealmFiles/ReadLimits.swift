/// How much of anything is believed; eight bytes of a file may claim 16 million elements.
enum ReadLimits {
  /// The values of one leaf: Realm's `REALM_MAX_BPNODE_SIZE`; a cluster has 256 objects.
  static let leafValueCount = 1000

  /// The elements of any node that is read as a whole; columns are numbered with 16 bits.
  static let elementCount = 65_536

  /// The tables of a file, and the properties of one table.
  static let tableCount = 4096

  /// The properties of all tables of a file.
  static let propertyCount = 65_536

  /// The inner nodes above a leaf; twelve levels of two children each reach 4,096 leaves of a tree
  /// whose nodes Realm fills with hundreds.
  static let treeDepth = 12

  /// Lists and dictionaries inside one another.
  static let nesting = 100

  /// The bytes of a string or a binary, and those that are held of one value with all that is in it; what an
  /// SQLite store's value may have.
  static let valueBytes = 128 << 20

  /// The values that one list, set, dictionary or sub-table holds, with those inside them.
  static let valueElements = 1_000_000
}
