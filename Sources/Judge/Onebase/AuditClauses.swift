import Core
import Protocols

/// OB-S12: a call runs at most once per send, and what was acknowledged is there.
struct MutationRunsOnce: TallyingClause {
  static let info = ClauseInfo(
    "OB-S12", .server, .fleet, sources: [.wire, .audit],
    "A call runs at most once per send, and an acknowledged mutation is there.")
  static let topics = Topics.far(.update, .steadyUpdate, .transition).union(.audit)

  var tally = Tally()
  private var audits = 0
  /// Fingerprints of values that were looked into, so that a fan-out is looked into once.
  private var seen = [UInt64](repeating: 0, count: 256)
  private var scratch: [UInt64] = []
  /// How many markers of one value are looked at.
  private static let capacity = 1_024

  private static let repeated = "markers stand twice, and a fault has sent calls more than once"

  init(_ options: JudgeOptions) {}

  var tolerance: String { "a marker once within a value; every acknowledged one in the audit's values" }

  mutating func observe(_ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene) {
    if message.facts.kind == .onebaseUpdate { return look(message.facts, message, observation, place, &scene) }
    for part in message.facts.parts where part.kind == .onebaseUpdate {
      look(part, message, observation, place, &scene)
    }
  }

  private mutating func look(
    _ facts: MessageFacts, _ message: WireMessage, _ observation: Observation, _ place: Place, _ scene: inout Scene
  ) {
    guard let value = facts.value, facts.flags.contains(.ok), Int(value.upper) <= message.payload.count else { return }
    let fingerprint = scene.fingerprint(of: message, value)
    let slot = Int(fingerprint & 255)
    guard seen[slot] != fingerprint else { return }
    seen[slot] = fingerprint
    scratch.removeAll(keepingCapacity: true)
    var keys = scratch
    scratch = []
    Markers.forEach(in: message.payload, value) {
      keys.append($0.key)
      return keys.count < Self.capacity
    }
    keys.sort()
    var twice: UInt64?
    for index in keys.indices.dropFirst() where keys[index] == keys[index - 1] { twice = keys[index] }
    scratch = keys
    if twice != nil, scene.windows.repeatsCalls {
      tally.doubted(Self.repeated, at: observation.time)
    } else if let twice {
      violate(
        "the marker of \(ClientID(UInt32(truncatingIfNeeded: twice >> 32))), mutation \(twice & 0xFFFF_FFFF), "
          + "stands twice within one value", at: observation.time, place, &scene, faults: observation.faults)
    } else if !keys.isEmpty {
      tally.kept(faults: observation.faults)
    }
  }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard case .audit(let answer) = observation.event else { return }
    let name = answer.subscription.prefix(80)
    guard answer.fresh != nil else {
      return tally.doubted("the audit's query of \(name) failed", at: observation.time)
    }
    audits += 1
    if answer.missing.isEmpty, answer.repeated.isEmpty { return tally.kept() }
    if let marker = answer.missing.first {
      violate(
        "\(answer.missing.count) acknowledged mutations are not in \(name): the first is \(marker.client)'s, number "
          + "\(marker.sequence), meant for \(marker.sent)", at: observation.time, place, &scene,
        severity: Double(answer.missing.count))
    }
    if let marker = answer.repeated.first {
      if scene.windows.repeatsCalls { return tally.doubted(Self.repeated, at: observation.time) }
      violate(
        "\(answer.repeated.count) markers stand more than once in \(name): the first is \(marker.client)'s, number "
          + "\(marker.sequence)", at: observation.time, place, &scene, severity: Double(answer.repeated.count))
    }
  }

  mutating func merge(_ other: Self) {
    tally.merge(other.tally)
    audits += other.audits
  }

  func finding() -> ClauseFinding {
    var finding = tally.finding(Self.info, tolerance: tolerance)
    if finding.verdict == .pass, audits == 0 {
      finding.verdict = .inconclusive
      finding.reason = "no marker stood twice within a value, but no audit said whether all are there"
    }
    return finding
  }
}

/// OB-S13: once faults have healed, a subscription shows what a fresh query answers.
struct SubscriptionsConverge: TallyingClause {
  static let info = ClauseInfo(
    "OB-S13", .server, .fleet, sources: [.wire, .audit], "After faults heal, subscriptions converge.")
  static let topics: Topics = [.audit]

  var tally = Tally()

  init(_ options: JudgeOptions) {}

  var tolerance: String { "the last value of every live subscription equals a fresh query's, once settled" }

  mutating func observe(_ observation: Observation, _ place: Place, _ scene: inout Scene) {
    guard case .audit(let answer) = observation.event else { return }
    let name = answer.subscription.prefix(80)
    guard let fresh = answer.fresh else {
      return tally.doubted("the audit's query of \(name) failed", at: observation.time)
    }
    guard let shown = answer.shown else {
      return tally.doubted("\(name) had shown no value when the audit asked", at: observation.time)
    }
    if fresh == shown { return tally.kept() }
    violate(
      "the last value of \(name) is not what a fresh query answers", at: observation.time, place, &scene)
  }
}

/// A cheap fingerprint of a value: its length and a few of its words. Different values may share one, rarely.
enum Fingerprint {
  static func of(_ payload: [UInt8], _ range: ByteRange) -> UInt64 {
    payload.withUnsafeBytes { bytes in
      let count = range.count
      var hash = SeededRandom.mix(UInt64(count))
      let start = Int(range.lower)
      if count < 128 { return StableHash.of(UnsafeRawBufferPointer(rebasing: bytes[range.range]), seed: hash) }
      let stride = (count - 8) / 11
      for step in 0..<12 {
        let word = bytes.loadUnaligned(fromByteOffset: start + step * stride, as: UInt64.self)
        hash = SeededRandom.mix(hash ^ word)
      }
      return hash
    }
  }
}
