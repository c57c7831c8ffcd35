import Core
import Protocols

/// What a clause wants to hear of; the judge calls it for nothing else.
public struct Topics: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let attempt = bit(0)
  public static let upstream = bit(1)
  public static let upgradeRequest = bit(2)
  public static let upgradeResponse = bit(3)
  public static let intent = bit(4)
  public static let http = bit(5)
  public static let audit = bit(6)
  public static let fault = bit(7)
  public static let run = bit(8)
  /// Pings, pongs and close frames as the client's side shows them, and as the server's side does.
  public static let nearControl = bit(9)
  public static let farControl = bit(10)
  /// Bytes that are no WebSocket.
  public static let violation = bit(11)

  /// Messages as the client's side shows them: what the client sent, and what reached it.
  public static func near(_ classes: MessageClass...) -> Topics {
    classes.reduce(into: []) { $0.insert(bit(16 + $1.rawValue)) }
  }
  /// Messages as the server's side shows them: what reached the server, and what it sent.
  public static func far(_ classes: MessageClass...) -> Topics {
    classes.reduce(into: []) { $0.insert(bit(40 + $1.rawValue)) }
  }

  /// Every message that a client sends, as it sent it.
  public static let everythingSent = near(.auth, .subscribe, .unsubscribe, .call, .otherUp)

  private static func bit(_ index: UInt8) -> Topics { Topics(rawValue: 1 << UInt64(index)) }

  /// The index of the one bit that a message belongs to.
  @inline(__always)
  static func index(_ side: Side, _ message: MessageClass) -> Int {
    Int(message.rawValue) + (side == .client ? 16 : 40)
  }
}

/// The classes of messages that clauses tell apart.
public enum MessageClass: UInt8, CaseIterable, Sendable {
  case auth, subscribe, unsubscribe, call, authReply, update, result, transition
  /// An update that only shows something new: ok, and at the server's side of a subscription that was live and well.
  /// Most messages of a run are such, so few clauses should listen.
  case steadyUpdate
  /// What a client or a server sent that is none of the above.
  case otherUp, otherDown

  @inline(__always)
  init(_ kind: MessageKind, _ direction: Direction) {
    switch kind {
    case .onebaseAuth: self = .auth
    case .onebaseSubscribe: self = .subscribe
    case .onebaseUnsubscribe: self = .unsubscribe
    case .onebaseCall: self = .call
    case .onebaseAuthReply: self = .authReply
    case .onebaseUpdate: self = .update
    case .onebaseResult: self = .result
    case .onebaseTransition: self = .transition
    default: self = direction == .up ? .otherUp : .otherDown
    }
  }
}
