import Core
import JSON

/// `refuse`: new connections are turned away while it is on; open ones stay.
public struct Refuse: Fault {
  public static let kind = "refuse"
  public static let summary = "new connections are turned away; open ones stay"
  public static let beginsPerConnection = false

  public enum How: String, CaseIterable, Hashable, Sendable {
    /// Accepted, then an RST: what a proxy without a backend does.
    case acceptThenReset
    /// Accepted and left without a word until the fault ends: what a stopped process does.
    case acceptThenHang
    /// Nobody listens; the system refuses. With a target that is not all, those hit are reset as they are accepted.
    case closed
    /// The upgrade is answered with an HTTP status.
    case upgrade
  }

  public var how: How
  /// For `upgrade`.
  public var status: Int
  public var retryAfter: Duration?

  public init(how: How = .acceptThenReset, status: Int = 503, retryAfter: Duration? = nil) {
    self.how = how
    self.status = status
    self.retryAfter = retryAfter
  }

  public init?(_ options: SectionDecoder) {
    let how: How? = options.choice("how")
    if options.has("how"), how == nil { return nil }
    let status = options.integer("status", in: 200...599)
    let retryAfter = options.duration("retryAfter", in: .zero...SectionDecoder.longest)
    if (how ?? .acceptThenReset) != .upgrade {
      for key in ["status", "retryAfter"] where options.has(key) {
        options.mistake(key, "\"\(key)\" goes with an answer", expected: "how: \"upgrade\" beside it")
      }
    }
    self.init(how: how ?? .acceptThenReset, status: status ?? 503, retryAfter: retryAfter)
  }

  public func check(_ entry: FaultEntry, _ options: SectionDecoder) {
    guard how == .closed, entry.target != .all else { return }
    options.diagnostics.warning(
      at: options.location(of: "how"),
      "a listener cannot be closed for \(entry.target) alone: it stays open, and those hit are reset as they are accepted"
    )
  }

  public func judgedAs(_ entry: FaultEntry) -> String { "\(Self.kind):\(visibleHow(entry.target).rawValue)" }

  /// As it is seen at the proxy: a listener that cannot be closed for some lets them be seen as they are reset.
  func visibleHow(_ target: FaultTarget) -> How { how == .closed && target != .all ? .acceptThenReset : how }

  public var hooks: FaultHooks { .accept }

  public func started(_ proxy: any FaultedProxy, _ scope: FaultScope) {
    if how == .closed, scope.entry.target == .all { proxy.closeListener(by: scope.entry) }
  }

  public func ended(_ proxy: any FaultedProxy, _ scope: FaultScope) {
    if how == .closed, scope.entry.target == .all { proxy.openListener(by: scope.entry) }
  }

  public func accept(_ scope: FaultScope) -> AcceptDecision {
    switch how {
    case .acceptThenReset, .closed: .reset
    case .acceptThenHang: .hang
    case .upgrade: .answer(status: status, retryAfter: retryAfter)
    }
  }
}
