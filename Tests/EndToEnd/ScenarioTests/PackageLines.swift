import Foundation
import JSONText
import TestSupport

/// The records of a package, read without any of the program's code for packages.
struct PackageLines {
  let path: String

  init(_ path: String) { self.path = path }

  func records(_ entity: String) throws -> [JSONValue] {
    try files(entity).flatMap { file in
      try String(at: file).split(separator: "\n")
        .map { try JSONValue(parsing: String($0)) }
    }
  }

  private func files(_ entity: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(path)/data")
      .filter { $0.hasPrefix("\(entity)-") }.sorted().map { "\(path)/data/\($0)" }
  }
}
