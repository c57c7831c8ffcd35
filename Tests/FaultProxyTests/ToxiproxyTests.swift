import Core
import FaultProxy
import JSON
import Network
import Testing

@Test func proxiesAreCreatedChangedAndDeletedAsToxiproxyDoes() throws {
  let world = ControlWorld()
  try world.run {
    let made = try await world.call(
      "POST", "/proxies", #"{"name":"db","listen":"127.0.0.1:9000","upstream":"127.0.0.1:4000"}"#)
    #expect(made.status == 201)
    #expect(
      made.json == [
        "name": "db", "listen": "127.0.0.1:9000", "upstream": "127.0.0.1:4000", "enabled": true, "toxics": [],
      ])
    #expect(try await world.call("GET", "/proxies").json.object?.keys == ["web", "db"])
    #expect(try await world.call("POST", "/proxies", #"{"name":"db","upstream":"127.0.0.1:1"}"#).status == 409)
    let (client, _) = try await world.pair(port: 9000)
    let off = try await world.call("POST", "/proxies/db", #"{"enabled":false}"#)
    #expect(off.json["enabled"]?.bool == false)
    try await world.sleep(5)
    #expect(client.ended != nil)
    await #expect(throws: NetworkError.refused) { _ = try await world.connect(port: 9000) }
    #expect(try await world.call("POST", "/reset").status == 204)
    _ = try await world.pair(port: 9000)
    let moved = try await world.call("PATCH", "/proxies/db", #"{"listen":"127.0.0.1:9001"}"#)
    #expect(moved.json["listen"]?.string == "127.0.0.1:9001")
    _ = try await world.pair(port: 9001)
    #expect(try await world.call("DELETE", "/proxies/db").status == 204)
    #expect(try await world.call("GET", "/proxies/db").json["error"]?.string == "proxy not found")
    #expect(try await world.call("GET", "/version").json["version"]?.string?.isEmpty == false)
  }
}

@Test func aProxyDoesNotLeadToItself() throws {
  let world = ControlWorld()
  try world.run {
    let body = #"{"name":"ring","listen":"127.0.0.1:9000","upstream":"localhost:9000"}"#
    let made = try await world.call("POST", "/proxies", body)
    #expect(made.status == 400 && made.json["error"]?.string?.contains("itself") == true)
    let changed = try await world.call("POST", "/proxies/web", #"{"upstream":"127.0.0.1:8080"}"#)
    #expect(changed.status == 400)
  }
}

@Test func populateMakesAndChangesProxiesTogether() throws {
  let world = ControlWorld()
  try world.run {
    let answer = try await world.call(
      "POST", "/populate",
      #"[{"name":"web","listen":"127.0.0.1:8080","upstream":"127.0.0.1:4001"},{"name":"b","listen":"127.0.0.1:9002","upstream":"127.0.0.1:4000","enabled":false}]"#
    )
    #expect(answer.status == 201 && answer.json["proxies"]?.array?.count == 2)
    #expect(try await world.call("GET", "/proxies/web").json["upstream"]?.string == "127.0.0.1:4001")
    let wrong = try await world.call("POST", "/populate", #"[{"name":"c","upstream":"127.0.0.1:1"},{"name":"d"}]"#)
    #expect(wrong.status == 400 && wrong.json["error"]?.string?.contains("\"upstream\"") == true)
    #expect(try await world.call("GET", "/proxies/c").status == 404)
  }
}

@Test func toxicsAreKeptAsWrittenAndAnswerAsToxiproxyDoes() throws {
  let world = ControlWorld()
  try world.run {
    let made = try await world.call(
      "POST", "/proxies/web/toxics", #"{"type":"latency","attributes":{"latency":100}}"#)
    #expect(made.status == 200)
    let expected: JSONValue = [
      "attributes": ["latency": 100, "jitter": 0], "name": "latency_downstream", "type": "latency",
      "stream": "downstream", "toxicity": 1,
    ]
    #expect(made.json == expected)
    #expect(try await world.call("GET", "/proxies/web/toxics").json == [expected])
    #expect(try await world.call("GET", "/proxies/web").json["toxics"] == [expected])
    let changed = try await world.call(
      "POST", "/proxies/web/toxics/latency_downstream", #"{"attributes":{"jitter":5},"toxicity":0.5}"#)
    #expect(changed.json["attributes"] == ["latency": 100, "jitter": 5] && changed.json["toxicity"] == 0.5)
    let again = try await world.call("POST", "/proxies/web/toxics", #"{"type":"latency"}"#)
    #expect(again.status == 409)
    #expect(try await world.call("DELETE", "/proxies/web/toxics/latency_downstream").status == 204)
    #expect(try await world.call("DELETE", "/proxies/web/toxics/latency_downstream").status == 404)
  }
}

@Test(arguments: [
  (#"{"type":"nonsense"}"#, "\"type\""), (#"{"type":"latency","stream":"sideways"}"#, "\"stream\""),
  (#"{"type":"latency","toxicity":2}"#, "\"toxicity\""), (#"{"stream":"upstream"}"#, "\"type\""),
  (#"{"type":"latency","attributes":{"latency":"x"}}"#, "\"attributes.latency\""),
  (#"{"type":"bandwidth","attributes":{"rate":-1}}"#, "\"attributes.rate\""), (#"{"type"#, "body:1"),
])
func aWrongToxicNamesTheFieldAndIsNotAdded(_ body: String, _ says: String) throws {
  let world = ControlWorld()
  try world.run {
    let answer = try await world.call("POST", "/proxies/web/toxics", body)
    #expect(answer.status == 400 && answer.json["error"]?.string?.contains(says) == true, "\(answer.text)")
    #expect(try await world.call("GET", "/proxies/web/toxics").json == [])
  }
}

private func toxic(_ type: String, _ attributes: String, stream: String = "downstream") -> String {
  #"{"type":"\#(type)","name":"t","stream":"\#(stream)","attributes":{\#(attributes)}}"#
}

@Test func theLatencyAndBandwidthToxicsDelayTheirStreamAlone() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("latency", #""latency":200"#))
    client.write("up")
    server.write("down")
    try await world.sleep(150)
    #expect(server.text == "up" && client.text == "")
    try await world.sleep(60)
    #expect(client.text == "down")
    try await world.call("DELETE", "/proxies/web/toxics/t")
    try await world.call("POST", "/proxies/web/toxics", toxic("bandwidth", #""rate":10"#))
    server.write([UInt8](repeating: 7, count: 5000))
    try await world.sleep(250)
    #expect((2000...3000).contains(client.received.count - 4))
    try await world.sleep(300)
    #expect(client.received.count == 5004)
  }
}

@Test func theSlowCloseToxicDelaysTheEndAlone() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("slow_close", #""delay":500"#))
    server.write("bye")
    server.stream.shutdownWrite()
    try await world.sleep(400)
    #expect(client.text == "bye" && client.ended == nil)
    try await world.sleep(120)
    #expect(client.ended != nil)
  }
}

@Test func theTimeoutToxicClosesIdleConnectionsTooAndPassesNothing() throws {
  let world = ControlWorld()
  try world.run {
    let (idle, _) = try await world.pair()
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("timeout", #""timeout":300"#))
    server.write("x")
    try await world.sleep(250)
    #expect(idle.ended == nil && client.text == "")
    try await world.sleep(100)
    #expect(idle.ended != nil && client.ended != nil && client.text == "")
    let (later, _) = try await world.pair()
    try await world.sleep(350)
    #expect(later.ended != nil)
  }
}

@Test func theTimeoutToxicWithoutATimeClosesWhenItIsRemoved() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("timeout", #""timeout":0"#))
    server.write("x")
    try await world.sleep(60_000)
    #expect(client.ended == nil && client.text == "")
    try await world.call("DELETE", "/proxies/web/toxics/t")
    try await world.sleep(5)
    #expect(client.ended != nil && client.text == "")
  }
}

@Test func theResetPeerToxicResetsAfterTheFirstBytes() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("reset_peer", #""timeout":100"#))
    try await world.sleep(500)
    #expect(client.failure == nil)
    server.write("x")
    try await world.sleep(90)
    #expect(client.failure == nil && client.text == "")
    try await world.sleep(20)
    #expect(client.failure == .reset && server.failure == .reset)
  }
}

@Test func theSlicerToxicCutsAndLosesNothing() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call(
      "POST", "/proxies/web/toxics", toxic("slicer", #""average_size":10,"size_variation":5,"delay":1000"#))
    let data = (0..<200).map { UInt8($0) }
    server.write(data)
    try await world.sleep(100)
    #expect(client.received == data)
    #expect(client.arrivals.count >= 13 && client.arrivals.allSatisfy { $0.bytes <= 15 })
  }
}

@Test func theLimitDataToxicPassesSoManyBytesAndCloses() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    try await world.call("POST", "/proxies/web/toxics", toxic("limit_data", #""bytes":10"#))
    server.write("123456")
    try await world.sleep(5)
    #expect(client.text == "123456" && client.ended == nil)
    server.write("789abcdef")
    try await world.sleep(5)
    #expect(client.text == "123456789a" && client.ended != nil)
  }
}
