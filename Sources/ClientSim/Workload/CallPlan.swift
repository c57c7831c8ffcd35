import Core
import Protocols

/// A call that every client of a fleet makes, again and again.
public final class CallPlan: Sendable {
  /// When calls are made.
  public enum Pace: Hashable, Sendable {
    /// Open: so many a second, whatever the answers do; evenly, or as a Poisson process.
    case constant(perSecond: Double)
    case poisson(perSecond: Double)
    /// Closed: the next one so long after the end of the last.
    case loop(think: Duration)
  }

  /// Position among the fleet's calls.
  public let index: Int
  public let kind: OnebaseCallKind
  public let path: String
  public let arguments: ArgumentsTemplate
  public let pace: Pace
  /// How long after the client's start the first may be made.
  public let start: Duration
  /// An answer that took longer is late.
  public let deadline: Duration
  /// For protocols without arguments: how many bytes a message has, at least those of a marker.
  public let size: Int
  /// The message from the `kind` on, up to the arguments.
  let head: [UInt8]
  let seenBy: [SeenBy]

  init(
    index: Int, kind: OnebaseCallKind, path: String, arguments: ArgumentsTemplate, pace: Pace, start: Duration = .zero,
    deadline: Duration, size: Int = 100, seenBy: [SeenBy] = []
  ) {
    self.index = index
    self.kind = kind
    self.path = path
    self.arguments = arguments
    self.pace = pace
    self.start = start
    self.deadline = deadline
    self.size = size
    self.seenBy = seenBy
    head = Self.head(kind: kind, path: path)
  }

  /// `,"kind":"query","path":"…","args":`
  static func head(kind: OnebaseCallKind, path: String) -> [UInt8] {
    var bytes: [UInt8] = []
    switch kind {
    case .query: bytes.append(json: #","kind":"query","path":"#)
    case .mutation: bytes.append(json: #","kind":"mutation","path":"#)
    case .action: bytes.append(json: #","kind":"action","path":"#)
    }
    bytes.append(jsonString: path)
    bytes.append(json: #","args":"#)
    return bytes
  }

  /// The whole call message, from parts that are JSON already.
  static func message(request: Int64, head: [UInt8], arguments: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(48 + head.count + arguments.count)
    bytes.append(json: #"{"type":"call","requestId":"#)
    bytes.append(number: request)
    bytes.append(contentsOf: head)
    bytes.append(contentsOf: arguments)
    bytes.append(0x7D)
    return bytes
  }
}
