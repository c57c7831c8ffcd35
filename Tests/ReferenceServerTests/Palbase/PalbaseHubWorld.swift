import Core
import JSON
import Protocols
import WebSocket

@testable import ReferenceServer

/// A hub under test, and what its connections were sent.
final class PalbaseHubWorld {
  let hub: PalbaseHub
  var now = Instant.zero
  /// What each slot was sent, decoded, and its version.
  private(set) var sent: [Int: [PalbaseServerMessage]] = [:]
  private(set) var texts: [Int: [String]] = [:]
  private(set) var closed: [Int: UInt16] = [:]
  private var lastRef: Int64 = 0

  init(_ change: (inout PalbaseServerOptions) -> Void = { _ in }) {
    var options = PalbaseServerOptions()
    change(&options)
    hub = PalbaseHub(options: options)
  }

  /// A new connection, which has joined the topic as that user if one is given.
  func connect(_ user: String? = nil, joining topic: String? = nil, version: PalbaseVersion = .object) -> Int {
    let slot = hub.open(version: version)
    sent[slot] = []
    texts[slot] = []
    closed[slot] = nil
    if let user, let topic {
      join(slot, topic, as: user, version: version)
      forget()
    }
    return slot
  }

  @discardableResult
  func join(_ slot: Int, _ topic: String, as user: String?, version: PalbaseVersion = .object) -> String? {
    let before = sent[slot]?.count ?? 0
    send(slot, .join(token: user.map { "ok-\($0)" }), topic, version: version)
    guard let messages = sent[slot], messages.count > before else { return "no reply" }
    if case .refusedReply(let reason) = messages[before].body { return reason }
    return nil
  }

  func send(_ slot: Int, _ body: PalbaseClientMessage.Body, _ topic: String, version: PalbaseVersion = .object) {
    lastRef += 1
    let message = PalbaseClientMessage(body, topic: topic, ref: PalbaseRef(lastRef))
    send(slot, raw: message.encoded(version, wire: hub.options.wire))
  }

  func send(_ slot: Int, raw payload: [UInt8], isText: Bool = true) {
    perform { hub.receive(slot, isText: isText, payload: payload, at: now, into: &$0) }
  }

  func close(_ slot: Int) { perform { hub.close(slot, into: &$0) } }

  @discardableResult
  func call(_ method: String, _ path: String, _ body: JSONValue = nil, key: String? = "obload-secret")
    -> PalbaseHub.Answer
  {
    perform { hub.call(method: method, path: path, key: key, body: body.encoded(), into: &$0) }
  }

  /// Forgets what was sent so far.
  func forget() {
    for slot in sent.keys {
      sent[slot] = []
      texts[slot] = []
    }
  }

  /// What the slot was sent and not looked at.
  func bodies(_ slot: Int) -> [PalbaseServerMessage.Body] { (sent[slot] ?? []).map(\.body) }

  private func perform<T>(_ body: (inout [HubAction]) -> T) -> T {
    var actions: [HubAction] = []
    let result = body(&actions)
    for action in actions {
      switch action {
      case .close(let slot, let code, _): closed[slot] = code
      case .send(let slot, let frame):
        var machine = WebSocketMachine(role: .client, maskKeys: SeededRandom(seed: 1, purpose: .masking))
        var (place, replies) = (0, [UInt8]())
        let event = frame.withUnsafeBytes { machine.nextEvent(in: $0, at: &place, replies: &replies) }
        guard case .message(true, let payload) = event,
          let message = try? PalbaseServerMessage.decode(payload, classifier: PalbaseClassifier(wire: hub.options.wire))
        else {
          sent[slot, default: []].append(PalbaseServerMessage(.failed(reason: "not readable"), topic: ""))
          continue
        }
        texts[slot, default: []].append(String(decoding: payload, as: UTF8.self))
        sent[slot, default: []].append(message)
      }
    }
    return result
  }
}
