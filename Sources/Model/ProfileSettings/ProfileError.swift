/// Why a profile is not taken: all its faults at once.
package struct ProfileError: Error, Hashable, Sendable, CustomStringConvertible {
  package let faults: [ProfileFault]

  package init(faults: [ProfileFault]) { self.faults = faults }

  package var description: String {
    faults.map(\.description).joined(separator: "\n")
  }
}

/// One fault of a profile, with its place and what to do about it.
package struct ProfileFault: Hashable, Sendable, CustomStringConvertible {
  /// The profile's path, as it was given, or the preset that the setting comes from.
  package let file: String
  /// The line of the fault, counted from one; `nil` where the fault is in no one place.
  package let line: Int?
  /// The setting, a JSON Pointer (RFC 6901): `/entities/Hero/fields/age`.
  package let pointer: String
  package let cause: String
  package let cure: String

  package init(file: String, line: Int?, pointer: String, cause: String, cure: String) {
    self.file = file
    self.line = line
    self.pointer = pointer
    self.cause = cause
    self.cure = cure
  }

  package var description: String {
    let place = line.map { "\(file):\($0)" } ?? file
    let setting = pointer.isEmpty ? "" : " \(pointer)"
    return "\(place):\(setting) \(cause); \(cure)"
  }
}

extension SettingNode {
  /// Settings that no line of a file has.
  package static func unwritten(in file: String) -> SettingNode {
    SettingNode(value: .section([]), file: file, line: 0, pointer: "")
  }
}

/// The faults found so far.
package final class FaultLog {
  package let file: String
  /// What was read, faults apart.
  package let settings = SettledSettings()
  package private(set) var faults: [ProfileFault] = []
  private var seen: Set<ProfileFault> = []

  /// The settings that faults are found in once they are read.
  private let root: SettingNode

  package init(file: String) {
    self.file = file
    root = .unwritten(in: file)
  }

  /// A log of faults that settings have which were read before.
  package init(of root: SettingNode) {
    file = root.file
    self.root = root
  }

  package func add(at node: SettingNode, _ cause: String, cure: String) {
    let line = node.line > 0 ? node.line : nil
    add(
      ProfileFault(file: node.file, line: line, pointer: node.pointer, cause: cause, cure: cure)
    )
  }

  package func add(line: Int?, pointer: String, _ cause: String, cure: String) {
    add(ProfileFault(file: file, line: line, pointer: pointer, cause: cause, cure: cure))
  }

  /// Adds a fault of a setting that was read before, at its line or at that of the nearest one around it.
  package func add(at pointer: String, _ cause: String, cure: String) {
    add(at: root.nearest(to: pointer), cause, cure: cure)
  }

  package func add(_ fault: ProfileFault) {
    if seen.insert(fault).inserted { faults.append(fault) }
  }

  /// Throws when anything was found.
  package func check() throws(ProfileError) {
    guard faults.isEmpty else { throw ProfileError(faults: faults) }
  }
}
