import Changeset
import CloudKitWeb
import Folder
package import HTTPTransport
package import Profiles
import REST

/// The kinds of destination that are opened here: those of every app, and what a program adds.
///
/// PostgreSQL's client library is opened at run time, which no app on a phone may do: the program adds that
/// kind, and an app has none.
package struct OpenableKinds: Sendable {
  /// Every kind of destination, one line each.
  package private(set) var all: [any DestinationKind.Type] = [
    RESTDestination.self,
    CloudKitDestination.self,
    ChangesetDestination.self,
    FolderDestination.self,
  ]

  /// What an app opens: REST, CloudKit, changesets and folders.
  package static let ofApps = OpenableKinds(adding: [])

  package init(adding others: [any DestinationKind.Type]) { all += others }

  /// The kind of destination at an address; `nil` when it is not opened here.
  ///
  /// That of a folder says so itself, for any other the profile does.
  package func kind(of api: Api, at address: String) -> (any DestinationKind.Type)? {
    all.first { $0.takes(address) } ?? all.first { $0.kind == type(of: api.kind.settings) }
  }
}
