import ExportPackage
import Files
import JSONText
import Records
package import StageSupport

/// Which entities of a package were found without fault, so that an interrupted validation goes
/// on behind them.
///
/// The mark holds for one package, by its digest, and for one version of Ferry.
package struct ValidationMarks: Sendable {
  let folder: String
  let toolVersion: String

  package init(state: StateFolder, toolVersion: String) {
    folder = state.migrations
    self.toolVersion = toolVersion
  }

  private func path(of package: PackageReader) -> String {
    let name = StateFolder.shortName(of: [package.digest.description, toolVersion])
    return "\(folder)/\(name).validated.json"
  }

  /// The entities that passed; none when there is no mark, or none that can be read.
  func passed(_ package: PackageReader) throws -> Set<EntityName> {
    let path = path(of: package)
    guard InputFile.isPresent(path) else { return [] }
    let bytes = try InputFile.contents(of: path, limit: 1 << 20)
    do throws(JSONError) {
      let value = try JSONValue(parsing: bytes)
      guard value["package"]?.text == package.digest.description else { return [] }
      return Set((value["passed"]?.array ?? []).compactMap { $0.text.flatMap { EntityName($0) } })
    } catch {
      return []
    }
  }

  func save(_ passed: Set<EntityName>, of package: PackageReader) throws {
    let value: JSONValue = [
      "package": .string(package.digest.description),
      "passed": .array(passed.sorted().map { .string($0.text) }),
    ]
    try Folder.makeLasting(folder)
    try WholeFile.replace(path(of: package), with: value.canonicalBytes)
  }
}
