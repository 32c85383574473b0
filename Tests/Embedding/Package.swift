// swift-tools-version: 6.3
import PackageDescription

// An app, as far as Ferry is concerned: it depends on the library as an app for a phone would, without PCRE2.
let package = Package(
  name: "embedding",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [.package(name: "ferry", path: "../..", traits: [])],
  targets: [
    .executableTarget(
      name: "Wizard",
      dependencies: [.product(name: "FerryKit", package: "ferry")],
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
    .testTarget(
      name: "WizardTests",
      dependencies: ["Wizard"],
      swiftSettings: [.treatAllWarnings(as: .error)]
    ),
  ]
)
