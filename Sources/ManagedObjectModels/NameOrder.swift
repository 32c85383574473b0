/// Names in the order of their bytes, which is how Core Data sorts properties.
package func precedes(_ left: String, _ right: String) -> Bool {
  left.utf8.lexicographicallyPrecedes(right.utf8)
}
