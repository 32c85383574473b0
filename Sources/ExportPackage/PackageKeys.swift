package import AgeEncryption

/// Who may open a package that is written, and with what one is opened that is read.
package struct PackageKeys: Sendable {
  /// Whom a new package is encrypted to; one without recipients lies in the open.
  package var recipients: [AgeRecipient]
  /// What opens encrypted packages.
  package var identities: [AgeIdentity]

  package init(recipients: [AgeRecipient] = [], identities: [AgeIdentity] = []) {
    var seen: Set<AgeRecipient> = []
    self.recipients = recipients.filter { seen.insert($0).inserted }
    self.identities = identities
  }

  /// Nothing is encrypted, and nothing encrypted is opened.
  package static let none = PackageKeys()

  /// Whether packages are encrypted.
  package var encrypts: Bool { !recipients.isEmpty }
}
