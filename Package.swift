// swift-tools-version: 6.3
import PackageDescription

/// Where FERRY_OPTIMIZED is `no`, only the packages of others are optimised.
let optimized: [SwiftSetting] =
  Context.environment["FERRY_OPTIMIZED"] == "no"
  ? [.unsafeFlags(["-Onone"], .when(configuration: .release))] : []

/// The rules every module is built under.
let moduleSettings: [SwiftSetting] =
  optimized + [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  ]

/// The rules for tests.
///
/// Where the program is optimised they are not, since that takes time and gains none. And the compiler writes
/// their interface along with their code, for which it would read them twice.
let tested: [SwiftSetting] =
  moduleSettings
  + [.unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))]

/// The rules for the modules that call C: every unsafe step is spelled `unsafe`.
let moduleSettingsWithC: [SwiftSetting] = moduleSettings + [.strictMemorySafety()]

/// A target in `Sources`, or in a folder of it.
func module(
  _ name: String,
  in folder: String? = nil,
  _ dependencies: [Target.Dependency] = [],
  settings: [SwiftSetting] = moduleSettings
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: folder.map { "Sources/\($0)/\(name)" },
    swiftSettings: settings
  )
}

/// A target in `Sources/Destinations`.
func destination(
  _ name: String,
  _ dependencies: [Target.Dependency],
  settings: [SwiftSetting] = moduleSettings
) -> Target {
  .target(
    name: name,
    dependencies: dependencies,
    path: "Sources/Destinations/\(name)",
    swiftSettings: settings
  )
}

func tests(
  of module: String,
  with dependencies: [Target.Dependency] = [],
  in folder: String = "Tests",
  excluding scripts: [String] = []
) -> Target {
  .testTarget(
    name: "\(module)Tests",
    dependencies: [.init(stringLiteral: module)] + dependencies,
    path: "\(folder)/\(module)Tests",
    exclude: scripts,
    swiftSettings: tested
  )
}

let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let database = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let yaml = Target.Dependency.product(name: "Yams", package: "Yams")
let arguments = Target.Dependency.product(
  name: "ArgumentParser",
  package: "swift-argument-parser"
)
let httpClient = Target.Dependency.product(name: "AsyncHTTPClient", package: "async-http-client")
let httpServer = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let nio = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioHTTP = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let settings = Target.Dependency.product(name: "Configuration", package: "swift-configuration")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle",
  package: "swift-service-lifecycle"
)

