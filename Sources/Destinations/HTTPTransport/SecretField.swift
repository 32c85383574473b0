package import DestinationModel

/// A header field with a secret in it.
package struct SecretField: Sendable {
  package let name: String
  package let value: Secret

  package init(name: String, value: Secret) {
    self.name = name
    self.value = value
  }
}
