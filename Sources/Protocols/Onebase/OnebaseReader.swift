import Core
import JSON

/// Turns the ranges that a scan found into values, with the reason where one is not what it should be.
struct OnebaseReader {
  let payload: [UInt8]

  func string(_ range: ByteRange?, _ member: String, _ message: String) throws(OnebaseDecodingError) -> String {
    guard let range, let text = JSONText.string(of: payload[range.range]) else {
      throw .expected("a string `\(member)`", of: message)
    }
    return text
  }

  func identifier(_ number: Int64?, _ member: String, _ message: String) throws(OnebaseDecodingError) -> Int64 {
    guard let number else { throw .expected("a number `\(member)`", of: message) }
    return number
  }

  /// The value at `range`; null where there is none.
  func value(_ range: ByteRange?) throws(OnebaseDecodingError) -> JSONValue {
    guard let range else { return .null }
    do throws(JSONSyntaxError) {
      return try JSONValue.parse(payload[range.range])
    } catch {
      throw OnebaseDecodingError("\(error)")
    }
  }

  func arguments(_ range: ByteRange?) throws(OnebaseDecodingError) -> JSONValue {
    range == nil ? .object(JSONObject()) : try value(range)
  }

  func update(_ facts: MessageFacts) throws(OnebaseDecodingError) -> OnebaseUpdate {
    OnebaseUpdate(id: try identifier(facts.id, "id", "update"), outcome: try outcome(facts, "update"))
  }

  func result(_ facts: MessageFacts) throws(OnebaseDecodingError) -> OnebaseResult {
    OnebaseResult(
      requestId: try identifier(facts.request, "requestId", "result"), outcome: try outcome(facts, "result"))
  }

  private func outcome(_ facts: MessageFacts, _ message: String) throws(OnebaseDecodingError) -> OnebaseOutcome {
    guard !facts.flags.contains(.ok) else { return .ok(value: try value(facts.value)) }
    let error = try string(facts.error, "error", message)
    guard let range = data(beside: facts.error) else { return .failed(error: error, data: nil) }
    return .failed(error: error, data: try value(range))
  }

  /// The `data` member of the update or result that holds `error`: facts name no such range, as only failures have one.
  private func data(beside error: ByteRange?) -> ByteRange? {
    guard let error else { return nil }
    return payload.withUnsafeBytes { bytes in
      var found: ByteRange?
      func look(_ object: ByteRange) {
        found = nil
        _ = TopLevelScanner.scanObject(bytes, in: object) { member in
          if JSONText.equals(bytes[member.key], "data") {
            found = member.value
          } else if member.kind == .array, member.value.holds(error) {
            lookInto(member.value)
          }
        }
      }
      func lookInto(_ list: ByteRange) {
        var holder: ByteRange?
        _ = TopLevelScanner.scanArray(bytes, in: list) { if $0.value.holds(error) { holder = $0.value } }
        if let holder { look(holder) }
      }
      look(ByteRange(0, bytes.count))
      return found
    }
  }

  /// Why a payload that no classifier could place is no message.
  func reason(direction: Direction) -> OnebaseDecodingError {
    let value: JSONValue
    do throws(JSONSyntaxError) {
      value = try JSONValue.parse(payload)
    } catch {
      return OnebaseDecodingError("\(error)")
    }
    guard let object = value.object else {
      return OnebaseDecodingError("a message is one JSON object; this is another JSON value")
    }
    guard let type = object["type"]?.string else { return .expected("a string `type`", of: "onebase") }
    let needed: String
    switch (direction, type) {
    case (.up, "auth"): needed = "`token`, a string or null"
    case (.up, "sub"): needed = "one of a number `id`, a string `path` and an object `args`"
    case (.up, "unsub"): needed = "a number `id`"
    case (.up, "call"):
      needed =
        "one of a number `requestId`, a `kind` of query, mutation or action, a string `path` and an object `args`"
    case (.down, "auth"): needed = "`ok`, true or false"
    case (.down, "update"): needed = "a number `id` or `ok`, true or false"
    case (.down, "result"): needed = "a number `requestId` or `ok`, true or false"
    case (.down, "transition"): needed = "lists of whole updates and results"
    default:
      let known = direction == .up ? "auth, sub, unsub or call" : "auth, update, result or transition"
      return OnebaseDecodingError("the protocol names no message type `\(type.prefix(40))` here; expected \(known)")
    }
    return .expected(needed, of: type)
  }
}

extension ByteRange {
  fileprivate func holds(_ other: ByteRange) -> Bool { lower <= other.lower && other.upper <= upper }
}
