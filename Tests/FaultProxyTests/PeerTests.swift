import Core
import FaultProxy
import Foundation
import JSON
import Network
import TestSupport
import Testing

/// A check of `Tests/peers/fault_peer.py`, and the fault that it is about, as a scenario writes it.
struct PeerCheck: CustomTestStringConvertible, Sendable {
  let name: String
  let fault: String
  init(_ name: String, _ fault: String) {
    self.name = name
    self.fault = fault
  }
  var testDescription: String { name }

  static let all = [
    PeerCheck("latency", #"fault: "latency", delay: "100ms", direction: "up""#),
    PeerCheck("bandwidth", #"fault: "bandwidth", rate: "100kB/s""#),
    PeerCheck("bandwidth_shared", #"fault: "bandwidth", rate: "100kB/s", shared: true"#),
    PeerCheck("slice", #"fault: "slice", size: "4B", pause: "20ms""#),
    PeerCheck("limit", #"fault: "limit", bytes: "1000B", direction: "up""#),
    PeerCheck("blackhole", #"fault: "blackhole""#),
    PeerCheck("blackhole_discarded", #"fault: "blackhole", mode: "discarded""#),
    PeerCheck("stall", #"fault: "stall""#),
    PeerCheck("corrupt", #"fault: "corrupt", bits: 3"#),
    PeerCheck("corrupt_header", #"fault: "corrupt", how: "header""#),
    PeerCheck("corrupt_mask", #"fault: "corrupt", how: "mask", direction: "up""#),
    PeerCheck("corrupt_json", #"fault: "corrupt", how: "json""#),
    PeerCheck("corrupt_utf8", #"fault: "corrupt", how: "utf8""#),
    PeerCheck("corrupt_mask_down", #"fault: "corrupt", how: "mask""#),
    PeerCheck("reset", #"fault: "reset""#),
    PeerCheck("close", #"fault: "close""#),
    PeerCheck("closeFrame", #"fault: "closeFrame", code: 1012, reason: "restart""#),
    PeerCheck("halfOpen", #"fault: "halfOpen""#),
    PeerCheck("refuse", #"fault: "refuse""#),
    PeerCheck("refuse_hang", #"fault: "refuse", how: "acceptThenHang""#),
    PeerCheck("refuse_closed", #"fault: "refuse", how: "closed""#),
    PeerCheck("refuse_upgrade", #"fault: "refuse", how: "upgrade", retryAfter: "2s""#),
    PeerCheck("slowHandshake", #"fault: "slowHandshake", pause: "2ms""#),
    PeerCheck("failFirst", #"fault: "failFirst", attempts: 2"#),
    PeerCheck("lifetime", #"fault: "lifetime", age: "300ms""#),
    PeerCheck("serverRestart", #"fault: "serverRestart", for: "1h""#),
    PeerCheck("partition", #"fault: "partition""#),
    PeerCheck("deadHeartbeat", #"fault: "deadHeartbeat""#),
    PeerCheck("dropMessage", #"fault: "dropMessage", match: { type: "b" }"#),
    PeerCheck("delayMessage", #"fault: "delayMessage", delay: "150ms", match: { type: "slow" }"#),
    PeerCheck("duplicateMessage", #"fault: "duplicateMessage", copies: 2, match: { id: 2 }"#),
    PeerCheck("reorderMessages", #"fault: "reorderMessages", window: 4"#),
    PeerCheck("editMessage", #"fault: "editMessage", remove: ["drop"], set: { "in.x.1": "y", new: null }"#),
    PeerCheck("onMessage", #"fault: "reset", onMessage: { type: "call", nth: 2, direction: "up" }"#),
  ]

  /// The fault as the timeline of a run of one minute.
  func timeline() -> (FaultTimeline, [String]) {
    let diagnostics = Diagnostics()
    let value = LocatedJSON.read("[{ at: \"0s\", \(fault) }]", diagnostics: diagnostics).value
    let timeline = FaultTimeline.decode(value, fleets: [], duration: .seconds(60), diagnostics: diagnostics)
    return (timeline, diagnostics.all.map { $0.rendered(file: name) })
  }
}

private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
  .deletingLastPathComponent()

/// The Python that has what the peers need.
private let python: String = {
  let path = ProcessInfo.processInfo.environment["OBLOAD_PYTHON"] ?? ".venv/bin/python"
  return path.hasPrefix("/") ? path : root.appendingPathComponent(path).path
}()

@Suite(.enabled(if: FileManager.default.isExecutableFile(atPath: python), "make setup-tests installs the Python peers"))
struct PeerTests {
  @Test(.timeLimit(.minutes(1)), arguments: PeerCheck.all)
  func aPeerThatSharesNoCodeSeesWhatTheFaultSays(_ check: PeerCheck) throws {
    let (timeline, mistakes) = check.timeline()
    try #require(mistakes.isEmpty && timeline.entries.count == 1, "\(mistakes)")
    let loop = EventLoop(clock: .monotonic)
    let transport = TCPTransport(loop: loop)
    try loop.run {
      let peers = ControlConnections(loop)
      let listener = try transport.listen(on: .loopback(port: 0)) { peers.add($0) }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: python)
      process.arguments = [
        root.appendingPathComponent("Tests/peers/fault_peer.py").path, check.name, "\(listener.address.port)",
      ]
      try process.run()
      defer { process.waitUntilExit() }
      let control = try await peers.first()
      var steps = PeerSteps(transport: transport, timeline: timeline)
      while let line = try await control.line() {
        if line == "ok" { break }
        guard let answer = try steps.take(line) else {
          Issue.record("\(line)")
          break
        }
        control.say(answer)
      }
      #expect((steps.proxy?.applications[0].applications ?? 0) > 0, "the fault touched nobody")
      steps.proxy?.close()
      control.stream.close()
      listener.close()
    }
  }
}

/// What the peer asks for.
private struct PeerSteps {
  let transport: TCPTransport
  let timeline: FaultTimeline
  var proxy: Proxy?

  /// The answer to a line; nil to one that says what went wrong.
  mutating func take(_ line: String) throws -> String? {
    let words = line.split(separator: " ")
    switch words.first {
    case "upstream":
      let port = words.dropFirst().first.flatMap { UInt16($0) } ?? 0
      let configuration = ProxyConfiguration(
        upstream: .loopback(port: port), listen: .loopback(port: 0), trackFrames: timeline.needsFrames)
      let proxy = Proxy(transport: transport, configuration: configuration, timeline: timeline)
      self.proxy = proxy
      return "proxy \(try proxy.start().port)"
    case "begin":
      proxy?.begin(at: transport.loop.now)
      return "begun"
    case "lift":
      proxy?.liftFaults()
      return "lifted"
    default: return nil
    }
  }
}

/// @unchecked: confined to its loop.
private final class ControlConnections: @unchecked Sendable {
  private var all: [ControlConnection] = []
  private let waiter: Waiter
  init(_ loop: EventLoop) { waiter = Waiter(loop: loop, label: "the peer's control connection") }
  func add(_ stream: ByteStream) {
    all.append(ControlConnection(stream))
    waiter.signal()
  }
  func first() async throws -> ControlConnection {
    while all.isEmpty { try await waiter.wait() }
    return all[0]
  }
}

/// Lines from and to the peer.
///
/// @unchecked: confined to its loop.
private final class ControlConnection: @unchecked Sendable {
  private let handler: RecordingStreamHandler
  private var taken = 0
  init(_ stream: ByteStream) { handler = RecordingStreamHandler(stream) }

  var stream: ByteStream { handler.stream }
  func say(_ line: String) { handler.write(Array((line + "\n").utf8)) }

  /// The next line; nil when the peer has gone.
  func line() async throws -> String? {
    let newline = UInt8(ascii: "\n")
    try await handler.wait { handler in
      handler.received[taken...].contains(newline)
        || handler.events.contains { event in
          switch event {
          case .end, .failed: true
          default: false
          }
        }
    }
    guard let end = handler.received[taken...].firstIndex(of: newline) else { return nil }
    defer { taken = end + 1 }
    return String(decoding: handler.received[taken..<end], as: UTF8.self)
  }
}
