package import DocumentChecking
package import Files
import JSONText

extension DocumentSketch {
  /// Reads JSON Lines, an array, or one document, in order.
  ///
  /// Memory follows the longest line or element, and the shapes that are found.
  ///
  /// - Throws: `DocumentError` when the file cannot be read, is no JSON, or holds nothing.
  package init(
    reading file: consuming InputFile,
    layout: DocumentCheck.Layout = .auto
  ) throws(DocumentError) {
    let name = file.path
    var sketch = DocumentSketch()
    let document = JSONDocument()
    let reader = DocumentReader(file, layout: layout, splitsArrays: true)
    try reader.forEach { (piece) throws(DocumentError) in
      if piece.part == .arrayBegins {
        sketch.beginArray()
        return
      }
      do throws(JSONError) {
        unsafe try document.parse(piece.bytes)
      } catch {
        throw .malformed(file: name, line: piece.line + error.line - 1, reason: error.message)
      }
      if piece.part == .element {
        sketch.addElement(document)
      } else {
        sketch.add(document)
      }
    }
    guard sketch.documentCount > 0 else { throw .empty(file: name) }
    self = sketch
  }
}
