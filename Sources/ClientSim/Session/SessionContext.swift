import Core
import Protocols

/// What a session is told once: who it is, what its fleet does, and where its randomness comes from.
public struct SessionContext {
  public var client: ClientID
  public var plan: FleetPlan
  /// The scenario's seed; streams are derived from it per purpose and client.
  public var seed: UInt64
  /// Goes into markers, and tells this run's from those another run left on the server.
  public var runTag: UInt32
  /// The client's own credential; nil to be anonymous. Never printed.
  public var token: String?
  /// The values that clients of one loop share.
  public var values: ValueStore
  /// Whether somebody listens to intents; where nobody does, none are made.
  public var wantsIntents: Bool
  /// The names of palbase's events.
  public var wire = PalbaseWire()

  public init(
    client: ClientID, plan: FleetPlan, seed: UInt64, runTag: UInt32, token: String? = nil,
    values: ValueStore = ValueStore(), wantsIntents: Bool = true
  ) {
    self.client = client
    self.plan = plan
    self.seed = seed
    self.runTag = runTag
    self.token = token
    self.values = values
    self.wantsIntents = wantsIntents
  }

  /// What it deliberately does wrong.
  public var behave: Set<Behaviour> { plan.behave }
}
