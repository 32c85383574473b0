/// A name that is another than all in other bytes, also where both are one text.
package struct ExactName: Hashable, Sendable {
  package let text: String

  package init(text: String) { self.text = text }

  package static func == (left: ExactName, right: ExactName) -> Bool {
    left.text.hasSameScalars(as: right.text)
  }

  package func hash(into hasher: inout Hasher) { text.hashScalars(into: &hasher) }
}
