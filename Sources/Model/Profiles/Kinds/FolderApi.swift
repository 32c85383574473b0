package import ProfileSettings

/// A folder, in which each record is a file.
package struct FolderApi: ApiKind {
  package static let name = "folder"

  package static func read(_ section: Section, reader: RouteReader) -> FolderApi { FolderApi() }

  package var mediaWay: MediaApi.Way? { .copies }

  package var capabilities: [PresetSummary.Capability: Bool] {
    [.bulk: true, .changes: false, .files: true, .revisions: true]
  }
}
