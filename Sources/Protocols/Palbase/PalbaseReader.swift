import Core
import JSON

/// Turns the ranges that a scan found into values, with the reason where one is not what it should be.
struct PalbaseReader {
  let payload: [UInt8]
  let facts: MessageFacts

  func topic() throws(PalbaseDecodingError) -> String { try string(facts.path, "topic") }
  func event() throws(PalbaseDecodingError) -> String { try string(facts.name, "event") }

  private func string(_ range: ByteRange?, _ member: String) throws(PalbaseDecodingError) -> String {
    guard let range, let text = JSONText.string(of: payload[range.range]) else {
      throw .expected("a string `\(member)`", of: "palbase")
    }
    return text
  }

  func ref(_ element: ScannedElement?) throws(PalbaseDecodingError) -> PalbaseRef? {
    guard let element else { return nil }
    guard let ref = payload.withUnsafeBytes({ PalbaseRef($0[element.value], element.kind) }) else {
      throw PalbaseDecodingError("a ref is neither a string nor a whole number")
    }
    return ref
  }

  func value(_ range: ByteRange?) throws(PalbaseDecodingError) -> JSONValue? {
    guard let range else { return nil }
    do throws(JSONSyntaxError) {
      return try JSONValue.parse(payload[range.range])
    } catch { throw PalbaseDecodingError("\(error)") }
  }

  func payloadObject(_ event: String) throws(PalbaseDecodingError) -> JSONObject {
    guard let object = try value(facts.arguments)?.object else { throw .expected("an object `payload`", of: event) }
    return object
  }

  /// The token of a join or a refresh; nil for none.
  func token() throws(PalbaseDecodingError) -> String? {
    facts.flags.contains(.hasToken) ? try string(facts.credential, "access_token") : nil
  }

  func broadcast(_ event: String) throws(PalbaseDecodingError) -> (event: String, payload: JSONValue) {
    let object = try payloadObject(event)
    guard let name = object["event"]?.string else { throw .expected("a string `event`", of: event) }
    return (name, object["payload"] ?? [:])
  }

  func key(_ object: JSONObject, _ event: String) throws(PalbaseDecodingError) -> String {
    guard let key = object["key"]?.string else { throw .expected("a string `key`", of: event) }
    return key
  }

  func entry(_ json: JSONValue, _ event: String) throws(PalbaseDecodingError) -> PalbaseEntry {
    guard let entry = PalbaseEntry(json) else {
      throw .expected("entries with `value` and a `life` of durable or ephemeral", of: event)
    }
    return entry
  }

  /// Why a message that has an envelope is none of the protocol.
  func reason(_ event: String) -> PalbaseDecodingError {
    if facts.kind == .malformed {
      return .expected("what its payload needs", of: String(event.prefix(40)))
    }
    return PalbaseDecodingError("the protocol names no event `\(event.prefix(40))` here")
  }

  /// Why a payload has no envelope.
  static func noMessage(_ payload: [UInt8]) -> PalbaseDecodingError {
    do throws(JSONSyntaxError) {
      _ = try JSONValue.parse(payload)
    } catch { return PalbaseDecodingError("\(error)") }
    return PalbaseDecodingError(
      "a message is an object with strings `topic` and `event`, or an array [join_ref, ref, topic, event, payload]")
  }
}
