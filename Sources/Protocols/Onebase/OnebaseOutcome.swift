import JSON

/// How a subscription's run or a call went: its value, or the error that stands for it.
public enum OnebaseOutcome: Equatable, Sendable {
  case ok(value: JSONValue)
  /// `data` is what a ConvexError carries; nil where the message has none.
  case failed(error: String, data: JSONValue?)

  public var isOK: Bool {
    if case .ok = self { return true }
    return false
  }
}

/// A subscription's new result.
public struct OnebaseUpdate: Equatable, Sendable {
  /// The id that the client chose for the subscription.
  public var id: Int64
  public var outcome: OnebaseOutcome

  public init(id: Int64, outcome: OnebaseOutcome) {
    self.id = id
    self.outcome = outcome
  }
}

/// The answer to a call.
public struct OnebaseResult: Equatable, Sendable {
  /// The number that the client chose for the call.
  public var requestId: Int64
  public var outcome: OnebaseOutcome

  public init(requestId: Int64, outcome: OnebaseOutcome) {
    self.requestId = requestId
    self.outcome = outcome
  }
}
