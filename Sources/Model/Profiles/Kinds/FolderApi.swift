package import ProfileSettings

/// A folder, in which each record is a file.
package struct FolderApi: ApiKind {
  package static let name = "folder"

  package static func read(_ section: Section, reader: RouteReader) -> FolderApi { FolderApi() }
}
