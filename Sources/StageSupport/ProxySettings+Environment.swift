import Foundation
package import HTTPTransport

extension ProxySettings {
  /// What the environment of this process says.
  package static var ofEnvironment: ProxySettings {
    get throws {
      try ProxySettings(ProcessInfo.processInfo.environment)
    }
  }
}
