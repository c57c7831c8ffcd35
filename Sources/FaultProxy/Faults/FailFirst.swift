import Core
import JSON

/// `failFirst`: the first attempts of each client to connect fail, the later ones work.
public struct FailFirst: Fault {
  public static let kind = "failFirst"
  public static let summary = "the first `attempts` connections of each client are turned away, later ones work"
  public static let beginsPerConnection = false

  /// How many fail, of each client, from when the fault begins.
  public var attempts: Int
  /// How they fail.
  public var refusal: Refuse

  public init(attempts: Int = 1, refusal: Refuse = Refuse()) {
    self.attempts = attempts
    self.refusal = refusal
  }

  public init?(_ options: SectionDecoder) {
    let attempts = options.integer("attempts", in: 1...1_000_000, required: true)
    let refusal = Refuse(options)
    guard let attempts, let refusal else { return nil }
    if refusal.how == .closed {
      options.mistake(
        "how", "a listener cannot be closed for one client's attempts",
        expected: "\"acceptThenReset\", \"acceptThenHang\" or \"upgrade\"")
      return nil
    }
    self.init(attempts: attempts, refusal: refusal)
  }

  public var hooks: FaultHooks { .accept }

  public func makeShared() -> AnyObject? { Attempts() }

  public func accept(_ scope: FaultScope) -> AcceptDecision {
    guard let made = scope.shared as? Attempts, let subject = scope.subject else { return .proceed }
    return made.count(subject) <= attempts ? refusal.accept(scope) : .proceed
  }

  /// How many connections each client has made since the fault began. One that does not say who it is goes by its host.
  private final class Attempts {
    private static let mostHosts = 65536
    private var clients: [ClientID: Int] = [:]
    private var hosts: [String: Int] = [:]

    func count(_ subject: FaultTarget.Subject) -> Int {
      if let client = subject.client {
        clients[client, default: 0] += 1
        return clients[client] ?? 0
      }
      if hosts[subject.host] == nil, hosts.count >= Self.mostHosts { return .max }
      hosts[subject.host, default: 0] += 1
      return hosts[subject.host] ?? 0
    }
  }
}
