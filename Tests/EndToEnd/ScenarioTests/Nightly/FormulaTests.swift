import Foundation
import TestSupport
import Testing

/// The formula of Homebrew, whose own test is run with a stand-in of what Homebrew lends it.
@Suite(.timeLimit(.minutes(2))) struct FormulaTests {
  /// The class that a formula is made of, as far as the test of a formula uses it.
  private static let homebrew = #"""
    require "pathname"
    class Formula
      class << self
        attr_reader :check, :address
        def url(address) = @address = address
        def test(&check) = @check = check
        def method_missing(*) = nil
        def respond_to_missing?(*) = true
      end
      # Homebrew takes the version from the address of the sources.
      Version = Struct.new(:to_s) { def head? = false }
      def version = Version.new(self.class.address[/\d+\.\d+\.\d+/])
      def bin = Pathname(ARGV[1])
      def shell_output(command) = `#{command}`.tap { raise command unless $?.success? }
      def system(*words) = Kernel.system(*words) || raise(words.join(" "))
      def assert_match(part, text) = text.include?(part) || raise("no #{part} in #{text}")
    end
    load ARGV[0]
    Ferry.new.instance_exec(&Ferry.check)
    """#

  private static var hasRuby: Bool {
    ["/usr/bin/ruby", "/opt/homebrew/bin/ruby"].contains {
      FileManager.default.isExecutableFile(atPath: $0)
    }
  }

  @Test(.enabled(if: hasRuby, "needs ruby"))
  func `the formula's own test passes with the program`() async throws {
    let program = URL(filePath: try FerryProgram().path)
    let formula = "\(Samples.folder)/ferry.rb"
    try await withTemporaryFolder { folder in
      try Self.homebrew.save(to: "\(folder)/homebrew.rb")
      let line = "cd \"$1\" && exec ruby homebrew.rb \"$2\" \"$3\""
      try await FerryProgram(at: "/bin/sh").run(
        ["-c", line, "sh", folder, formula, program.deletingLastPathComponent().path],
        state: "\(folder)/state"
      ).exits(0)
    }
  }
}
