import Foundation
import PropertyLists

/// Reads a property list from a file, and says how long that took.
@main
struct PropertyListsBenchmark {
  static func main() throws {
    let path = CommandLine.arguments.dropFirst().first ?? ""
    var count = 0
    let time = try ContinuousClock().measure {
      let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
      count = try PropertyListDocument(bytes: bytes).list.members?.count ?? 0
    }
    let seconds = time / .seconds(1)
    print("Ferry's reader            \(String(format: "%6.2f", seconds)) s, \(count) members")
  }
}
