/// Why a server refuses a join, or what a member sent.
public enum PalbaseReason: String, CaseIterable, Hashable, Sendable {
  case unauthorized, forbidden
  case invalidTopic = "invalid_topic"
  case rateLimited = "rate_limited"
  case tooManyChannels = "too_many_channels"
  case stateBudget = "state_budget"
  case unavailable

  /// Only a join that failed for a passing reason is worth trying again.
  public var isWorthRetrying: Bool { self == .unavailable }
}
