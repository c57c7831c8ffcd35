import Core
import JSON
import Protocols
import Testing

/// Every message of the wire document, in both serializer versions, written and read.
struct PalbaseMessageTests {
  static let client: [(PalbaseClientMessage, String, String)] = [
    (
      PalbaseClientMessage(.join(token: "t\"1", apiKey: "k"), topic: "room:1", ref: 1, joinRef: 1),
      #"{"topic":"room:1","event":"phx_join","payload":{"apikey":"k","token":"t\"1","access_token":"t\"1","config":{"broadcast":{"self":false,"ack":false},"presence":{"enabled":false,"key":""}}},"ref":"1"}"#,
      #"["1","1","room:1","phx_join",{"apikey":"k","token":"t\"1","access_token":"t\"1","config":{"broadcast":{"self":false,"ack":false},"presence":{"enabled":false,"key":""}}}]"#
    ),
    (
      PalbaseClientMessage(.leave, topic: "room:1", ref: 2, joinRef: 1),
      #"{"topic":"room:1","event":"phx_leave","payload":{},"ref":"2"}"#, #"["1","2","room:1","phx_leave",{}]"#
    ),
    (
      .heartbeat(ref: 3), #"{"topic":"phoenix","event":"heartbeat","payload":{},"ref":"3"}"#,
      #"[null,"3","phoenix","heartbeat",{}]"#
    ),
    (
      PalbaseClientMessage(.broadcast(event: "message", payload: ["text": "hi"]), topic: "room:1", ref: 4, joinRef: 1),
      #"{"topic":"room:1","event":"broadcast","payload":{"type":"broadcast","event":"message","payload":{"text":"hi"}},"ref":"4"}"#,
      #"["1","4","room:1","broadcast",{"type":"broadcast","event":"message","payload":{"text":"hi"}}]"#
    ),
    (
      PalbaseClientMessage(.accessToken("t2"), topic: "room:1", ref: 5, joinRef: 1),
      #"{"topic":"room:1","event":"access_token","payload":{"access_token":"t2"},"ref":"5"}"#,
      #"["1","5","room:1","access_token",{"access_token":"t2"}]"#
    ),
    (
      PalbaseClientMessage(
        .stateSet(key: "k", value: [1, nil], life: .ephemeral), topic: "room:1", ref: 6, joinRef: 1),
      #"{"topic":"room:1","event":"state_set","payload":{"key":"k","value":[1,null],"life":"ephemeral"},"ref":"6"}"#,
      #"["1","6","room:1","state_set",{"key":"k","value":[1,null],"life":"ephemeral"}]"#
    ),
    (
      PalbaseClientMessage(.stateDelete(key: "k"), topic: "room:1", ref: 7, joinRef: 1),
      #"{"topic":"room:1","event":"state_delete","payload":{"key":"k"},"ref":"7"}"#,
      #"["1","7","room:1","state_delete",{"key":"k"}]"#
    ),
    (
      PalbaseClientMessage(.stateGet, topic: "room:1", ref: 8, joinRef: 1),
      #"{"topic":"room:1","event":"state_get","payload":{},"ref":"8"}"#, #"["1","8","room:1","state_get",{}]"#
    ),
  ]

