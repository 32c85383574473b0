import Fleet
import Foundation
import TestSupport
import Testing

/// The samples for schedulers say the same number wherever they say it.
struct FleetSampleTests {
  private func sample(_ name: String) throws -> String {
    try String(contentsOfFile: "\(Samples.folder)/fleet/\(name)", encoding: .utf8)
  }

  /// The text after each occurrence of a word, as a number.
  private func numbers(behind word: String, in text: String) -> [Int] {
    text.components(separatedBy: word).dropFirst().compactMap { Int($0.prefix { $0.isNumber }) }
  }

  @Test func `the Kubernetes job has as many pods as parts`() throws {
    let text = try sample("kubernetes.yaml")
    let parts = try #require(numbers(behind: "--shard=auto/", in: text).first)
    #expect(numbers(behind: "completions: ", in: text) == [parts])
    #expect(numbers(behind: "maxFailedIndexes: ", in: text) == [parts])
    #expect(text.contains("completionMode: Indexed"))
    for index in 0..<parts {
      let environment = ["JOB_COMPLETION_INDEX": "\(index)"]
      #expect(try FleetShard("auto/\(parts)", environment: environment).number == index + 1)
    }
  }

  @Test func `the Slurm array has as many tasks as parts, counted from 0`() throws {
    let text = try sample("slurm.sh")
    let parts = try #require(numbers(behind: "\nSHARDS=", in: text).first)
    #expect(text.contains("\n#SBATCH --array=0-\(parts - 1)\n"))
    #expect(text.contains("--shard \"auto/$SHARDS\""))
  }

  @Test func `the Kubernetes job treats no passing status as final`() throws {
    let text = try sample("kubernetes.yaml")
    let line = try #require(text.split(separator: "\n").first { $0.contains("values: [") })
    let final = Set(line.split { !$0.isNumber }.compactMap { Int($0) })
    #expect(final.isDisjoint(with: [0, 5, 11, 130, 137, 143]))
  }
}
