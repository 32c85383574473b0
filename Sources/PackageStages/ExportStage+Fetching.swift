import ExportPackage
import Files
import HTTPTransport
import Profiles
import RecordMapping
import StageSupport
import StoreFiles
import StoreReading

extension ExportStage {
  /// Fetches what rows name by address, into a folder beside the package.
  ///
  /// What an earlier package at the same place has from an address is taken from there.
  func fetchMedia(
    within limits: FetchLimits,
    of store: any Store,
    _ export: CompiledExport,
    _ binding: PackageBinding,
    _ interruption: CancellationToken
  ) async throws -> (media: FetchedMedia, report: FetchReport) {
    let earlier = try output.packages(app: profile.app)
    guard let path = try output.path(app: profile.app, binding: binding, keys: keys, after: 0)
    else {
      preconditionFailure("a package has a first place")
    }
    if case .path = output, let there = earlier.first, there.manifest.binding != binding {
      // Nothing is asked of anybody for a package that cannot be written.
      throw MigrationError.packageInTheWay(path)
    }
    let media = try FetchedMedia(beside: path)
    for package in earlier {
      do {
        try media.take(from: package, profile)
      } catch {
        // What is damaged is reported where the package is needed; here it only has less to give.
        guard error is PackageError else { throw error }
      }
    }
    let connections = FetchConnections(
      userAgent: "ferry/\(FerryVersion.text)",
      proxies: try .ofEnvironment
    )
    var stage = FetchStage(
      limits: limits,
      media: media,
      connections: connections,
      progress: progress,
      interruption: interruption
    )
    let result: Result<Void, any Error>
    do {
      result = .success(try await stage.run(export, of: store))
    } catch {
      result = .failure(error)
    }
    await connections.shutdown()
    try result.get()
    return (media, stage.report)
  }
}

extension PackagePlace {
  /// The finished packages of an app that are there.
  fileprivate func packages(app: String) throws -> [PackageReader] {
    let paths: [String]
    switch self {
    case .path(let path): paths = [path]
    case .folder(let folder):
      guard Folder.exists(folder) else { return [] }
      let names = try Folder.names(in: folder)
      paths = names.filter { $0.hasPrefix("\(app)-") && $0.hasSuffix(".ferry") }
        .map { "\(folder)/\($0)" }
    }
    var packages: [PackageReader] = []
    for path in paths {
      do throws(PackageError) {
        packages.append(try PackageReader(path))
      } catch {
        // None is there, or one that cannot be read, which is reported where it is needed.
        continue
      }
    }
    return packages
  }
}
