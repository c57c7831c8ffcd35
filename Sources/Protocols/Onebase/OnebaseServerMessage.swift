import Core
import JSON

/// A message from a onebase server to a client.
public enum OnebaseServerMessage: Equatable, Sendable {
  /// The answer to an accepted auth; the identity is `.null` for anonymous.
  case authenticated(identity: JSONValue)
  /// The answer to a refused auth; `ended` when the token is gone for good.
  case authenticationFailed(error: String, ended: Bool)
  case update(OnebaseUpdate)
  case result(OnebaseResult)
  /// A mutation's result and the updates that include its writes, to be applied together.
  case transition(updates: [OnebaseUpdate], results: [OnebaseResult])

  /// Appends the message as JSON text in UTF-8.
  public func encode(into bytes: inout [UInt8]) {
    switch self {
    case .authenticated(let identity):
      bytes.append(json: #"{"type":"auth","ok":true,"identity":"#)
      bytes.append(value: identity)
    case .authenticationFailed(let error, let ended):
      bytes.append(json: #"{"type":"auth","ok":false,"error":"#)
      bytes.append(jsonString: error)
      if ended { bytes.append(json: #","ended":true"#) }
    case .update(let update):
      bytes.append(json: #"{"type":"update","#)
      update.encodeMembers(into: &bytes)
    case .result(let result):
      bytes.append(json: #"{"type":"result","#)
      result.encodeMembers(into: &bytes)
    case .transition(let updates, let results):
      bytes.append(json: #"{"type":"transition","updates":["#)
      for (index, update) in updates.enumerated() {
        bytes.append(json: index == 0 ? #"{"type":"update","# : #",{"type":"update","#)
        update.encodeMembers(into: &bytes)
        bytes.append(json: "}")
      }
      bytes.append(json: #"],"results":["#)
      for (index, result) in results.enumerated() {
        bytes.append(json: index == 0 ? #"{"type":"result","# : #",{"type":"result","#)
        result.encodeMembers(into: &bytes)
        bytes.append(json: "}")
      }
      bytes.append(json: "]")
    }
    bytes.append(json: "}")
  }

  /// The message as JSON text in UTF-8.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    encode(into: &bytes)
    return bytes
  }

  /// Reads a message; members that the protocol does not name are skipped.
  ///
  /// A missing `value` or `identity` reads as null, as a server leaves out what is undefined. Throws for anything that
  /// is no message of a server, with the reason.
  public static func decode(_ payload: [UInt8]) throws(OnebaseDecodingError) -> Self {
    try decode(payload, facts: OnebaseClassifier().facts(isText: true, payload: payload, direction: .down))
  }

  /// Reads a message whose facts are known already, without scanning its top level again.
  public static func decode(_ payload: [UInt8], facts: MessageFacts) throws(OnebaseDecodingError) -> Self {
    let reader = OnebaseReader(payload: payload)
    switch facts.kind {
    case .onebaseAuthReply:
      guard !facts.flags.contains(.ok) else { return .authenticated(identity: try reader.value(facts.credential)) }
      return .authenticationFailed(
        error: try reader.string(facts.error, "error", "auth"), ended: facts.flags.contains(.ended))
    case .onebaseUpdate: return .update(try reader.update(facts))
    case .onebaseResult: return .result(try reader.result(facts))
    case .onebaseTransition:
      var updates: [OnebaseUpdate] = []
      var results: [OnebaseResult] = []
      for part in facts.parts {
        if part.kind == .onebaseUpdate {
          updates.append(try reader.update(part))
        } else {
          results.append(try reader.result(part))
        }
      }
      return .transition(updates: updates, results: results)
    default: throw reader.reason(direction: .down)
    }
  }
}

extension OnebaseUpdate {
  /// Appends the members after `type`, without the closing brace; what a server that fans one value out to many
  /// subscribers writes per subscriber is only the id.
  public func encodeMembers(into bytes: inout [UInt8]) {
    bytes.append(json: #""id":"#)
    bytes.append(number: id)
    outcome.encodeMembers(into: &bytes)
  }
}

extension OnebaseResult {
  /// Appends the members after `type`, without the closing brace.
  public func encodeMembers(into bytes: inout [UInt8]) {
    bytes.append(json: #""requestId":"#)
    bytes.append(number: requestId)
    outcome.encodeMembers(into: &bytes)
  }
}

extension OnebaseOutcome {
  /// Appends `,"ok":…` and the rest: with a comma before, without a brace after.
  public func encodeMembers(into bytes: inout [UInt8]) {
    switch self {
    case .ok(let value):
      bytes.append(json: #","ok":true,"value":"#)
      bytes.append(value: value)
    case .failed(let error, let data):
      bytes.append(json: #","ok":false,"error":"#)
      bytes.append(jsonString: error)
      if let data {
        bytes.append(json: #","data":"#)
        bytes.append(value: data)
      }
    }
  }
}
