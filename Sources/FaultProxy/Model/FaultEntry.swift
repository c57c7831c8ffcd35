public import Core
public import JSON

/// One fault of a timeline: what, when, whom, which way.
public struct FaultEntry: Sendable {
  /// Position in the timeline, from 0.
  public var ordinal: Int
  /// The scenario's name for it, or `kind#ordinal`.
  public var name: String
  /// `latency`, `reset`, …
  public var kind: String
  public var trigger: FaultTrigger
  public var target: FaultTarget
  /// `.both` for faults that know no direction.
  public var direction: FaultDirection
  public var fault: any Fault
  /// Where it stands in the scenario.
  public var location: SourceLocation

  public init(
    ordinal: Int, name: String? = nil, trigger: FaultTrigger, target: FaultTarget = .all,
    direction: FaultDirection? = nil, fault: any Fault, location: SourceLocation = .outside("a program")
  ) {
    let kind = type(of: fault).kind
    self.ordinal = ordinal
    self.name = name ?? "\(kind)#\(ordinal)"
    self.kind = kind
    self.trigger = trigger
    self.target = target
    self.direction = direction ?? type(of: fault).defaultDirection ?? .both
    self.fault = fault
    self.location = location
  }

  /// What tells this fault's draws from another's: its name, so that a named fault keeps its members wherever it is moved.
  public var salt: UInt64 { StableHash.of(name.utf8) }
  /// The set of this fault alone.
  public var faultSet: FaultSet { FaultSet(ordinal: ordinal) }
  /// Whether it happens at one moment and has no window.
  public var isMoment: Bool { type(of: fault).isMoment && !trigger.isPerConnection }
  /// What it acts through.
  public var hooks: FaultHooks { trigger.needsMessages ? fault.hooks.union([.frames, .messages]) : fault.hooks }

  /// Whether it has to know where connections come from.
  var needsHost: Bool {
    if case .address = target { return true }
    return fault is FailFirst
  }

  /// Whether it begins, or acts, on each connection at a time of its own.
  var needsOwnTimes: Bool { trigger.isPerConnection || hooks.contains(.ages) }

  /// Whether it has to see frames, so that connections must be tracked from their first byte.
  public var needsFrames: Bool { !hooks.isDisjoint(with: [.frames, .messages, .boundaries]) }

  /// Whether `subject` is one of those it hits; the answer never changes.
  public func hits(_ subject: FaultTarget.Subject, seed: UInt64) -> Bool {
    target.contains(subject, seed: seed, salt: salt)
  }
}
