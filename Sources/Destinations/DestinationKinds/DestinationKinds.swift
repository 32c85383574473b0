import Changeset
import CloudKitWeb
import Folder
package import HTTPTransport
package import Profiles
import REST

/// The kinds of destination that are opened here: those of every app, and what a program adds.
///
/// PostgreSQL's client library is opened at run time, which no app on a phone may do: the program passes that
/// kind in, and an app has none.
package struct OpenableKinds: Sendable {
  private let postgreSQL: (any DestinationKind.Type)?

  /// What an app opens: REST, CloudKit, changesets and folders.
  package static let ofApps = OpenableKinds(postgreSQL: nil)

  package init(postgreSQL: (any DestinationKind.Type)?) {
    self.postgreSQL = postgreSQL
  }

  /// The kind of destination at an address; `nil` when it is not opened here.
  ///
  /// That of a folder says so itself, for any other the profile does.
  package func kind(of api: Api, at address: String) -> (any DestinationKind.Type)? {
    FolderDestination.takes(address) ? FolderDestination.self : destination(of: api.kind)
  }

  /// Every kind of destination, one line each.
  private func destination(of kind: Api.Kind) -> (any DestinationKind.Type)? {
    switch kind {
    case .rest: RESTDestination.self
    case .cloudKit: CloudKitDestination.self
    case .changeset: ChangesetDestination.self
    case .folder: FolderDestination.self
    case .postgreSQL: postgreSQL
    }
  }
}
