import Testing

/// Starts the tests, where there is no bundle of them to load.
///
/// That it is written here keeps the build from searching an index of the tests for those of XCTest, of which
/// there are none, and so from making that index.
@main
struct TestMain {
  static func main() async { await Testing.__swiftPMEntryPoint() as Never }
}
