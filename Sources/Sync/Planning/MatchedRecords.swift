/// Which of the records of an entity that earlier runs sent to the destination a plan found in the package,
/// in numbers.
struct MatchedRecords {
  /// How many there were when the plan began.
  var knownCount = 0
  /// How many of them the package has, whatever becomes of them.
  var matchedCount = 0
  /// How many records have no key that could be read, each of which may be one of them.
  var unnamedCount = 0
  /// How many records that no run knew are where one of them does, and are not known there yet.
  var movedCount = 0

  /// The most that the package may lack.
  var absentCount: Int { knownCount - matchedCount - unnamedCount - movedCount }
}
