/// Decides what a token is worth: from the table of the options, and by what its text says.
///
/// By convention `ok-SUBJECT` is valid, `flaky-N-SUBJECT` fails N times as a passing trouble and works from then on,
/// `ended-…` and everything unknown is gone for good. The table wins over the convention.
struct TokenBook {
  enum Verdict: Equatable {
    case anonymous
    case valid(OnebaseIdentity)
    case refused(error: String, ended: Bool)
  }

  private let known: [String: OnebaseIdentity]
  private let conventions: Bool
  private var revoked: Set<String> = []
  /// How often a flaky token was tried, up to the number after which it works.
  private var tries: [String: Int] = [:]
  /// Flaky tokens beyond so many are not counted, and work at once.
  private static let mostCounted = 100_000

  init(known: [String: OnebaseIdentity], conventions: Bool) {
    self.known = known
    self.conventions = conventions
  }

  /// From now on the token has ended: its user signed out.
  mutating func revoke(_ token: String) { revoked.insert(token) }

  mutating func verdict(for token: String?) -> Verdict {
    guard let token else { return .anonymous }
    if revoked.contains(token) { return .refused(error: "The session has ended", ended: true) }
    if let identity = known[token] { return .valid(identity) }
    guard conventions else { return Self.unknown }
    if let subject = Self.text(after: "ok-", in: token) { return .valid(Self.identity(subject)) }
    if let rest = Self.text(after: "flaky-", in: token), let dash = rest.firstIndex(of: "-"),
      let failures = Int(rest[..<dash]), failures >= 0, rest.index(after: dash) < rest.endIndex
    {
      return flaky(token, failures: failures, subject: rest[rest.index(after: dash)...])
    }
    if token.hasPrefix("ended-") { return .refused(error: "The session has ended", ended: true) }
    return Self.unknown
  }

  private mutating func flaky(_ token: String, failures: Int, subject: Substring) -> Verdict {
    let sofar = tries[token] ?? 0
    guard sofar < failures, tries[token] != nil || tries.count < Self.mostCounted else {
      return .valid(Self.identity(subject))
    }
    tries[token] = sofar + 1
    return .refused(error: "The token could not be checked, try again", ended: false)
  }

  private static let unknown = Verdict.refused(error: "The token is not known here", ended: true)

  private static func text(after prefix: String, in token: String) -> Substring? {
    guard token.hasPrefix(prefix), token.utf8.count > prefix.utf8.count else { return nil }
    return token.dropFirst(prefix.count)
  }

  private static func identity(_ subject: Substring) -> OnebaseIdentity {
    OnebaseIdentity(subject: String(subject), email: "\(subject)@example.com")
  }
}
