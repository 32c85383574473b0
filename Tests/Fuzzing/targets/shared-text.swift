// seeds: ../share-texts
import JSONText
import ResultGrammar
import ResultText

/// The built-in games, read once.
private let catalogue: GameCatalogue = {
  do throws(GameDescriptionError) {
    return try BuiltInGames.catalogue()
  } catch {
    preconditionFailure(error.description)
  }
}()

extension FuzzTarget {
  /// The text may hold anything, and ends in one bucket; so may a description of a game and the rules of a
  /// time zone, which may be refused.
  static let sharedText = FuzzTarget("shared-text") { input, report in
    let bytes = Array(input)
    var reader = ResultReader(catalogue: catalogue)
    let reading = reader.read(bytes)
    report.expect(
      reading.results.allSatisfy { $0.range.upperBound <= bytes.count && !$0.identity.isEmpty },
      "a result is outside of its text, or has no identity"
    )
    report.expect(reader.read(bytes) == reading, "the same text reads otherwise")
    var writer = JSONWriter()
    reading.write(line: 1, to: &writer)
    do throws(JSONError) {
      _ = try JSONValue(parsing: writer.bytes)
    } catch {
      report.complain("what is written is not JSON: \(error)")
    }
    guard bytes.count > 8 else { return }
    do throws(GameDescriptionError) {
      _ = try GameDescription(json: bytes, file: "fuzz.json")
    } catch {
      report.expectReason(error.description)
    }
    do throws(TimeZoneError) {
      _ = try TimeZoneRules(file: bytes).offset(at: 1_700_000_000)
    } catch {
      report.expectReason(error.description)
    }
  }
}