let package = Package(
  name: "ferry",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .executable(name: "ferry", targets: ["ferry"]),
    .executable(name: "ferry-backend", targets: ["ferry-backend"]),
    .library(name: "FerryKit", targets: ["FerryKit"]),
  ],
  traits: [
    .default(enabledTraits: ["PCRE2"]),
    .trait(
      name: "PCRE2",
      description: "Matches patterns with PCRE2. Without it, Foundation's regular expressions do."
    ),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-configuration", from: "1.4.0", traits: []),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
  ],
  targets: [
    // Ground floor: where the system libraries are, and what only C has words for.
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(name: "CFileSystem"),
    .systemLibrary(name: "CByteSearch"),
    .systemLibrary(
      name: "CPCRE2",
      pkgConfig: "libpcre2-8",
      providers: [.apt(["libpcre2-dev"]), .brew(["pcre2"])]
    ),
    .systemLibrary(
      name: "CSQLite",
      pkgConfig: "sqlite3",
      providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]
    ),
    .systemLibrary(
      name: "CLibXML2",
      pkgConfig: "libxml-2.0",
      providers: [.apt(["libxml2-dev"]), .brew(["libxml2"])]
    ),
    .systemLibrary(
      name: "CZlib",
      pkgConfig: "zlib",
      providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]
    ),

    // The version, and what only a release has: the mark of its commit, and its part of ICU's data. Without
    // them nothing is built anew for a commit.
    .target(
      name: "CBuildMark",
      cSettings: ["FERRY_COMMIT", "FERRY_ICU_DATA"].compactMap { name in
        Context.environment[name].map { .define(name, to: "\"\($0)\"") }
      }
    ),

    // Published files, which the compiler of C takes as they are.
    .target(name: "CPublishedSchemas"),

    // SQLite's way to the disk, with a checksum in every page.
    .target(name: "CCheckedPages", linkerSettings: [.linkedLibrary("sqlite3")]),

    // SQLite's way to the disk, which leads to one database and no other file.
    .target(name: "CPrivateFiles", linkerSettings: [.linkedLibrary("sqlite3")]),

    // PostgreSQL's client library, opened when it is needed: nothing of it is needed to build or to start.
    .target(
      name: "CPostgreSQL",
      linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]
    ),

    // Words and forms.
    module("TextCodecs", settings: moduleSettingsWithC),
    module("JSONText", ["CByteSearch", "TextCodecs"], settings: moduleSettingsWithC),
    module(
      "Patterns",
      [.target(name: "CPCRE2", condition: .when(traits: ["PCRE2"]))],
      settings: moduleSettingsWithC
    ),
    module("Files", ["CAllocator", "CFileSystem", "CZlib", crypto], settings: moduleSettingsWithC),
    module("AgeEncryption", ["Files", "TextCodecs", crypto]),
    module("XMLAccess", ["CLibXML2", "TextCodecs"], settings: moduleSettingsWithC),
    module("PropertyLists", ["XMLAccess", "JSONText", "Files", "TextCodecs"]),
    module("Records", ["TextCodecs"]),
    // Texts of records that are too long to be held: what stands for them, and where they are.
    module("LongTexts", ["Records", "JSONText", "Files", "TextCodecs", crypto]),
    // The formats that a schema may ask of a string.
    module("StringFormats", ["Patterns", "TextCodecs"], settings: moduleSettingsWithC),
    module(
      "SchemaValidation",
      ["StringFormats", "JSONText", "Patterns", "TextCodecs"],
      settings: moduleSettingsWithC
    ),
    module(
      "DocumentChecking",
      ["SchemaValidation", "JSONText", "Files", "TextCodecs"],
      settings: moduleSettingsWithC
    ),
    module("SchemaChanges", ["JSONText", "Patterns", "TextCodecs"]),
    module(
      "SchemaDrafting",
      ["DocumentChecking", "SchemaValidation", "StringFormats", "JSONText", "Files"],
      settings: moduleSettingsWithC
    ),
    .target(
      name: "Schemas",
      dependencies: ["CPublishedSchemas"],
      path: "Schemas",
      exclude: ["README.md", "published", "upgrades"],
      swiftSettings: moduleSettingsWithC
    ),
    .target(
      name: "Presets",
      dependencies: ["ProfileSettings", "JSONText"],
      path: "Sources/Destinations/Presets",
      resources: [.embedInCode("Named")],
      swiftSettings: moduleSettings
    ),
    module("ProfileSettings", in: "Model", ["Records", "JSONText", "TextCodecs", yaml]),
    // What a request's body is made of.
    module(
      "RequestBodies",
      in: "Model",
      ["ProfileSettings", "Records", "JSONText", "TextCodecs"]
    ),
    module(
      "Profiles",
      in: "Model",
      [
        "RequestBodies", "ProfileSettings", "Presets", "Retrying", "Records", "JSONText",
        "SchemaValidation",
        "Schemas", "TextCodecs", crypto,
      ]
    ),
    module(
      "RecordMapping",
      in: "Model",
      [
        "RequestBodies", "ProfileSettings", "Profiles", "Records", "PropertyLists", "JSONText",
        "TextCodecs",
      ]
    ),
    module(
      "RecordUpgrades",
      ["Records", "JSONText", "SchemaValidation", "Schemas"],
      settings: moduleSettingsWithC
    ),

    // The way of the data.
    module(
      "ManagedObjectModels",
      ["Records", "PropertyLists", "XMLAccess", "Files", "TextCodecs"],
      settings: moduleSettingsWithC
    ),
    module("RealmFiles", ["Files", crypto, cryptoExtras]),
    module("CouchbaseDocuments", []),
    // What the files of a source are, and what a store is: no kind of store is opened here.
    module(
      "StoreFiles",
      [
        "ManagedObjectModels", "RealmFiles", "LongTexts", "Records", "PropertyLists", "XMLAccess",
        "JSONText", "Files", "TextCodecs",
      ],
      settings: moduleSettingsWithC
    ),
    module(
      "PreferenceFiles",
      [
        "StoreFiles", "LongTexts", "Records", "PropertyLists", "XMLAccess", "JSONText", "Files",
        "TextCodecs",
      ],
      settings: moduleSettingsWithC
    ),
    // Core Data's stores and all other databases of SQLite.
    module(
      "SQLiteStores",
      [
        "StoreFiles", "ManagedObjectModels", "Records", "PropertyLists", "JSONText", "Files",
        "CPrivateFiles", "CSQLite", "TextCodecs",
      ],
      settings: moduleSettingsWithC
    ),
    module(
      "StoreReading",
      [
        "SQLiteStores", "PreferenceFiles", "StoreFiles", "ManagedObjectModels", "RealmFiles",
        "CouchbaseDocuments", "LongTexts", "Records", "PropertyLists", "XMLAccess", "JSONText",
        "Files", "CSQLite", "TextCodecs",
      ],
      settings: moduleSettingsWithC
    ),
    module(
      "StoreWriting",
      [
        "RecordMapping", "ProfileSettings", "Profiles", "StoreReading", "SQLiteStores",
        "StoreFiles", "Records", "JSONText", "Files", "CSQLite", "TextCodecs", "PropertyLists",
      ],
      settings: moduleSettingsWithC
    ),
    module(
      "ProfileDrafting",
      [
        "RecordMapping", "SchemaDrafting", "SchemaValidation", "DestinationModel",
        "RequestBodies", "ProfileSettings", "Profiles",
        "PropertyLists", "StoreReading", "StoreFiles", "Records", "Files", "JSONText", "TextCodecs",
      ]
    ),
    module("SchemaEmission", ["Profiles", "Records", "JSONText"]),
    module("ResultGrammar", ["TextCodecs"], settings: moduleSettingsWithC),
    .target(
      name: "ResultText",
      dependencies: ["ResultGrammar", "JSONText", "TextCodecs"],
      resources: [.embedInCode("Games")],
      swiftSettings: moduleSettingsWithC
    ),
    module(
      "LegacyFiles",
      [
        "ResultText", "ResultGrammar", "PropertyLists", "XMLAccess", "Records", "JSONText", "Files",
        "TextCodecs",
      ]
    ),
    module(
      "ResultImport",
      ["LegacyFiles", "ResultText", "ResultGrammar", "Records", "JSONText", "TextCodecs"]
    ),
    module(
      "ExportPackage",
      ["AgeEncryption", "LongTexts", "Records", "JSONText", "Files", "TextCodecs", crypto]
    ),
    module("Quarantine", ["Records", "JSONText", "Files"]),
    module("Redaction", ["JSONText", "Patterns", "TextCodecs", crypto]),
    module("Reconciliation", in: "Sync", ["Records"]),
    module("Retrying"),
    module("UploadPlanning", in: "Sync", ["Retrying", "Records", "JSONText", crypto]),
    module(
      "RequestMapping",
      in: "Model",
      [
        "RecordMapping", "UploadPlanning", "Reconciliation", "ExportPackage", "LongTexts",
        "RequestBodies", "Profiles", "Records",
        "Files", "JSONText", "TextCodecs",
      ]
    ),
    // SQLite's files with a checksum in every page, whatever their tables hold.
    module(
      "CheckedDatabases",
      in: "Sync",
      ["Records", "Files", "CCheckedPages", "CSQLite", "TextCodecs", database],
      settings: moduleSettingsWithC
    ),
    module(
      "Checkpoint",
      in: "Sync",
      [
        "CheckedDatabases", "UploadPlanning", "LongTexts", "Records", "JSONText", "Files",
        crypto, database,
      ],
      settings: moduleSettingsWithC
    ),
    // What a run holds of many records, in files that nothing has to survive.
    module(
      "ScratchFiles",
      in: "Sync",
      [
        "CheckedDatabases", "Checkpoint", "UploadPlanning", "Records", "JSONText", "Files", crypto,
        database,
      ]
    ),
    // What is damaged in a checkpoint, and what mends it.
    module(
      "CheckpointMending",
      in: "Sync",
      ["CheckedDatabases", "Checkpoint", "UploadPlanning", "Records", "Files", database],
      settings: moduleSettingsWithC
    ),
    // Where records go: what every destination is, and a target for each kind.
    destination(
      "DestinationModel",
      [
        "Retrying", "UploadPlanning", "LongTexts", "Profiles", "Records", "XMLAccess", "JSONText",
        "Files", "Patterns", "TextCodecs", crypto,
      ]
    ),
    destination(
      "HTTPTransport",
      [
        "DestinationModel", "Retrying", "UploadPlanning", "LongTexts", "Profiles", "JSONText",
        "Files",
        "TextCodecs", httpClient, nio, nioHTTP, nioPosix,
      ]
    ),
    destination(
      "S3Media",
      [
        "HTTPTransport", "DestinationModel", "UploadPlanning", "LongTexts", "Profiles", "Records",
        "XMLAccess",
        "JSONText", "Files", "TextCodecs", crypto, nioHTTP,
      ]
    ),
    destination(
      "REST",
      [
        "S3Media", "HTTPTransport", "DestinationModel", "UploadPlanning", "LongTexts",
        "RequestBodies", "Profiles",
        "Records",
        "JSONText", "Files", "TextCodecs", crypto, cryptoExtras, nioHTTP,
      ]
    ),
    destination(
      "Changeset",
      [
        "RecordMapping", "RequestMapping", "REST", "HTTPTransport", "DestinationModel",
        "UploadPlanning", "LongTexts", "RequestBodies", "Profiles", "Records", "JSONText",
        "TextCodecs", nioHTTP,
      ]
    ),
    destination(
      "CloudKitWeb",
      [
        "RecordMapping", "HTTPTransport", "DestinationModel", "UploadPlanning", "LongTexts",
        "Profiles", "Records", "JSONText", "Files", "TextCodecs", crypto, nioHTTP,
      ]
    ),
    destination(
      "Folder",
      [
        "HTTPTransport", "DestinationModel", "UploadPlanning", "LongTexts", "RequestBodies",
        "Profiles", "Records",
        "JSONText", "Files", "TextCodecs", crypto,
      ]
    ),
    destination(
      "PostgreSQL",
      [
        "CPostgreSQL", "HTTPTransport", "DestinationModel", "Retrying", "UploadPlanning",
        "LongTexts", "RequestBodies", "Profiles", "Records", "Files", "JSONText", "TextCodecs",
      ],
      settings: moduleSettingsWithC
    ),
    // The list of the kinds: a new one is a target above, and a line in it. What an app cannot have, the
    // program passes in.
    destination(
      "DestinationKinds",
      [
        "REST", "Changeset", "CloudKitWeb", "Folder", "StageSupport", "HTTPTransport",
        "DestinationModel", "Profiles",
      ]
    ),
    module(
      "StageSupport",
      [
        "StoreFiles", "ManagedObjectModels", "ProfileSettings", "Profiles", "DocumentChecking",
        "LegacyFiles", "ExportPackage", "RecordUpgrades", "Quarantine", "SchemaValidation",
        "UploadPlanning", "Checkpoint", "HTTPTransport", "DestinationModel", "Retrying",
        "AgeEncryption", "Records", "Files", "JSONText", "CBuildMark", crypto,
      ]
    ),
    module(
      "PackageStages",
      [
        "RecordMapping", "StageSupport", "StoreReading", "SQLiteStores", "StoreFiles",
        "ManagedObjectModels", "ProfileSettings", "Profiles", "ProfileDrafting",
        "DocumentChecking", "ExportPackage", "AgeEncryption",
        "Redaction", "RecordUpgrades", "Quarantine", "SchemaValidation", "Schemas",
        "UploadPlanning", "Checkpoint", "ScratchFiles", "Folder", "HTTPTransport",
        "DestinationModel", "Retrying",
        "LongTexts", "Records", "JSONText", "Files", "TextCodecs", crypto, "SchemaEmission",
      ]
    ),
    module(
      "ResultStages",
      [
        "PackageStages", "StageSupport", "LegacyFiles", "ResultImport", "ResultText",
        "ResultGrammar", "Profiles", "ExportPackage", "UploadPlanning", "Records", "JSONText",
        "Files", "TextCodecs", crypto,
      ]
    ),
    module(
      "RowExport",
      [
        "RequestMapping", "RecordMapping", "StageSupport", "RequestBodies", "Profiles",
        "ExportPackage", "Records",
        "JSONText", "Files", "TextCodecs",
      ]
    ),
    module(
      "SyncReading",
      in: "Sync",
      [
        "StageSupport", "DestinationModel", "Checkpoint", "ScratchFiles", "RequestMapping",
        "UploadPlanning",
        "Retrying", "Reconciliation", "Quarantine", "ExportPackage", "LongTexts", "Profiles",
        "Records", "Files", "JSONText", "TextCodecs",
      ]
    ),
    // What a plan or a run does to each record, field by field.
    module(
      "RecordDiffs",
      in: "Sync",
      [
        "StageSupport", "Checkpoint", "RequestMapping", "UploadPlanning", "ExportPackage",
        "AgeEncryption", "Profiles", "Records", "JSONText",
      ]
    ),
    module(
      "Execution",
      in: "Sync",
      [
        "SyncReading", "StageSupport", "Folder", "HTTPTransport", "DestinationModel", "Checkpoint",
        "RequestMapping", "UploadPlanning", "Retrying", "Reconciliation", "ExportPackage",
        "AgeEncryption", "LongTexts", "RequestBodies", "Profiles", "Records", "Files", "JSONText",
        "TextCodecs",
      ]
    ),
    module(
      "Planning",
      in: "Sync",
      [
        "SyncReading", "PackageStages", "StageSupport", "DestinationModel", "Checkpoint",
        "ScratchFiles",
        "RequestMapping", "UploadPlanning", "Retrying", "Reconciliation", "ExportPackage",
        "ProfileSettings", "Profiles", "Records", "Files", "JSONText", "TextCodecs", "LongTexts",
      ]
    ),
    module(
      "Verification",
      in: "Sync",
      [
        "SyncReading", "StageSupport", "DestinationModel", "Checkpoint", "ScratchFiles",
        "RequestMapping",
        "UploadPlanning", "Retrying", "Reconciliation", "ExportPackage", "Profiles", "Records",
        "LongTexts", "JSONText",
      ]
    ),
    module(
      "Migration",
      [
        "Verification", "Planning", "Execution", "RecordDiffs", "SyncReading", "Reconciliation",
        "RecordMapping", "RequestMapping", "StoreReading", "StoreFiles", "Profiles",
        "ProfileSettings", "ExportPackage", "Quarantine", "UploadPlanning", "Checkpoint",
        "DestinationKinds", "Folder", "HTTPTransport", "DestinationModel", "LongTexts", "Records",
        "JSONText", "Files", "Retrying", "PackageStages", "ResultStages", "StageSupport",
      ]
    ),

    // The front door.
    module(
      "Reporting",
      [
        "RowExport", "RecordDiffs", "Verification", "Planning", "Execution", "Migration",
        "PackageStages", "ResultStages", "StageSupport", "DocumentChecking", "SchemaChanges",
        "RecordUpgrades", "DestinationModel", "LegacyFiles", "ResultImport", "ResultText",
        "ResultGrammar", "CheckpointMending", "Checkpoint", "ExportPackage", "Quarantine",
        "SchemaValidation",
        "StoreReading", "SQLiteStores", "StoreFiles", "UploadPlanning", "LongTexts", "Records",
        "JSONText", "TextCodecs", "Files", crypto, "Retrying",
      ]
    ),
    module(
      "RunHistory",
      [
        "Reporting", "CommandSettings", "StageSupport", "Checkpoint", "UploadPlanning", "Records",
        "Files", "JSONText", "TextCodecs",
      ]
    ),
    module(
      "CommandOutput",
      [
        "Reporting", "ResultStages", "Planning", "Execution", "SyncReading", "StageSupport",
        "DestinationModel", "UploadPlanning", "Records", "JSONText", "Files", "Retrying",
      ]
    ),
    module(
      "CommandSettings",
      ["Reporting", "ExportPackage", "JSONText", "Files", settings, yaml]
    ),
    // The groups of flags that commands have in common.
    module(
      "CommandOptions",
      [
        "CommandOutput", "Reporting", "RunHistory", "Migration", "Planning", "SyncReading",
        "ResultStages", "StageSupport", "ResultImport", "LegacyFiles", "ResultText",
        "ResultGrammar", "HTTPTransport", "Checkpoint", "UploadPlanning", "ExportPackage",
        "AgeEncryption", "Redaction", "ProfileSettings", "Profiles", "Records", "JSONText",
        "Files", "TextCodecs", arguments,
      ]
    ),
    module(
      "Fleet",
      [
        "Reporting", "RunHistory", "StageSupport", "Checkpoint", "Retrying", "Records", "JSONText",
        "Files", "TextCodecs", crypto, subprocess,
      ]
    ),
    module(
      "DevelopmentBackend",
      [
        "JSONText", "Files", "TextCodecs", crypto, httpServer, database, nio, nioHTTP, nioPosix,
        httpTypes, logging, lifecycle,
      ]
    ),
    module(
      "FerryCommands",
      [
        "RowExport", "RecordDiffs", "Planning", "Execution", "SyncReading", "Migration",
        "Reporting", "RunHistory", "CommandSettings", "CommandOptions", "CommandOutput",
        "DocumentChecking",
        "PackageStages", "ResultStages", "StageSupport", "SchemaChanges", "SchemaDrafting",
        "ProfileDrafting", "Fleet", "LegacyFiles", "ResultImport", "ResultText", "ResultGrammar",
        "RecordUpgrades",
        "DestinationKinds", "PostgreSQL", "HTTPTransport", "DestinationModel", "CheckpointMending",
        "Checkpoint", "CheckedDatabases", "ExportPackage", "AgeEncryption", "StoreWriting",
        "Redaction", "Quarantine",
        "Files", "JSONText", "ProfileSettings", "Profiles", "Records", "SchemaValidation",
        "Schemas", "StoreReading", "LongTexts",
        "StoreFiles", "UploadPlanning", "Reconciliation", "TextCodecs", "CBuildMark", arguments,
        subprocess, "Retrying", "SchemaEmission",
      ]
    ),
    module(
      "FerryKit",
      [
        "Verification", "Planning", "Execution", "SyncReading", "Migration", "Reporting",
        "DestinationKinds", "HTTPTransport", "DestinationModel", "Checkpoint", "ExportPackage",
        "Profiles", "StoreReading", "StoreFiles", "UploadPlanning", "Reconciliation", "Records",
        "Retrying", "PackageStages", "StageSupport", "JSONText",
      ]
    ),
    .executableTarget(
      name: "ferry",
      dependencies: ["FerryCommands"],
      swiftSettings: moduleSettings
    ),
    .executableTarget(
      name: "ferry-backend",
      dependencies: ["DevelopmentBackend", "Files", "CBuildMark", "CSQLite", arguments],
      swiftSettings: moduleSettings
    ),

    // Tests.
    module(
      "TestSupport",
      ["JSONText", "Records", "UploadPlanning", "Files", "TextCodecs", subprocess]
    ),
    tests(of: "TextCodecs"),
    tests(of: "JSONText"),
    tests(of: "Patterns", with: ["JSONText"]),
    tests(of: "Files", with: ["TestSupport"]),
    tests(of: "LongTexts", with: ["Files", "JSONText", "TestSupport"]),
    tests(of: "AgeEncryption", with: ["Files", "TestSupport", subprocess]),
    tests(of: "XMLAccess"),
    tests(
      of: "PropertyLists",
      with: ["Files", "JSONText", "XMLAccess", "TestSupport"],
      excluding: ["agreement.py"]
    ),
    tests(of: "ManagedObjectModels", with: ["Records", "Files"]),
    tests(of: "SchemaValidation", with: ["JSONText"]),
    tests(of: "DocumentChecking", with: ["SchemaValidation", "Files", "TestSupport"]),
    tests(of: "SchemaChanges", with: ["SchemaValidation", "JSONText", "TestSupport"]),
    tests(
      of: "SchemaDrafting",
      with: ["DocumentChecking", "SchemaValidation", "JSONText", "Files"]
    ),
    tests(of: "Schemas", with: ["JSONText", "SchemaValidation"]),
    tests(
      of: "Profiles",
      with: [
        "ProfileSettings", "RequestBodies", "Schemas",
        "StageSupport", "DestinationModel", "RecordMapping", "RequestMapping", "Retrying",
        "Records",
        "JSONText", "TextCodecs", "TestSupport",
      ]
    ),
    tests(of: "RecordUpgrades", with: ["Records", "JSONText", "SchemaValidation", "Schemas"]),
    tests(of: "RealmFiles", with: ["Files", "JSONText", "TestSupport", crypto, cryptoExtras]),
    tests(of: "CouchbaseDocuments", with: ["TestSupport"]),
    .target(
      name: "StoreSamples",
      dependencies: ["PropertyLists", "Files", "CSQLite", "CZlib"],
      path: "Tests/StoreSamples",
      swiftSettings: tested
    ),
    tests(
      of: "StoreReading",
      with: [
        "StoreSamples", "SQLiteStores", "StoreFiles", "ManagedObjectModels", "RealmFiles",
        "Records", "LongTexts", "JSONText", "PropertyLists", "Files", "TestSupport",
      ],
      excluding: ["independent_reading.py"]
    ),
    tests(
      of: "StoreWriting",
      with: [
        "StoreSamples", "StoreReading", "StoreFiles", "PropertyLists", "Profiles", "Records",
        "Files", "TestSupport",
      ]
    ),
    tests(
      of: "ProfileDrafting",
      with: [
        "StageSupport", "RecordMapping", "DestinationModel", "Profiles", "StoreReading",
        "ProfileSettings", "RequestBodies",
        "StoreFiles", "Records",
        "JSONText",
        "SchemaValidation", "Files", "CSQLite",
      ]
    ),
    tests(of: "SchemaEmission", with: ["Profiles", "Records", "JSONText", "TestSupport"]),
    tests(of: "ResultText", with: ["ResultGrammar", "JSONText", "SchemaValidation", "Schemas"]),
    tests(
      of: "LegacyFiles",
      with: [
        "ResultText", "ResultGrammar", "PropertyLists", "Records", "JSONText", "Files",
        "TestSupport",
      ]
    ),
    tests(
      of: "ResultImport",
      with: ["LegacyFiles", "ResultText", "ResultGrammar", "Records", "JSONText"]
    ),
    tests(
      of: "ExportPackage",
      with: ["AgeEncryption", "Records", "JSONText", "Files", "TestSupport"]
    ),
    tests(of: "Redaction", with: ["JSONText"]),
    tests(of: "Quarantine", with: ["Records", "JSONText", "Files"]),
    tests(of: "Reconciliation", with: ["Records"]),
    tests(of: "Retrying"),
    tests(of: "UploadPlanning", with: ["Retrying", "Records"]),
    tests(
      of: "Checkpoint",
      with: [
        "CheckpointMending", "ScratchFiles", "CheckedDatabases", "Execution", "UploadPlanning",
        "LongTexts", "Records", "Files", "CCheckedPages", "TestSupport", database,
      ]
    ),
    tests(
      of: "PostgreSQL",
      with: [
        "DestinationModel", "UploadPlanning", "LongTexts", "Profiles", "Records", "JSONText",
        "TextCodecs", "TestSupport",
      ]
    ),
    tests(
      of: "RowExport",
      with: [
        "PackageStages", "StageSupport", "ExportPackage", "RequestMapping", "Profiles", "Records",
        "TestSupport",
      ]
    ),
    tests(of: "StageSupport", with: ["DestinationModel", "Retrying"]),
    tests(
      of: "PackageStages",
      with: ["StoreReading", "StageSupport", "Profiles", "TestSupport", database]
    ),
    tests(of: "ResultStages", with: ["TestSupport"]),
    tests(
      of: "Planning",
      with: ["StageSupport", "Records", "Profiles", "DestinationModel", "TestSupport"]
    ),
    tests(of: "Migration", with: ["Retrying", "Profiles"]),
    tests(
      of: "Reporting",
      with: [
        "RecordDiffs", "StageSupport", "DestinationModel", "Checkpoint", "ExportPackage", "Files",
        "Quarantine", "Records", "StoreReading", "StoreFiles", "UploadPlanning", "JSONText",
        "DocumentChecking", "SchemaValidation", "Schemas", "Retrying",
      ]
    ),
    tests(
      of: "RunHistory",
      with: [
        "StageSupport", "Checkpoint", "UploadPlanning", "Records", "Files", "JSONText",
        "TestSupport",
      ]
    ),
    tests(of: "CommandSettings", with: ["JSONText"]),
    tests(
      of: "Fleet",
      with: ["JSONText", "Reporting", "SchemaValidation", "Schemas", "StageSupport", "TestSupport"]
    ),
    .testTarget(name: "SourceRuleTests", swiftSettings: tested),
    // Readers, fed with what the fuzzer found, in the same way as it feeds them.
    .testTarget(
      name: "FuzzingTests",
      dependencies: [
        "AgeEncryption", "CouchbaseDocuments", "ExportPackage", "Files", "JSONText",
        "LegacyFiles", "ManagedObjectModels", "Patterns", "ProfileSettings", "Profiles",
        "PropertyLists",
        "RealmFiles", "Records",
        "ResultImport", "ResultText", "ResultGrammar", "SchemaValidation", "StoreReading",
        "StoreFiles", "XMLAccess",
        "TestSupport",
      ],
      path: "Tests/Fuzzing",
      exclude: [
        "build.sh", "fuzz.sh", "needs.py", "corpora", "substitutes", "LibFuzzer.swift",
        "targets/answer.swift", "targets/checkpoint.swift",
      ],
      swiftSettings: tested
    ),
  ]
)

