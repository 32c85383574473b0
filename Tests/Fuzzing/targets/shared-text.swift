// rooms: JSONText ResultText
// embeds: ResultText/Games
// seeds: share-texts
import JSONText
import ResultText

/// The built-in games, read once.
private let catalogue: GameCatalogue = {
  do throws(GameDescriptionError) {
    return try BuiltInGames.catalogue()
  } catch {
    preconditionFailure(error.description)
  }
}()

/// What libFuzzer calls: the text may hold anything, and ends in one bucket.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var reader = ResultReader(catalogue: catalogue)
  let reading = reader.read(bytes)
  precondition(
    reading.results.allSatisfy { $0.range.upperBound <= count && !$0.identity.isEmpty },
    "a result stands in its text and has an identity"
  )
  precondition(reader.read(bytes) == reading, "the same text reads the same")
  var writer = JSONWriter()
  reading.write(line: 1, to: &writer)
  do throws(JSONError) {
    _ = try JSONValue(parsing: writer.bytes)
  } catch {
    preconditionFailure("what is written is JSON: \(error)")
  }
  if count > 8 {
    do throws(GameDescriptionError) {
      _ = try GameDescription(json: bytes, file: "fuzz.json")
    } catch {
      _ = error.description
    }
    do throws(TimeZoneError) {
      _ = try TimeZoneRules(file: bytes).offset(at: 1_700_000_000)
    } catch {
      _ = error.description
    }
  }
  return 0
}
