import Core
import Metrics
import Protocols
import Testing

@testable import ClientSim

/// The session protocol is general: a client of an echo server by the same shell.
struct EchoSessionTests {
  typealias Client = Driven<EchoSession>
  let plan = FleetPlan(name: "f", reconnect: ReconnectPolicy(.fixed(.seconds(1)), jitter: .none))
  func request(_ sequence: UInt32) -> CallRequest {
    let marker = Marker(run: 7, client: ClientID(0), sequence: sequence, sent: .zero)
    return CallRequest(
      plan: Make.call(.query, path: "echo", arguments: "{}", size: 64), arguments: [], marker: marker, intended: .zero)
  }

  @Test func anAnswerIsMatchedByItsMarker() {
    var client = Client(plan)
    client.give(.start)
    client.give(.opened)
    client.give(.command(.call(request(1))))
    let first = client.sent.first ?? ""
    client.give(.command(.call(request(2))))
    let second = client.sent.first ?? ""
    #expect(first.utf8.count == 64 && first != second)
    client.give(.message(Client.message(second)), after: .milliseconds(3))
    #expect(client.measured == [.callAnswered(intended: .zero, sent: .zero, ok: true, deadline: .seconds(10))])
    client.give(.message(Client.message(second)))
    #expect(client.notes == ["not an echo of a message that is out"])
    #expect(client.session.condition.unanswered == 1)
  }

  @Test func whatIsOutAtADropIsLostAndTheClientComesBack() {
    var client = Client(plan)
    client.give(.start)
    client.give(.command(.call(request(1))))
    #expect(client.measured.contains(.callLost(intended: .zero, sent: nil)))
    client.give(.opened)
    client.give(.command(.call(request(2))))
    client.give(.closed(.reset))
    #expect(client.measured.contains(.callLost(intended: .zero, sent: .zero)))
    #expect(client.reconnectAt == .seconds(1))
    client.reopen()
    #expect(client.measured.contains(.reconnected(attempts: 1, drop: .zero)))
    client.give(.command(.call(request(3))))
    client.give(.command(.stop))
    #expect(client.measured.contains { $0.isOut })
  }
}
