import Core
import FaultProxy
import Foundation
import JSON
import Network
import TestSupport
import Testing
import WebSocket

@Test func faultsAreAddedChangedListedAndRemovedOverHTTP() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    let added = try await world.call(
      "POST", "/v1/proxies/web/faults", "{ fault: 'latency', name: 'slow', delay: '100ms', direction: 'up' }")
    #expect(added.status == 201 && added.json["state"]?.string == "on")
    #expect(added.json["definition"]?["delay"]?.string == "100ms")
    client.write("a")
    try await world.sleep(50)
    #expect(server.text == "")
    let changed = try await world.call("PATCH", "/v1/proxies/web/faults/slow", "{\"delay\": \"40ms\"}")
    #expect(changed.status == 200 && changed.json["definition"]?["direction"]?.string == "up")
    try await world.sleep(5)
    #expect(server.text == "a")
    let put = try await world.call("PUT", "/v1/proxies/web/faults/slow", "{fault:'blackhole',for:'1h'}")
    #expect(put.status == 200 && put.json["name"]?.string == "slow" && put.json["fault"]?.string == "blackhole")
    client.write("b")
    try await world.sleep(100)
    #expect(server.text == "a")
    let listed = try await world.call("GET", "/v1/proxies/web/faults")
    #expect(listed.json.array?.count == 1)
    #expect(try await world.call("DELETE", "/v1/proxies/web/faults/slow").status == 204)
    try await world.sleep(5)
    #expect(server.text == "ab")
    #expect(try await world.call("GET", "/v1/proxies/web/faults/slow").status == 404)
  }
}

@Test func allFaultsAreReplacedAndClearedAtOnce() throws {
  let world = ControlWorld()
  try world.run {
    try await world.call("POST", "/v1/proxies/web/faults", "{fault:'blackhole'}")
    let put = try await world.call(
      "PUT", "/v1/proxies/web/faults",
      "[{fault:'latency',delay:'5ms'},{fault:'bandwidth',rate:'1MB/s',name:'line',clients:'50%'}]")
    #expect(put.json.array?.map { $0["name"]?.string } == ["latency#1", "line"])
    let wrong = try await world.call(
      "PUT", "/v1/proxies/web/faults", "[{fault:'latency',delay:'5ms'},{fault:'nonsense'}]")
    #expect(wrong.status == 400)
    let still = try await world.call("GET", "/v1/proxies/web/faults")
    #expect(still.json.array?.map { $0["name"]?.string } == ["latency#1", "line"])
    let cleared = try await world.call("DELETE", "/v1/proxies/web/faults")
    #expect(cleared.status == 200 && cleared.json.array?.isEmpty == true)
  }
}

@Test(arguments: [
  ("POST", "/v1/proxies/web/faults", "{", 400, "body:1:2"),
  ("POST", "/v1/proxies/web/faults", "", 400, "empty"),
  ("POST", "/v1/proxies/web/faults", "[]", 400, "a fault cannot be an array"),
  ("POST", "/v1/proxies/web/faults", "{fault:'latancy'}", 400, "did you mean \"latency\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'latency'}", 400, "\"delay\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'latency',delay:'2h'}", 400, "\"delay\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'latency',delay:'2ms',dealy:1}", 400, "\"dealy\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'reset',clients:'connection:77'}", 404, "connection 77 is not open"),
  ("POST", "/v1/proxies/web/faults", "{fault:'reset',clients:'connection:x'}", 400, "\"clients\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'reset',clients:'readers'}", 400, "\"clients\""),
  ("POST", "/v1/proxies/web/faults", "{fault:'deadHeartbeat'}", 409, "--frames"),
  ("POST", "/v1/proxies/web/faults", "{fault:'blackhole',name:'there'}", 409, "\"name\""),
  ("PUT", "/v1/proxies/web/faults/there", "{fault:'latency',delay:'0s'}", 400, "\"delay\""),
  ("PATCH", "/v1/proxies/web/faults/there", "{how:'elsewhere'}", 400, "\"how\""),
  ("PATCH", "/v1/proxies/web/faults/nowhere", "{}", 404, "nowhere"),
  ("POST", "/v1/proxies/other/faults", "{}", 404, "other"),
  ("GET", "/v1/proxies/web/connections?limit=x", "", 400, "\"limit\""),
  ("GET", "/v1/proxies/web/connections/99", "", 404, "99"),
  ("POST", "/v1/proxies/web/connections/99/reset", "", 404, "99"),
  ("POST", "/v1/proxies/web/connections/1/explode", "", 404, "explode"),
  ("DELETE", "/v1/proxies", "", 405, "GET"),
  ("GET", "/v1/proxies/%zz", "", 400, "path"),
  ("GET", "/v2", "", 404, "proxy-api.yaml"),
])
func aWrongRequestNamesWhatIsWrongAndChangesNothing(
  _ request: (method: String, target: String, body: String, status: Int, says: String)
) throws {
  let world = ControlWorld()
  try world.run {
    _ = try await world.pair()
    try await world.call("POST", "/v1/proxies/web/faults", "{fault:'blackhole',name:'there'}")
    let before = try await world.call("GET", "/v1/proxies/web/faults").text
    let answer = try await world.call(request.method, request.target, request.body)
    #expect(answer.status == request.status)
    #expect(answer.json["error"]?.string?.contains(request.says) == true, "\(answer.text)")
    #expect(try await world.call("GET", "/v1/proxies/web/faults").text == before)
  }
}

