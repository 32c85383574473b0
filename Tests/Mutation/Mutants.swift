import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

private func setting(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

private let active = setting("FERRY_MUTANT").flatMap(Int.init) ?? 0
private let trace = setting("FERRY_MUTANTS_REACHED")
private let reached = Mutex<Set<Int>>([])

/// Whether the program is to go wrong at this place; notes that it came by where a user asks.
@inline(never)
func isMutant(_ number: Int) -> Bool {
  if let trace, reached.withLock({ $0.insert(number).inserted }) {
    let file = open(trace, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    let line = "\(number)\n"
    _ = unsafe line.withCString { unsafe write(file, $0, line.utf8.count) }
    close(file)
  }
  return number == active
}

func mutant<Number: Numeric>(_ number: Int, _ value: Number) -> Number {
  isMutant(number) ? value + 1 : value
}
