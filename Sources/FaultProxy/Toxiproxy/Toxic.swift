import Core
import JSON

/// A toxic as Toxiproxy's API writes it, and the fault that does what it says.
struct Toxic: Sendable {
  enum Kind: String, CaseIterable, Sendable {
    case latency, bandwidth, slicer, timeout
    case slowClose = "slow_close"
    case resetPeer = "reset_peer"
    case limitData = "limit_data"

    /// Its attributes, all whole numbers, in the order Toxiproxy lists them.
    var attributes: [String] {
      switch self {
      case .latency: ["latency", "jitter"]
      case .bandwidth: ["rate"]
      case .slowClose: ["delay"]
      case .timeout, .resetPeer: ["timeout"]
      case .slicer: ["average_size", "size_variation", "delay"]
      case .limitData: ["bytes"]
      }
    }
  }

  enum Stream: String, CaseIterable, Sendable {
    case upstream, downstream
    var direction: FaultDirection { self == .upstream ? .up : .down }
  }

  /// Larger numbers are no sensible attributes; in milliseconds this is 30 years.
  private static let largest: Int64 = 1_000_000_000_000

  var name: String
  var kind: Kind
  var stream: Stream
  /// 0 to 1: the share of connections it hits. Which ones is drawn once by its name.
  var toxicity: Double
  /// In the order of `kind.attributes`.
  var values: [Int64]

  /// Reads a body; `former` is the toxic that is changed, whose type and stream stay. Unknown keys are passed over, as
  /// Toxiproxy does.
  static func decode(_ body: LocatedValue, changing former: Toxic? = nil) throws(ControlError) -> Toxic {
    guard body.members != nil else { throw ControlError(400, "bad request body: a toxic is an object { … }") }
    func text(_ key: String) throws(ControlError) -> String? {
      guard let value = body[key], value.kind != .null else { return nil }
      guard let text = value.string else { throw ControlError(400, "\"\(key)\" cannot be \(value.summary)") }
      return text
    }
    let kind: Kind
    let stream: Stream
    if let former {
      (kind, stream) = (former.kind, former.stream)
    } else {
      guard let type = try text("type"), !type.isEmpty else {
        throw ControlError(400, "missing required field: \"type\"")
      }
      guard let known = Kind(rawValue: type) else {
        let list = Kind.allCases.map(\.rawValue).joined(separator: ", ")
        throw ControlError(400, "invalid toxic type: \"type\" is \"\(type.prefix(40))\", expected one of \(list)")
      }
      let written = try text("stream") ?? ""
      guard let way = written.isEmpty ? .downstream : Stream(rawValue: written) else {
        throw ControlError(400, "\"stream\" was invalid, can be either upstream or downstream")
      }
      (kind, stream) = (known, way)
    }
    var toxicity = former?.toxicity ?? 1
    if let value = body["toxicity"], value.kind != .null {
      guard case .number(let number, _) = value.kind, (0...1).contains(number) else {
        throw ControlError(400, "\"toxicity\" cannot be \(value.summary); expected a number from 0 to 1")
      }
      toxicity = number
    }
    let name: String
    if let former { name = former.name } else { name = try text("name") ?? "" }
    let values = try decodeAttributes(body, kind, former)
    return Toxic(
      name: name.isEmpty ? "\(kind.rawValue)_\(stream.rawValue)" : name, kind: kind, stream: stream,
      toxicity: toxicity, values: values)
  }

  private static func decodeAttributes(
    _ body: LocatedValue, _ kind: Kind, _ former: Toxic?
  ) throws(ControlError) -> [Int64] {
    let attributes = body["attributes"]
    if let attributes, attributes.members == nil, attributes.kind != .null {
      throw ControlError(400, "\"attributes\" cannot be \(attributes.summary); expected an object { … }")
    }
    var values: [Int64] = []
    for (index, key) in kind.attributes.enumerated() {
      guard let value = attributes?[key] else {
        values.append(former?.values[index] ?? 0)
        continue
      }
      guard let number = value.integer, (0...largest).contains(number) else {
        throw ControlError(
          400, "\"attributes.\(key)\" cannot be \(value.summary); expected a whole number from 0 to \(largest)")
      }
      values.append(number)
    }
    return values
  }

  /// The fault: latency in milliseconds, rates in KB a second (1,000 bytes), slices' pauses in microseconds.
  var entry: FaultEntry {
    FaultEntry(
      ordinal: 0, name: name, trigger: .at(.zero, for: nil), target: toxicity >= 1 ? .all : .share(toxicity),
      direction: stream.direction, fault: fault)
  }

  private var fault: any Fault {
    func milliseconds(_ index: Int) -> Duration { .milliseconds(values[index]) }
    switch kind {
    case .latency: return Latency(delay: milliseconds(0), jitter: milliseconds(1))
    case .bandwidth:
      // No rate means no limit there.
      return values[0] == 0 ? ToxicSlowClose(delay: .zero) : Bandwidth(rate: Int(values[0]) * 1000)
    case .slowClose: return ToxicSlowClose(delay: milliseconds(0))
    case .timeout: return ToxicTimeout(after: values[0] == 0 ? nil : milliseconds(0))
    case .resetPeer: return ToxicReset(after: milliseconds(0))
    case .slicer:
      return ToxicSlicer(
        size: Int(max(1, values[0])), variation: Int(min(values[1], max(0, values[0] - 1))),
        pause: .microseconds(values[2]))
    case .limitData: return ToxicLimit(bytes: values[0])
    }
  }

  /// As Toxiproxy answers.
  var json: JSONValue {
    [
      "attributes": .object(JSONObject(zip(kind.attributes, values).map { ($0, .integer($1)) })),
      "name": .string(name), "type": .string(kind.rawValue), "stream": .string(stream.rawValue),
      "toxicity": toxicity == toxicity.rounded() ? .integer(Int64(toxicity)) : .number(toxicity),
    ]
  }

  /// What obload's own API shows as the fault's definition.
  var written: JSONValue { ["toxic": json] }
}