// What starts the program, a server or a simulation. They are targets only where FERRY_TESTS asks for them, as
// the scripts in `.ci` do: unit tests alone are soon built and run. `push` has what each change is tested by, and
// `all` the folders `Nightly` and what measures as well.
let endToEnd = "Tests/EndToEnd"
if let ring = Context.environment["FERRY_TESTS"], !ring.isEmpty {
  precondition(["push", "all"].contains(ring), "FERRY_TESTS is push or all, not \(ring)")
  let isWhole = ring == "all"
  let nightly = isWhole ? [] : ["Nightly"]
  package.targets += [
    // Histories by a seed: the engine over a disk, a destination and a clock that are made up.
    .target(
      name: "Simulation",
      dependencies: ["UploadPlanning", "Reconciliation", "Records"],
      path: "\(endToEnd)/Simulation/World",
      swiftSettings: moduleSettings
    ),
    // The same over the real checkpoint, on a disk that forgets what was not synced.
    .target(
      name: "ForgettingDisk",
      dependencies: ["Simulation", "Checkpoint", "UploadPlanning", "Records", "Files", "CSQLite"],
      path: "\(endToEnd)/Simulation/Disk",
      swiftSettings: moduleSettings
    ),
    // Whole sessions over it: what a person types, planned by the real planner from a real package.
    .target(
      name: "SimulatedSessions",
      dependencies: [
        "Verification", "Planning", "Execution", "ForgettingDisk", "Simulation",
        "DevelopmentBackend", "Migration", "CloudKitWeb", "Changeset", "REST", "HTTPTransport",
        "DestinationModel", "Checkpoint", "ExportPackage", "ProfileSettings", "Profiles",
        "UploadPlanning",
        "Reconciliation", "Records", "Retrying", "JSONText", "Files", crypto, "StageSupport",
      ],
      path: "\(endToEnd)/Simulation/Sessions",
      swiftSettings: moduleSettings
    ),
    .executableTarget(
      name: "simulate",
      dependencies: [
        "ForgettingDisk", "Simulation", "UploadPlanning", "Checkpoint", "CheckedDatabases", "Files",
      ],
      path: "\(endToEnd)/Simulation/Command",
      swiftSettings: moduleSettings
    ),
    .executableTarget(
      name: "simulate-sessions",
      dependencies: ["SimulatedSessions", "Simulation", "Checkpoint", "CheckedDatabases", "Files"],
      path: "\(endToEnd)/Simulation/SessionCommand",
      swiftSettings: moduleSettings
    ),
    .testTarget(
      name: "SimulationTests",
      dependencies: ["Simulation", "UploadPlanning", "Records", "TestSupport", "simulate"],
      path: "\(endToEnd)/SimulationTests",
      swiftSettings: tested
    ),
    .testTarget(
      name: "SessionSimulationTests",
      dependencies: ["TestSupport", "simulate-sessions"],
      path: "\(endToEnd)/SessionSimulationTests",
      swiftSettings: tested
    ),
    tests(
      of: "DestinationKinds",
      with: [
        "RequestMapping", "Folder", "PostgreSQL", "CloudKitWeb", "Changeset", "REST", "S3Media",
        "HTTPTransport", "DestinationModel", "UploadPlanning", "RequestBodies", "Retrying",
        "ProfileSettings", "Profiles", "Records", "JSONText",
        "LongTexts", "Files", "TestSupport", "DevelopmentBackend", "TextCodecs", crypto,
        cryptoExtras,
        nio,
        nioHTTP, nioPosix,
      ],
      in: endToEnd
    ),
    tests(
      of: "DevelopmentBackend",
      with: ["JSONText", "TestSupport", crypto, httpClient, nio, nioHTTP, nioPosix],
      in: endToEnd
    ),
    tests(of: "FerryKit", with: ["TestSupport", "JSONText", "ferry"], in: endToEnd),
    // The real program against a real server: what a user would see, and what a crash leaves. They are
    // compiled without waiting for the program, which is built with all else.
    .testTarget(
      name: "ScenarioTests",
      dependencies: ["TestSupport", "JSONText", "Files", "SchemaValidation", "Schemas"],
      path: "\(endToEnd)/ScenarioTests",
      exclude: nightly,
      swiftSettings: tested
    ),
    .testTarget(
      name: "Faults",
      dependencies: ["TestSupport", "JSONText", "Files"],
      path: "\(endToEnd)/Faults",
      exclude: nightly + ["Calls/injector.c", "pocketbase_soak.py", "soak.sh"],
      swiftSettings: tested
    ),
  ]
  if isWhole {
    package.targets.append(
      .executableTarget(
        name: "checkpoint-cost",
        dependencies: ["Checkpoint", "Files", "Records", "UploadPlanning"],
        path: "Tests/Benchmarks/CheckpointCost",
        swiftSettings: moduleSettings
      )
    )
  }
}