@Test func aFaultOnFramesIsTakenWhereFramesAreFollowed() throws {
  let world = ControlWorld(trackFrames: true)
  try world.run {
    let added = try await world.call("POST", "/v1/proxies/web/faults", "{fault:'deadHeartbeat'}")
    #expect(added.status == 201)
  }
}

@Test func connectionsAreListedLiveAndEndedOneByOne() throws {
  let world = ControlWorld()
  try world.run {
    let (first, server) = try await world.pair()
    let (second, _) = try await world.pair()
    first.write("hello")
    try await world.sleep(5)
    server.write("hi")
    try await world.sleep(5)
    try await world.call(
      "POST", "/v1/proxies/web/faults", "{fault:'blackhole',name:'hole',direction:'up',clients:'connection:1'}")
    first.write("held")
    try await world.sleep(5)
    let list = try await world.call("GET", "/v1/proxies/web/connections").json
    #expect(list["open"]?.integer == 2)
    let one = list["connections"]?[0]
    #expect(one?["id"]?.integer == 1 && one?["faults"] == ["hole"] && one?["phase"]?.string == "relaying")
    #expect(one?["up"]?["bytesIn"]?.integer == 9 && one?["up"]?["bytesOut"]?.integer == 5)
    #expect(one?["up"]?["heldBytes"]?.integer == 4 && one?["down"]?["bytesOut"]?.integer == 2)
    let rest = try await world.call("GET", "/v1/proxies/web/connections?after=1").json
    #expect(rest["connections"]?.array?.count == 1 && rest["connections"]?[0]?["faults"] == [])
    #expect(try await world.call("POST", "/v1/proxies/web/connections/1/reset").status == 204)
    #expect(try await world.call("POST", "/v1/proxies/web/connections/2/close").status == 204)
    try await world.sleep(5)
    #expect(first.failure == .reset && second.ended != nil && second.failure == nil)
    #expect(try await world.call("GET", "/v1/proxies/web/connections/1").status == 404)
  }
}

@Test func aProxyIsPausedResumedDisabledAndEnabledOverHTTP() throws {
  let world = ControlWorld()
  try world.run {
    let (client, server) = try await world.pair()
    #expect(try await world.call("POST", "/v1/proxies/web/pause").json["paused"]?.bool == true)
    client.write("x")
    try await world.sleep(20)
    #expect(server.text == "")
    #expect(try await world.call("POST", "/v1/proxies/web/resume").json["paused"]?.bool == false)
    try await world.sleep(5)
    #expect(server.text == "x")
    #expect(try await world.call("POST", "/v1/proxies/web/disable").json["enabled"]?.bool == false)
    try await world.sleep(5)
    #expect(client.ended != nil)
    await #expect(throws: NetworkError.refused) { _ = try await world.connect() }
    #expect(try await world.call("POST", "/v1/proxies/web/enable").json["enabled"]?.bool == true)
    _ = try await world.pair()
  }
}

@Test func metricsAreWhatPrometheusReads() throws {
  let world = ControlWorld()
  try world.run {
    let (client, _) = try await world.pair()
    client.write("12345")
    try await world.call("POST", "/v1/proxies/web/faults", "{fault:'blackhole',name:'hole'}")
    try await world.sleep(5)
    let text = try await world.call("GET", "/metrics").text
    #expect(text.contains("# TYPE obload_proxy_bytes_total counter\n"))
    #expect(text.contains("obload_proxy_bytes_total{proxy=\"web\",direction=\"up\"} 5\n"))
    #expect(text.contains("obload_proxy_connections_open{proxy=\"web\"} 1\n"))
    #expect(text.contains("obload_proxy_fault_on{proxy=\"web\",fault=\"hole\",kind=\"blackhole\"} 1\n"))
  }
}

