// swift-tools-version: 6.3
import PackageDescription

// An app, as far as Ferry is concerned: it depends on the library as any app would.
let package = Package(
  name: "embedding",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "ferry", path: "../..")],
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
