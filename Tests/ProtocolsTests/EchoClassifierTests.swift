import Core
import Protocols
import Testing

struct EchoClassifierTests {
  @Test func everyDataMessageIsAnEcho() {
    let classifier = ProtocolName.echo.classifier
    for payload in [[], [0xFF], Array("{}".utf8)] {
      for direction in Direction.allCases {
        let facts = classifier.facts(isText: false, payload: payload, direction: direction)
        #expect(facts.kind == .echo)
        #expect(!classifier.isHeartbeat(facts))
        #expect(!classifier.isHeartbeatReply(facts))
      }
    }
  }
}