@Test func browsersAreTurnedAway() throws {
  let world = ControlWorld()
  try world.run {
    let origin = HeaderField("Origin", "http://example.com")
    let first = try await world.call("POST", "/reset", "", [origin])
    let agent = HeaderField("User-Agent", "Mozilla/5.0 (X11)")
    let second = try await world.call("GET", "/proxies", "", [agent])
    #expect(first.status == 403 && second.status == 403)
  }
}

@Test(arguments: [
  ("ws://127.0.0.1:4000/api", "127.0.0.1:4000"), ("http://example.com", "example.com:80"),
  ("tcp://db:5432", "db:5432"), ("[::1]:80", "[::1]:80"), ("localhost:9", "localhost:9"),
  ("wss://example.com", "example.com:443"), ("tcp://db", nil), ("db", nil), ("ftp://x:1", nil), ("a:0", nil),
  ("a:b:1", nil), ("", nil), ("user@host:1", nil), ("h:70000", nil), ("h:", nil), ("[::1", nil),
])
func upstreamsAreReadAsPeopleWriteThem(_ text: String, _ expected: String?) {
  #expect(UpstreamName.parse(text)?.description == expected)
}

@Test(arguments: [
  (":8080", "127.0.0.1:8080"), ("8080", "127.0.0.1:8080"), ("localhost:1", "127.0.0.1:1"),
  ("0.0.0.0:1", "0.0.0.0:1"), ("[::1]:2", "[::1]:2"), ("host:1", nil), ("::8080", nil), ("", nil), (":", nil),
])
func listenersAreOnThisMachineAloneUnlessToldOtherwise(_ text: String, _ expected: String?) {
  #expect(ListenText.parse(text)?.description == expected)
}

@Test func aNameThatIsFoundLaterServesConnectionsFromThenOn() throws {
  let world = ControlWorld()
  try world.run {
    let named = try world.set.add(
      ProxySet.Specification(
        name: "named", listen: .loopback(port: 8081), upstream: UpstreamName(host: "backend", port: 4000)))
    let early = try await world.connect(port: 8081)
    try await world.sleep(5)
    #expect(early.failure == .reset && named.proxy.statistics.failures.map(\.name) == ["upstream not resolved"])
    world.world.network.names["backend"] = [.loopback(port: 0)]
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask { try? await world.set.run() }
      try await world.sleep(5)
      let (client, server) = try await world.pair(port: 8081)
      client.write("x")
      try await world.sleep(5)
      #expect(server.text == "x")
      group.cancelAll()
    }
  }
}

/// Every operation of the description is there, and answers as it says it may.
@Test func theDescriptionListsWhatThereIs() throws {
  let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  let text = try String(contentsOf: root.appendingPathComponent("docs/proxy-api.yaml"), encoding: .utf8)
  var operations: [(method: String, path: String, statuses: [Int])] = []
  var path = ""
  for line in text.split(separator: "\n").prefix(while: { $0 != "components:" }) {
    let word = line.trimmingCharacters(in: .whitespaces)
    if line.hasPrefix("  /") {
      path = String(word.dropLast())
    } else if ["get:", "post:", "put:", "patch:", "delete:"].contains(word) {
      operations.append((word.dropLast().uppercased(), path, []))
    } else if word.hasPrefix("\""), let status = Int(word.dropFirst().prefix(3)), !operations.isEmpty {
      operations[operations.count - 1].statuses.append(status)
    }
  }
  #expect(operations.count > 30)
  let world = ControlWorld()
  let all = operations
  try world.run {
    for operation in all {
      if world.set.proxy("web") == nil {
        try await world.call("POST", "/proxies", #"{"name":"web","listen":":8080","upstream":"127.0.0.1:4000"}"#)
      }
      _ = try await world.pair()
      try await world.call("POST", "/v1/proxies/web/faults", "{fault:'blackhole',name:'there',for:'1h',at:'1h'}")
      try await world.call("POST", "/proxies/web/toxics", #"{"type":"latency","name":"slow"}"#)
      let id = world.set.proxy("web")?.proxy.connections.last?.ordinal ?? 0
      let target = operation.path.replacing("{proxy}", with: "web").replacing("{fault}", with: "there")
        .replacing("{toxic}", with: "slow").replacing("{connection}", with: "\(id)")
      let body = operation.path == "/populate" || operation.path.hasSuffix("/faults") && operation.method == "PUT"
      let answer = try await world.call(
        operation.method, target, body ? "[]" : "{fault:'latency',delay:'1ms',type:'latency'}")
      #expect(operation.statuses.contains(answer.status), "\(operation.method) \(operation.path): \(answer.text)")
      #expect(![404, 405, 500].contains(answer.status), "\(operation.method) \(operation.path): \(answer.text)")
      for method in ["pause", "disable"] where operation.path.hasSuffix(method) {
        try await world.call("POST", "/reset")
      }
    }
  }
}
