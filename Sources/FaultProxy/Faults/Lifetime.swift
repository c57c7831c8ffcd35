import Core
import JSON
import WebSocket

/// `lifetime`: each connection ends at an age of its own, as behind a load balancer that lets none grow old.
public struct Lifetime: Fault {
  public static let kind = "lifetime"
  public static let summary = "each connection ends at an age drawn from a distribution"
  public static let beginsPerConnection = false
  public static let shortest = Duration.milliseconds(1)
  public static let longest = Duration.seconds(7 * 24 * 3600)

  public var age: DrawnDuration
  public var end: ConnectionEnd

  public init(age: DrawnDuration, end: ConnectionEnd = .close) {
    self.age = age
    self.end = end
  }

  public init?(_ options: SectionDecoder) {
    let end: ConnectionEnd? = options.choice("how")
    guard let age = DrawnDuration(options, "age", in: Self.shortest...Self.longest) else { return nil }
    self.init(age: age, end: end ?? .close)
  }

  public var hooks: FaultHooks { end == .closeFrame ? [.ages, .boundaries] : .ages }

  public func age(_ scope: FaultScope) -> Duration {
    var random = scope.random()
    return age.draw(&random)
  }

  public func apply(to connection: any FaultedConnection, _ scope: FaultScope) {
    end.apply(to: connection, scope.entry, code: CloseCode.goingAway)
  }
}
