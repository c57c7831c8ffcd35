import Glibc

/// What went wrong with a connection, a listener or a name. Compare with the named values: `error == .refused`,
/// `case .timedOut:`; the address it happened at does not count.
public struct NetworkError: Error, Equatable, Sendable, CustomStringConvertible {
  private enum Code: Equatable {
    case refused, timedOut, reset, closed, cancelled, unreachable, addressInUse, noDescriptors, noPorts
    case resolution(String)
    case other(Int32)
  }

  private let code: Code
  /// Where it happened, if known.
  public private(set) var address: SocketAddress?

  private init(_ code: Code) { self.code = code }

  /// Nothing listens there.
  public static let refused = NetworkError(.refused)
  /// No answer within the time given.
  public static let timedOut = NetworkError(.timedOut)
  /// The peer ended the connection with an RST.
  public static let reset = NetworkError(.reset)
  /// This side has closed the stream, or its sending half.
  public static let closed = NetworkError(.closed)
  /// The task or the operation was cancelled.
  public static let cancelled = NetworkError(.cancelled)
  /// No route to the host or its network.
  public static let unreachable = NetworkError(.unreachable)
  /// Another listener holds the address.
  public static let addressInUse = NetworkError(.addressInUse)
  /// The process or the machine has no descriptor left.
  public static let noDescriptors = NetworkError(.noDescriptors)
  /// The source address has no free port to this destination.
  public static let noPorts = NetworkError(.noPorts)
  /// A name could not be resolved.
  public static func resolution(_ text: String) -> NetworkError { NetworkError(.resolution(text)) }
  /// What the system said, where no other value fits.
  public static func other(_ errno: Int32) -> NetworkError { NetworkError(errno: errno) }

  init(errno code: Int32) {
    switch code {
    case ECONNREFUSED: self.code = .refused
    case ETIMEDOUT: self.code = .timedOut
    case ECONNRESET, EPIPE, ECONNABORTED: self.code = .reset
    case ECANCELED: self.code = .cancelled
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN: self.code = .unreachable
    case EADDRINUSE: self.code = .addressInUse
    case EMFILE, ENFILE: self.code = .noDescriptors
    case EADDRNOTAVAIL: self.code = .noPorts
    default: self.code = .other(code)
    }
  }

  /// The same error, with where it happened.
  public func at(_ address: SocketAddress) -> NetworkError {
    var copy = self
    copy.address = address
    return copy
  }

  public static func == (a: NetworkError, b: NetworkError) -> Bool { a.code == b.code }

  /// One word for tables and reports: "refused", "timed out", "reset", …
  public var name: String {
    switch code {
    case .refused: "refused"
    case .timedOut: "timed out"
    case .reset: "reset"
    case .closed: "closed"
    case .cancelled: "cancelled"
    case .unreachable: "unreachable"
    case .addressInUse: "address in use"
    case .noDescriptors: "no descriptors"
    case .noPorts: "no ports"
    case .resolution: "not resolved"
    case .other(let code): String(cString: strerror(code))
    }
  }

  public var description: String {
    let place = address.map { "\($0): " } ?? ""
    switch code {
    case .refused: return place + "connection refused (nothing listens there)"
    case .timedOut: return place + "timed out"
    case .reset: return place + "connection reset by peer"
    case .closed: return place + "the connection is closed"
    case .cancelled: return place + "cancelled"
    case .unreachable: return place + "no route to the host"
    case .addressInUse: return place + "address in use (another process listens there)"
    case .noDescriptors: return place + "no descriptors left (raise the limit with ulimit -n, or use fewer clients)"
    case .noPorts:
      return place + "no free port to this destination (use more source addresses or listeners), or no such address"
    case .resolution(let text): return place + text
    case .other(let code): return place + "\(String(cString: strerror(code))) (errno \(code))"
    }
  }
}
