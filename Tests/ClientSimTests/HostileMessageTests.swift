import Core
import Testing

@testable import ClientSim

@Suite struct HostileMessageTests {
  private static let numbers: [Int64] = [.min, .min + 1, -1, 0, 1, 2, 1 << 53, .max - 1, .max]

  private static let plan = FleetPlan(
    name: "a", subscriptions: [SubscriptionPlan(path: "notes:list", arguments: ArgumentsTemplate())])

  @Test(arguments: numbers) func anyNumberMayStandWhereAServerPutsOne(number: Int64) {
    var client = Driven<OnebaseSession>(Self.plan)
    client.becomeReady()
    let update = #"{"type":"update","id":\#(number),"ok":true,"value":1}"#
    let failed = #"{"type":"update","id":\#(number),"ok":false,"error":"no"}"#
    let result = #"{"type":"result","requestId":\#(number),"ok":true,"value":1}"#
    for text in [update, failed, result] { client.receive(text) }
    client.receive(#"{"type":"transition","updates":[\#(update)],"results":[\#(result)]}"#)
    // The client is still there: an answer to its own subscription is taken.
    client.receive(#"{"type":"update","id":1,"ok":true,"value":2}"#)
    #expect(client.session.shownValues.count == 1)
  }

  @Test func randomMessagesNeverEndTheProcess() {
    var random = SeededRandom(seed: 5, purpose: .test)
    let types = ["auth", "update", "result", "transition", "", "sub"]
    let keys = ["id", "requestId", "ok", "value", "error", "data", "identity", "ended", "updates", "results"]
    let values = Self.numbers.map(String.init) + ["true", "false", "null", "[]", "{}", "\"x\"", "1e400", "[{}]", "1.5"]
    for _ in 0..<200 {
      var client = Driven<OnebaseSession>(Self.plan)
      client.becomeReady()
      for _ in 0..<10 {
        let type = types[Int(random.next() % UInt64(types.count))]
        let members = keys.filter { _ in random.unit() < 0.4 }.map {
          "\"\($0)\":" + values[Int(random.next() % UInt64(values.count))]
        }
        client.receive("{" + (["\"type\":\"\(type)\""] + members).joined(separator: ",") + "}", after: .seconds(1))
      }
      #expect(!client.history.isEmpty)
    }
  }
}
