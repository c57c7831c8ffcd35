import Core
import JSON
import Protocols
import WebSocket

@testable import ReferenceServer

/// Drives a hub by hand: connections with names of their own, and what each was sent, decoded.
final class HubBench {
  let hub: OnebaseHub
  var now = Instant.zero
  private(set) var closes: [Int: (code: UInt16, reason: String)] = [:]
  private var sent: [Int: [[UInt8]]] = [:]
  /// Everything that was sent, in order over all connections.
  private(set) var log: [(slot: Int, frame: [UInt8])] = []
  private var actions: [HubAction] = []

  init(_ configure: (inout OnebaseServerOptions) -> Void = { _ in }) {
    var options = OnebaseServerOptions()
    configure(&options)
    hub = OnebaseHub(options: options)
  }

  /// A connection that has authenticated.
  func connect(_ token: String? = nil) -> Int {
    let slot = hub.open()
    send(slot, .auth(token: token))
    _ = take(slot)
    return slot
  }

  func send(_ slot: Int, _ message: OnebaseClientMessage) { send(slot, bytes: message.encoded) }
  func send(_ slot: Int, text: String) { send(slot, bytes: Array(text.utf8)) }

  func send(_ slot: Int, bytes: [UInt8], isText: Bool = true) {
    hub.receive(slot, isText: isText, payload: bytes, at: now, into: &actions)
    drain()
  }

  func subscribe(_ slot: Int, _ id: Int64, _ path: String, _ arguments: JSONValue = [:]) {
    send(slot, .subscribe(id: id, path: path, arguments: arguments))
  }

  func mutate(_ slot: Int, _ request: Int64, _ path: String, _ arguments: JSONValue = [:]) {
    send(slot, .call(requestId: request, kind: .mutation, path: path, arguments: arguments))
  }

  func query(_ slot: Int, _ request: Int64, _ path: String, _ arguments: JSONValue = [:]) {
    send(slot, .call(requestId: request, kind: .query, path: path, arguments: arguments))
  }

  func deploy() {
    hub.deploy(at: now, into: &actions)
    drain()
  }

  func http(
    _ kind: OnebaseCallKind, _ body: String, authorization: String? = nil
  ) -> (status: Int, body: JSONValue) {
    let answer = hub.http(kind, authorization: authorization, body: Array(body.utf8), at: now, into: &actions)
    drain()
    return (answer.status, JSONText.value(of: answer.body[...]) ?? .null)
  }

  /// What the connection was sent since the last call.
  func take(_ slot: Int) -> [OnebaseServerMessage] { (sent.removeValue(forKey: slot) ?? []).map(Self.decode) }

  /// The value of the one update, or of the one result, that the connection was sent.
  func takeValue(_ slot: Int) -> JSONValue? {
    let messages = take(slot)
    guard messages.count == 1 else { return nil }
    switch messages[0] {
    case .update(let update): return update.outcome.value
    case .result(let result): return result.outcome.value
    default: return nil
    }
  }

  func takeError(_ slot: Int) -> (text: String, data: JSONValue?)? {
    let messages = take(slot)
    guard messages.count == 1 else { return nil }
    switch messages[0] {
    case .update(let update): return update.outcome.failure
    case .result(let result): return result.outcome.failure
    default: return nil
    }
  }

  private func drain() {
    for action in actions {
      switch action {
      case .send(let slot, let frame):
        log.append((slot, frame))
        sent[slot, default: []].append(frame)
      case .close(let slot, let code, let reason): closes[slot] = (code, reason)
      }
    }
    actions.removeAll()
  }

  private static func decode(_ frame: [UInt8]) -> OnebaseServerMessage {
    var machine = WebSocketMachine(role: .client)
    var replies: [UInt8] = []
    var payload: [UInt8] = []
    frame.withUnsafeBytes { bytes in
      machine.receive(bytes, replies: &replies) { if case .message(_, let whole) = $0 { payload = whole } }
    }
    return (try? OnebaseServerMessage.decode(payload)) ?? .authenticationFailed(error: "undecodable", ended: false)
  }
}

extension OnebaseOutcome {
  var value: JSONValue? { if case .ok(let value) = self { value } else { nil } }
  var failure: (text: String, data: JSONValue?)? {
    if case .failed(let error, let data) = self { (error, data) } else { nil }
  }
}

extension JSONValue {
  /// The texts of `{notes: […]}`.
  var texts: [String] { self["notes"]?.array?.compactMap { $0["text"]?.string } ?? [] }
}
