import Core
import Protocols

/// OB-C6: clients that were dropped together do not come back together.
struct BackoffIsDispersed: Clause {
  static let info = ClauseInfo("OB-C6", .client, .fleet, level: .should, "Backoff is dispersed.")
  static let topics: Topics = [.attempt]

  private var herd: Herd

  init(_ options: JudgeOptions) { herd = Herd(options) }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    herd.attempt(observation, place, scene)
  }

  mutating func ended(_ place: Place, at time: Instant, cut: Bool, _ scene: inout Scene) {
    herd.ended(place, at: time, cut: cut, scene)
  }

  mutating func merge(_ other: Self) { herd.merge(other.herd) }
  func finding() -> ClauseFinding { herd.finding(Self.info) }
}
