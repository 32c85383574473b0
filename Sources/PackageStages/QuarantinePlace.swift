import ExportPackage
import Quarantine
package import StageSupport

/// Where records with faults are quarantined.
package struct QuarantinePlace: Sendable {
  package let folder: String
  let toolVersion: String

  package init(state: StateFolder, toolVersion: String) {
    folder = state.quarantine
    self.toolVersion = toolVersion
  }

  func writer(for package: PackageReader) throws(QuarantineError) -> QuarantineWriter {
    try QuarantineWriter(folder: folder, package: package.digest, tool: toolVersion)
  }
}
