import Changeset
import CloudKitWeb
import Folder
package import HTTPTransport
import PostgreSQL
package import Profiles
import REST

extension Api {
  /// The kind of destination at an address: that of a folder says so itself, for any other the profile does.
  package func destinationKind(at address: String) -> any DestinationKind.Type {
    FolderDestination.takes(address) ? FolderDestination.self : kind.destination
  }
}

extension Api.Kind {
  /// Every kind of destination, one line each.
  fileprivate var destination: any DestinationKind.Type {
    switch self {
    case .rest: RESTDestination.self
    case .cloudKit: CloudKitDestination.self
    case .changeset: ChangesetDestination.self
    case .folder: FolderDestination.self
    case .postgreSQL: PostgreSQLDestination.self
    }
  }
}
