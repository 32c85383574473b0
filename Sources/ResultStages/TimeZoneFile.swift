import Files
import Foundation
package import ResultGrammar
import StageSupport

/// The rules of a time zone, by its name in the system's database.
package enum TimeZoneFile {
  /// Looks a zone up.
  ///
  /// - Parameter name: Its name, as `Europe/Berlin`.
  /// - Returns: Its rules.
  /// - Throws: `MigrationError.badImport` for a name that the system does not know.
  package static func rules(named name: String) throws -> TimeZoneRules {
    if name == "UTC" || name == "Z" || name == "GMT" { return .utc }
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let isName = parts.allSatisfy { !$0.isEmpty && $0 != "." && $0 != ".." }
    for folder in folders where isName && InputFile.isPresent("\(folder)/\(name)") {
      do throws(FileError) {
        let bytes = try InputFile.contents(of: "\(folder)/\(name)", limit: 1 << 20)
        return try rules(bytes, named: name)
      } catch {
        throw MigrationError.badImport(reason: error.description, cure: "name another time zone")
      }
    }
    throw MigrationError.badImport(
      reason: "no time zone is called “\(name)” in \(folders.joined(separator: ", "))",
      cure: "name it as the IANA database does: Europe/Berlin"
    )
  }

  private static func rules(_ bytes: [UInt8], named name: String) throws(FileError)
    -> TimeZoneRules
  {
    do throws(TimeZoneError) {
      return try TimeZoneRules(file: bytes)
    } catch {
      throw FileError(.read, name, number: 22)
    }
  }

  private static var folders: [String] {
    let given = ProcessInfo.processInfo.environment["TZDIR"].map { [$0] } ?? []
    return given + ["/usr/share/zoneinfo", "/var/db/timezone/zoneinfo"]
  }
}
