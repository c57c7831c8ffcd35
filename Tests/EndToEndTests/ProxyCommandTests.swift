import Foundation
import JSON
import Network
import Testing

/// `obload proxy` as a person starts it.
@Suite struct ProxyCommandTests {
  /// Starts it and answers it with the port behind `mark`.
  private func start(_ arguments: [String], _ mark: String) throws -> (program: Program, port: Int) {
    let program = try Program(try Repository.program(), ["proxy"] + arguments)
    let isUp = program.wait { $0.output.contains(mark) && $0.output.hasSuffix("\n") }
    #expect(isUp, "\(program.output)\(program.errors)")
    let line = program.output.split(separator: "\n").first { $0.contains(mark) } ?? ""
    let address = line.split(separator: " ").first { $0.contains("127.0.0.1:") } ?? ""
    return (program, try #require(Int(address.drop { $0 != "1" }.split(separator: ":").last ?? "")))
  }

  @Test func aToxiproxyClientDrivesItUnchanged() throws {
    let python = try Repository.python()
    let (proxy, port) = try start(["--control", ":0"], "control on")
    let client = try Program(python, ["Tests/peers/toxiproxy_client.py", "http://127.0.0.1:\(port)"])
    let ended = client.end()
    #expect(ended.code == 0 && ended.output.contains("proven: all"), "\(ended.text)\(proxy.errors)")
    proxy.send(SIGINT)
    #expect(proxy.end().code == 0)
  }

  @Test func aConnectionWithoutAnUpstreamIsResetWithAReasonAndTheRestRuns() throws {
    let arguments = [
      "--listen", ":0", "--upstream", "tcp://127.0.0.1:1", "--name", "down", "--listen", ":0", "--upstream",
      "tcp://nowhere.invalid:1", "--name", "unknown", "--control", ":0",
    ]
    let (proxy, control) = try start(arguments, "control on")
    let list = try answer(control, "/v1/proxies")
    let ports = (list.array ?? []).compactMap { $0["listen"]?.string?.split(separator: ":").last.flatMap { Int($0) } }
    #expect(ports.count == 2)
    for port in ports { #expect(throws: (any Error).self) { _ = try answer(port, "/") } }
    let isTold = proxy.wait {
      $0.errors.contains("down: upstream refused") && $0.errors.contains("unknown: upstream not resolved")
    }
    #expect(isTold, "\(proxy.errors)")
    #expect(try answer(control, "/v1/proxies").array?.count == 2)
    proxy.send(SIGTERM)
    #expect(proxy.end().code == 0)
  }

  @Test func mistakesInAFaultFileAreShownInTheirPlaceAndNothingRuns() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("faults.json5", "[\n  { fault: \"latency\", delay: \"10ms\", jiter: \"1ms\" },\n]\n")
    let ended = try Program.obload(["proxy", "--listen", ":0", "--upstream", "a:1", "--faults", file])
    #expect(ended.code == 2)
    #expect(ended.errors.contains("faults.json5:2:38: a fault has no key \"jiter\""), "\(ended.errors)")
    #expect(ended.errors.contains("did you mean \"jitter\"?"))
  }

  @Test func aFaultFileThatNeedsFramesHasThemFollowed() throws {
    let folder = try TemporaryFolder()
    let file = try folder.write("faults.json5", "{ faults: [{ fault: \"deadHeartbeat\", name: \"dead\" }] }")
    let (proxy, control) = try start(
      ["--listen", ":0", "--upstream", "127.0.0.1:1", "--faults", file, "--control", ":0"], "control on")
    let one = try answer(control, "/v1/proxies/proxy")
    #expect(one["frames"]?.bool == true && one["faults"]?[0]?["state"]?.string == "on")
    proxy.send(SIGINT)
    #expect(proxy.end().code == 0)
  }

  private func answer(_ port: Int, _ target: String) throws -> JSONValue {
    let loop = EventLoop(clock: .monotonic)
    return try loop.run {
      let client = ByteStreamHTTPClient(transport: TCPTransport(loop: loop))
      defer { client.closeIdle() }
      let origin = HTTPOrigin(host: "127.0.0.1", port: UInt16(port))
      return try JSONValue.parse(try await client.send(HTTPRequest(target: target), to: origin).body)
    }
  }
}
