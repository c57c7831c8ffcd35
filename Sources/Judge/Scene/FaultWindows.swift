import Core

/// When faults and stalls were on, so that a clause knows which of its intervals are blurred.
public struct FaultWindows: Sendable {
  /// What a fault hides from the proxy's own eyes.
  public struct Blur: OptionSet, Sendable {
    public var rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Bytes wait unread, so what was sent may be seen late.
    public static let messages = Blur(rawValue: 1)
    /// Attempts may fail without being seen.
    public static let attempts = Blur(rawValue: 2)
    /// The generator was late, so the times it saw are not to be trusted.
    public static let times = Blur(rawValue: 4)
    static let everything: Blur = [.messages, .attempts, .times]
  }

  private struct Window: Sendable {
    var ordinal: Int
    var blur: Blur
    var start: Int64
    var end: Int64
  }

  /// How many closed windows are kept; beyond, the two oldest become one that spans both.
  private static let capacity = 128

  private var windows: [Window] = []
  /// A fault has sent calls to servers more than once, so that a mutation may rightly have run twice.
  public private(set) var repeatsCalls = false
  private let kinds: [String]

  init(_ options: JudgeOptions) { kinds = options.faultKinds }

  /// What a fault of this kind blurs; of a kind that is not known, everything.
  static func blur(of kind: String) -> Blur {
    let name = kind.prefix { $0 != ":" }
    let how = kind.dropFirst(name.count + 1)
    switch name {
    // What these do is seen where it comes in, at the moment it comes in.
    case "latency", "limit", "corrupt", "reset", "close", "closeFrame", "halfOpen", "slowHandshake", "failFirst",
      "lifetime", "deadHeartbeat", "dropMessage", "delayMessage", "duplicateMessage", "reorderMessages", "editMessage":
      return []
    case "refuse", "serverRestart":
      // Only a closed listener hides attempts; so may a refusal of which no more is known.
      return ["acceptThenReset", "acceptThenHang", "upgrade"].contains(how) ? [] : .attempts
    // What is thrown away is read, so it is seen; what is held is not read beyond a cap.
    case "blackhole": return how == "discarded" ? [] : .messages
    case "partition": return how == "reset" ? [] : .messages
    case "bandwidth", "slice", "stall": return .messages
    default: return .everything
    }
  }

  private static func repeatsCalls(_ kind: String) -> Bool {
    kind.hasPrefix("duplicateMessage") && kind != "duplicateMessage:down"
  }

  mutating func take(_ edge: FaultEdge, at time: Instant) {
    switch edge.edge {
    case .started:
      if kinds.indices.contains(edge.ordinal), Self.repeatsCalls(kinds[edge.ordinal]) { repeatsCalls = true }
      let blur = kinds.indices.contains(edge.ordinal) ? Self.blur(of: kinds[edge.ordinal]) : .everything
      if !blur.isEmpty { add(Window(ordinal: edge.ordinal, blur: blur, start: time.nanoseconds, end: .max)) }
    case .ended:
      for index in windows.indices where windows[index].ordinal == edge.ordinal && windows[index].end == .max {
        windows[index].end = time.nanoseconds
      }
    case .applied: break
    }
  }

  /// The generator's loop came this late to `time`: what it saw at `time` may have happened since.
  mutating func takeStall(_ length: Duration, at time: Instant) {
    let start = time.nanoseconds &- length.nanoseconds
    if let last = windows.indices.last, windows[last].ordinal == -1, windows[last].end >= start {
      windows[last].end = time.nanoseconds
    } else {
      add(Window(ordinal: -1, blur: .everything, start: start, end: time.nanoseconds))
    }
  }

  private mutating func add(_ window: Window) {
    windows.append(window)
    guard windows.count > Self.capacity else { return }
    windows[1].start = min(windows[0].start, windows[1].start)
    windows[1].end = max(windows[0].end, windows[1].end)
    windows[1].blur.formUnion(windows[0].blur)
    windows.remove(at: 0)
  }

  /// Whether any of the interval is blurred.
  public func overlaps(_ blur: Blur, _ from: Instant, _ to: Instant) -> Bool {
    windows.contains {
      !$0.blur.isDisjoint(with: blur) && $0.start <= to.nanoseconds && $0.end >= from.nanoseconds
    }
  }

  /// How much of the interval is not blurred.
  public func clear(_ blur: Blur, _ from: Instant, _ to: Instant) -> Duration {
    guard from < to else { return .zero }
    // Windows may overlap each other, so they are walked in order of their starts.
    var clear: Int64 = 0
    var at = from.nanoseconds
    for window in windows.filter({ !$0.blur.isDisjoint(with: blur) }).sorted(by: { $0.start < $1.start }) {
      if window.start > at { clear += min(window.start, to.nanoseconds) - at }
      at = max(at, min(window.end, to.nanoseconds))
      if at >= to.nanoseconds { return .nanoseconds(clear) }
    }
    return .nanoseconds(clear + max(0, to.nanoseconds - at))
  }
}
