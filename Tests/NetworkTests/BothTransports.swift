import Core
import Network
import TestSupport
import Testing

/// A transport to run one test on: in memory with virtual time, or TCP with the machine's.
enum Medium: String, CaseIterable, CustomTestStringConvertible {
  case memory, tcp4, tcp6

  var testDescription: String { rawValue }

  /// Any free port of this machine.
  var anyAddress: SocketAddress {
    self == .tcp6 ? .loopback6(port: 0) : .loopback(port: 0)
  }

  func run<T: Sendable>(_ body: @escaping @Sendable (any Transport, SocketAddress) async throws -> T) throws -> T {
    let address = anyAddress
    switch self {
    case .memory:
      let world = VirtualWorld()
      return try world.run { try await body(world.transport, address) }
    case .tcp4, .tcp6:
      let loop = EventLoop(clock: .monotonic)
      let transport = TCPTransport(loop: loop)
      return try loop.run { try await body(transport, address) }
    }
  }
}

/// Both ends of a connection that `transport` made, recorded.
///
/// @unchecked: confined to its transport's loop.
final class ConnectedPair: @unchecked Sendable {
  let client: RecordingStreamHandler
  let server: RecordingStreamHandler
  let listener: any Listener

  private init(_ client: RecordingStreamHandler, _ server: RecordingStreamHandler, _ listener: any Listener) {
    self.client = client
    self.server = server
    self.listener = listener
  }

  static func make(_ transport: any Transport, _ address: SocketAddress) async throws -> ConnectedPair {
    let accepted = Record<RecordingStreamHandler>()
    let waiter = Waiter(loop: transport.loop, label: "accept")
    let listener = try transport.listen(on: address) {
      accepted.values.append(RecordingStreamHandler($0))
      waiter.signal()
    }
    let client = RecordingStreamHandler(try await transport.connect(to: listener.address))
    if accepted.values.isEmpty { try await waiter.wait() }
    return ConnectedPair(client, accepted.values[0], listener)
  }
}