  static let server: [(PalbaseServerMessage, String, String)] = [
    (
      PalbaseServerMessage(.ok(), topic: "room:1", ref: 1, joinRef: 1),
      #"{"topic":"room:1","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"1"}"#,
      #"["1","1","room:1","phx_reply",{"status":"ok","response":{}}]"#
    ),
    (
      PalbaseServerMessage(.refusedReply(reason: "forbidden"), topic: "room:1", ref: 1),
      #"{"topic":"room:1","event":"phx_reply","payload":{"status":"error","response":{"reason":"forbidden"}},"ref":"1"}"#,
      #"[null,"1","room:1","phx_reply",{"status":"error","response":{"reason":"forbidden"}}]"#
    ),
    (
      PalbaseServerMessage(.broadcast(event: "message", payload: [:]), topic: "room:1"),
      #"{"topic":"room:1","event":"broadcast","payload":{"type":"broadcast","event":"message","payload":{}},"ref":null}"#,
      #"[null,null,"room:1","broadcast",{"type":"broadcast","event":"message","payload":{}}]"#
    ),
    (
      PalbaseServerMessage(
        .state(
          entries: ["b": PalbaseEntry(value: true, life: .ephemeral, isOwn: true), "a": PalbaseEntry(value: 1)],
          version: 4), topic: "room:1"),
      #"{"topic":"room:1","event":"state","payload":{"entries":{"a":{"value":1,"life":"durable","own":false},"b":{"value":true,"life":"ephemeral","own":true}},"version":4},"ref":null}"#,
      #"[null,null,"room:1","state",{"entries":{"a":{"value":1,"life":"durable","own":false},"b":{"value":true,"life":"ephemeral","own":true}},"version":4}]"#
    ),
    (
      PalbaseServerMessage(.stateChange(key: "a", entry: PalbaseEntry(value: "x"), version: 5), topic: "room:1"),
      #"{"topic":"room:1","event":"state_change","payload":{"key":"a","entry":{"value":"x","life":"durable","own":false},"version":5},"ref":null}"#,
      #"[null,null,"room:1","state_change",{"key":"a","entry":{"value":"x","life":"durable","own":false},"version":5}]"#
    ),
    (
      PalbaseServerMessage(.stateChange(key: "a", entry: nil, version: 6), topic: "room:1"),
      #"{"topic":"room:1","event":"state_change","payload":{"key":"a","entry":null,"version":6},"ref":null}"#,
      #"[null,null,"room:1","state_change",{"key":"a","entry":null,"version":6}]"#
    ),
    (
      PalbaseServerMessage(.refused(event: "message", reason: "rate_limited"), topic: "room:1"),
      #"{"topic":"room:1","event":"refused","payload":{"event":"message","reason":"rate_limited"},"ref":null}"#,
      #"[null,null,"room:1","refused",{"event":"message","reason":"rate_limited"}]"#
    ),
    (
      PalbaseServerMessage(.closed, topic: "room:1"),
      #"{"topic":"room:1","event":"phx_close","payload":{},"ref":null}"#, #"[null,null,"room:1","phx_close",{}]"#
    ),
    (
      PalbaseServerMessage(.failed(reason: "unauthorized"), topic: "room:1"),
      #"{"topic":"room:1","event":"phx_error","payload":{"reason":"unauthorized"},"ref":null}"#,
      #"[null,null,"room:1","phx_error",{"reason":"unauthorized"}]"#
    ),
  ]

  @Test(arguments: client)
  func aClientsMessageIsWrittenAndReadInBothVersions(
    message: PalbaseClientMessage, object: String, array: String
  ) throws {
    #expect(String(decoding: message.encoded(.object), as: UTF8.self) == object)
    #expect(String(decoding: message.encoded(.array), as: UTF8.self) == array)
    #expect(try PalbaseClientMessage.decode(Array(array.utf8)) == message)
    var withoutJoinRef = message
    withoutJoinRef.joinRef = nil
    #expect(try PalbaseClientMessage.decode(Array(object.utf8)) == withoutJoinRef)
  }

  @Test(arguments: server)
  func aServersMessageIsWrittenAndReadInBothVersions(
    message: PalbaseServerMessage, object: String, array: String
  ) throws {
    #expect(String(decoding: message.encoded(.object), as: UTF8.self) == object)
    #expect(String(decoding: message.encoded(.array), as: UTF8.self) == array)
    #expect(try PalbaseServerMessage.decode(Array(array.utf8)) == message)
    var withoutJoinRef = message
    withoutJoinRef.joinRef = nil
    #expect(try PalbaseServerMessage.decode(Array(object.utf8)) == withoutJoinRef)
  }

  @Test func namesOfTheWireTableAreUsedBothWays() throws {
    var wire = PalbaseWire()
    wire.stateSet = "kv:put"
    let classifier = PalbaseClassifier(wire: wire)
    let message = PalbaseClientMessage(.stateSet(key: "k", value: 1, life: .durable), topic: "r", ref: 1)
    let text = message.encoded(.object, wire: wire)
    #expect(String(decoding: text, as: UTF8.self).contains(#""event":"kv:put""#))
    #expect(try PalbaseClientMessage.decode(text, classifier: classifier) == message)
    #expect(throws: PalbaseDecodingError.self) { try PalbaseClientMessage.decode(text) }
  }

  @Test func aRefIsSentBackAsItCame() throws {
    for ref in [PalbaseRef.number(7), .text("7"), .text("ré f")] {
      let message = PalbaseServerMessage(.ok(), topic: "r", ref: ref)
      #expect(try PalbaseServerMessage.decode(message.encoded()).ref == ref)
    }
    #expect(PalbaseRef.number(7).numeric == 7)
    #expect(PalbaseRef.text("7").numeric == 7)
    #expect(PalbaseRef.text("x").numeric < 0)
  }

  @Test func aTableOfNamesReportsUnknownKeysAndClashes() {
    let (value, diagnostics) = LocatedJSON.read(
      #"{ state: "whole", refused: "broadcast", state_get: "whole", stat_set: "x" }"#)
    let wire = PalbaseWire.decode(value ?? LocatedValue(.null, at: .outside("test")), diagnostics)
    #expect(wire.state == "whole")
    #expect(wire.refused == "refused")
    #expect(diagnostics.all.count == 3)
  }
}
