import Foundation
import JSONText

/// Requests to a server on this machine, over a plain socket: one request, one answer, one
/// connection.
struct LocalConnection: Sendable {
  let port: UInt16
  /// The file of the network namespace that the server listens in; `nil` for this process's own.
  var namespace: String?

  /// What a server answered.
  struct Answer: Sendable {
    let status: Int
    let body: [UInt8]
  }

  func send(
    _ method: String,
    _ path: String,
    body: [UInt8] = [],
    token: String? = nil
  ) throws -> Answer {
    let descriptor = try connect()
    defer { close(descriptor) }
    let head =
      "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(body.count)\r\n"
      + (token.map { "Authorization: Bearer \($0)\r\n" } ?? "") + "\r\n"
    try write(Array(head.utf8) + body, to: descriptor)
    return try Self.answer(in: read(from: descriptor))
  }

  private func connect() throws -> Int32 {
    #if canImport(Darwin)
    let kind = SOCK_STREAM
    #else
    let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    let descriptor = try inNamespace { socket(AF_INET, kind, 0) }
    guard descriptor >= 0 else { throw TestSupportError("no socket: \(errno)") }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.connect(descriptor, $0, size) == 0
      }
    }
    guard isConnected else {
      let number = errno
      close(descriptor)
      throw TestSupportError("no connection to port \(port): \(number)")
    }
    return descriptor
  }

  /// Does `body` in the server's network namespace.
  ///
  /// A socket stays in the one that it was made in, anyone who uses it.
  private func inNamespace(_ body: () -> Int32) throws -> Int32 {
    #if os(Linux)
    guard let namespace else { return body() }
    let (own, other) = (open("/proc/thread-self/ns/net", O_RDONLY), open(namespace, O_RDONLY))
    defer {
      close(own)
      close(other)
    }
    guard own >= 0, other >= 0, Self.enter(other) else {
      throw TestSupportError("no way into \(namespace): \(errno)")
    }
    let result = body()
    // What this thread did from now on would happen somewhere else.
    guard Self.enter(own) else { fatalError("no way back from \(namespace): \(errno)") }
    return result
    #else
    return body()
    #endif
  }

  #if os(Linux)
  /// Has this thread be in a network namespace from now on; gives whether it is.
  ///
  /// The headers show it only to those who ask for all that is GNU's own.
  /// <https://man7.org/linux/man-pages/man2/setns.2.html>
  private static func enter(_ namespace: Int32) -> Bool {
    typealias Function = @convention(c) (Int32, Int32) -> Int32
    guard let symbol = dlsym(nil, "setns") else { return false }
    let isOfNetworks: Int32 = 0x4000_0000
    return unsafeBitCast(symbol, to: Function.self)(namespace, isOfNetworks) == 0
  }
  #endif

  private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      guard count > 0 else { throw TestSupportError("the request could not be sent: \(errno)") }
      rest = rest.dropFirst(count)
    }
  }

  private func read(from descriptor: Int32) throws -> [UInt8] {
    var all: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = part.withUnsafeMutableBytes {
        Foundation.read(descriptor, $0.baseAddress, $0.count)
      }
      guard count >= 0 else { throw TestSupportError("no answer: \(errno)") }
      if count == 0 { return all }
      all += part[..<count]
    }
  }

  private static func answer(in bytes: [UInt8]) throws -> Answer {
    let mark = Array("\r\n\r\n".utf8)
    guard let end = bytes.indices.first(where: { bytes[$0...].starts(with: mark) }) else {
      throw TestSupportError("the answer has no end of its head")
    }
    let head = String(decoding: bytes[..<end], as: UTF8.self)
    guard let status = head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw TestSupportError("the answer has no status: \(head)")
    }
    return Answer(status: status, body: Array(bytes[(end + mark.count)...]))
  }
}
