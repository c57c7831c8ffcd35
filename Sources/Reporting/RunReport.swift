import Core
import Judge
import Metrics

/// Whether the generator kept up, so that its figures can be trusted. Not a figure of the machine: those are `WallClock`.
public struct GeneratorRecord: Hashable, Sendable {
  /// Nil when the run can be trusted; else why not, in one sentence.
  public var invalid: String?
  /// p99 and maximum of `loopLag` on the real clock; nil in virtual time, which has no lag.
  public var lagP99: Duration?
  public var lagMax: Duration?

  public init(invalid: String? = nil, lagP99: Duration? = nil, lagMax: Duration? = nil) {
    self.invalid = invalid
    self.lagP99 = lagP99
    self.lagMax = lagMax
  }
}

/// The figures that depend on the machine and the day, in one block apart.
public struct WallClock: Hashable, Sendable {
  /// When the run began, as ISO 8601 in UTC.
  public var started: String
  public var seconds: Double
  public var cpuSeconds: Double
  public var maxResidentBytes: Int
  public var lagP99: Duration?
  public var lagMax: Duration?

  public init(
    started: String, seconds: Double, cpuSeconds: Double, maxResidentBytes: Int, lagP99: Duration? = nil,
    lagMax: Duration? = nil
  ) {
    self.started = started
    self.seconds = seconds
    self.cpuSeconds = cpuSeconds
    self.maxResidentBytes = maxResidentBytes
    self.lagP99 = lagP99
    self.lagMax = lagMax
  }
}

/// What was run, and with which words to run it again.
public struct RunDescription: Hashable, Sendable {
  public var scenario: String
  public var about: String?
  public var protocolName: String
  /// `embedded`, or the target's URL.
  public var target: String
  public var seed: UInt64
  public var clients: Int
  /// The workload's duration, settle and audit not counted.
  public var duration: Duration
  public var isVirtual: Bool
  public var command: String

  public init(
    scenario: String, about: String? = nil, protocolName: String, target: String, seed: UInt64, clients: Int,
    duration: Duration, isVirtual: Bool, command: String
  ) {
    self.scenario = scenario
    self.about = about
    self.protocolName = protocolName
    self.target = target
    self.seed = seed
    self.clients = clients
    self.duration = duration
    self.isVirtual = isVirtual
    self.command = command
  }
}

/// A finished run: what was measured, what the budgets and clauses say of it, and how it ends.
public struct RunReport: Sendable {
  public var description: RunDescription
  public var record: RunRecord
  public var budgets: [BudgetResult]
  public var clauses: [ClauseLine]
  public var generator: GeneratorRecord
  public var environment: [HeaderField]
  public var wallClock: WallClock
  public var exit: ExitCode
  public var reasons: [ExitReason]

  /// Puts the parts together and decides the outcome. `beforehand` are reasons that are known already (interrupted,
  /// target unreachable).
  public init(
    description: RunDescription, record: RunRecord, budgets: [BudgetResult], clauses: [ClauseLine],
    generator: GeneratorRecord, environment: [HeaderField], wallClock: WallClock, beforehand: [ExitReason] = []
  ) {
    self.description = description
    self.record = record
    self.budgets = budgets
    self.clauses = clauses
    self.generator = generator
    self.environment = environment
    self.wallClock = wallClock
    (exit, reasons) = ExitDecision.decide(
      Outcome.reasons(beforehand: beforehand, generator: generator, budgets: budgets, clauses: clauses, record: record))
  }
}
