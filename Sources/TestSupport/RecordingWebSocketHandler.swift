public import Network

/// Notes what happens on a WebSocket connection, in order.
///
/// @unchecked: confined to the connection's loop.
public final class RecordingWebSocketHandler: WebSocketHandler, @unchecked Sendable {
  public private(set) var events: [WebSocketConnectionEvent] = []
  /// Called for each event after it was noted; may send, close and abort.
  public var onEvent: ((WebSocketConnection, WebSocketConnectionEvent) -> Void)?
  private let waiter: Waiter

  public init(loop: EventLoop, label: String = "recording of a WebSocket") {
    waiter = Waiter(loop: loop, label: label)
  }

  /// The texts received, in order.
  public var texts: [String] {
    events.compactMap {
      if case .message(true, let payload) = $0 { String(decoding: payload, as: UTF8.self) } else { nil }
    }
  }

  /// How it ended, once it has.
  public var closure: WebSocketClosure? {
    if case .closed(let closure)? = events.last { closure } else { nil }
  }

  /// Waits until the condition holds; it is looked at after each event.
  public func wait(until condition: (RecordingWebSocketHandler) -> Bool) async throws {
    while !condition(self) { try await waiter.wait() }
  }

  /// Waits until so many texts have been received in all.
  public func wait(texts count: Int) async throws { try await wait { $0.texts.count >= count } }

  /// Waits until the connection is over.
  @discardableResult
  public func waitForClose() async throws -> WebSocketClosure {
    while true {
      if let closure { return closure }
      try await waiter.wait()
    }
  }

  public func webSocket(_ connection: WebSocketConnection, _ event: WebSocketConnectionEvent) {
    events.append(event)
    onEvent?(connection, event)
    waiter.signal()
  }
}
