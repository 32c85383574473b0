/// A column of a row holds something that Ferry never writes there.
package struct UnreadableColumn: Error {
  /// The column's name, or its place, counted from zero.
  package let name: String

  package init(name: String) { self.name = name }
}
