import Core
import JSON
import WebSocket

/// `corrupt`: messages arrive damaged, in one of several ways.
public struct Corrupt: Fault {
  public static let kind = "corrupt"
  public static let summary = "messages arrive damaged: in their payload, their frame's header, mask, UTF-8 or JSON"
  public static let defaultDirection: FaultDirection? = .down

  public enum How: String, CaseIterable, Hashable, Sendable {
    /// Some bits of the payload are flipped; the frame is valid.
    case payload
    /// Some bits of the first two bytes of the frame are flipped: FIN, reserved bits, opcode, mask bit, length.
    case header
    /// A client's frame comes unmasked, a server's masked.
    case mask
    /// A byte of a text message is one that UTF-8 does not have.
    case utf8
    /// A text message is cut off before its end, in a frame of its own length.
    case json
  }

  public var how: How
  /// How many bits are flipped, for `payload` and `header`.
  public var bits: Int
  public var match: MessageMatch

  public init(how: How = .payload, bits: Int = 1, match: MessageMatch = MessageMatch()) {
    self.how = how
    self.bits = bits
    self.match = match
  }

  public init?(_ options: SectionDecoder) {
    let how: How? = options.choice("how")
    if options.has("how"), how == nil { return nil }
    let bits = options.integer("bits", in: 1...64)
    if options.has("bits"), how == .mask || how == .utf8 || how == .json {
      options.mistake("bits", "\"bits\" goes with flipped bits", expected: "how: \"payload\" or \"header\" beside it")
    }
    guard let match = MessageMatch.decode(options) else { return nil }
    self.init(how: how ?? .payload, bits: bits ?? 1, match: match)
  }

  public var hooks: FaultHooks { [.frames, .messages] }

  public func filter(_ scope: FaultScope, _ direction: Direction) -> FrameFilter? {
    Filter(self, direction, random: scope.random(direction))
  }

  /// @unchecked: confined to its connection's loop.
  private final class Filter: FrameFilter, @unchecked Sendable {
    private let options: Corrupt
    private let direction: Direction
    private let matcher: MessageMatcher
    private var random: SeededRandom

    init(_ options: Corrupt, _ direction: Direction, random: SeededRandom) {
      self.options = options
      self.direction = direction
      var random = random
      // Whom it hits and how it hits are drawn apart.
      matcher = MessageMatcher(options.match, random: random)
      for _ in 0..<3 { _ = random.next() }
      self.random = SeededRandom(seed: random.next(), purpose: .faultOptions)
    }

    override var wantsMessages: Bool { true }

    override func message(_ message: WireMessage, at now: Instant) -> MessageDecision {
      if message.payload.isEmpty, options.how != .header, options.how != .mask { return .pass }
      if !message.isText, options.how == .utf8 || options.how == .json { return .pass }
      guard matcher.takes(message) else { return .pass }
      var payload = message.payload
      switch options.how {
      case .payload:
        flip(&payload, within: payload.count)
        return .replace(payload)
      case .utf8:
        payload[place(payload.count)] = 0xFF
        return .replace(payload)
      case .json: return .replace(Array(payload.prefix(place(payload.count))))
      case .header:
        var frame = Self.frame(message, masked: direction == .up)
        flip(&frame, within: 2)
        return .corrupt(frame, reason: "flipped bits in a frame's header")
      case .mask:
        return .corrupt(
          Self.frame(message, masked: direction == .down),
          reason: direction == .up ? "unmasked frame from a client" : "masked frame from a server")
      }
    }

    private static func frame(_ message: WireMessage, masked: Bool) -> [UInt8] {
      var frame: [UInt8] = []
      FrameWriter.write(
        message.isText ? .text : .binary, payload: message.payload, mask: masked ? maskingKey : nil, into: &frame)
      return frame
    }

    private func place(_ count: Int) -> Int { Int(random.integer(in: 0...Int64(count - 1))) }

    /// Flips bits at different places.
    private func flip(_ bytes: inout [UInt8], within count: Int) {
      var flipped: Set<Int> = []
      while flipped.count < min(options.bits, count * 8) {
        let bit = place(count * 8)
        if flipped.insert(bit).inserted { bytes[bit / 8] ^= 1 << UInt8(bit % 8) }
      }
    }
  }
}
