import Core
import FaultProxy
import Network
import Testing
import WebSocket

/// Under any mix of faults that delay, reorder or damage no message, each message comes exactly once, whole, however its
/// frames are cut; nothing is told twice, and the end comes last.
@Test(arguments: 0..<24)
func messagesThatWaitComeExactlyOnce(_ seed: Int) throws {
  var random = SeededRandom(seed: UInt64(seed), purpose: .test, subject: 2)
  var faults: [FaultEntry] = []
  for ordinal in 0..<Int.random(in: 1...5, using: &random) {
    let delay = Duration.milliseconds(Int64.random(in: 1...300, using: &random))
    let match = MessageMatch(every: Int.random(in: 1...4, using: &random), share: 0.7)
    let choices: [any Fault] = [
      DelayMessage(delay: DrawnDuration(mean: delay, jitter: delay / 2), match: match),
      ReorderMessages(window: Int.random(in: 2...6, using: &random), within: delay, match: match),
      Slice(size: Int.random(in: 50...500, using: &random), pause: .microseconds(100)), Blackhole(),
      Latency(delay: delay),
    ]
    let length = Duration.milliseconds(Int.random(in: 1...900, using: &random))
    let triggers: [FaultTrigger] = [
      .at(.milliseconds(Int.random(in: 20...1500, using: &random)), for: length),
      .every(.seconds(1), from: .milliseconds(20), for: length),
      .afterConnect(.milliseconds(100), from: .zero, for: length),
      .onMessage(MessageMatch(), nth: Int.random(in: 1...40, using: &random), direction: .up, from: .zero, for: length),
    ]
    faults.append(
      FaultEntry(
        ordinal: ordinal, trigger: triggers[Int.random(in: 0..<4, using: &random)],
        direction: [.up, .both].randomElement(using: &random),
        fault: choices[Int.random(in: 0..<5, using: &random)]))
  }
  var bytes: [UInt8] = []
  var sent: [String] = []
  for number in 0..<200 {
    switch Int.random(in: 0..<6, using: &random) {
    case 0:
      bytes += Frames.make(.ping, Array("\(number)".utf8), masked: true)
      sent.append("ping(\(number))")
    case 1:
      bytes += Frames.make(.text, Array("\(number) in ".utf8), fin: false, masked: true)
      bytes += Frames.make(.pong, Array("p\(number)".utf8), masked: true)
      bytes += Frames.make(.continuation, Array("two".utf8), masked: true)
      sent += ["pong(p\(number))", "message(\(number) in two)"]
    default:
      let text = "\(number) " + String(repeating: "x", count: Int.random(in: 0...3000, using: &random))
      bytes += Frames.text(text, masked: true)
      sent.append("message(\(text))")
    }
  }
  let cuts = (0..<32).map { _ in Int.random(in: 1...4000, using: &random) }
  let (all, expected) = (bytes, sent.sorted())
  let world = ProxyWorld(
    faults, seed: UInt64(seed), latency: .microseconds(200), capacity: Int.random(in: 500...65536, using: &random))
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    let count = world.seen.all.count
    var (offset, turn) = (0, 0)
    while offset < all.count {
      let end = min(all.count, offset + cuts[turn % cuts.count])
      client.write(all[offset..<end])
      (offset, turn) = (end, turn + 1)
      server.reads = turn % 5 != 2
      try await world.sleep(.milliseconds(15))
    }
    server.reads = true
    client.stream.shutdownWrite()
    try await world.sleep(.seconds(300))
    #expect(Frames.lines(server.received, masked: true).sorted() == expected)
    #expect(server.ended != nil && server.failure == nil)
    let seen = world.seen.all.dropFirst(count).filter { observation in
      if case .ended = observation.event { return false }
      return observation.source == .wire && observation.direction == .up
    }
    #expect(seen.filter { $0.side == .client }.map { ProxyWorld.name($0.event) }.sorted() == expected)
    let outgoing = seen.filter { $0.side == .upstream }
    #expect(outgoing.map { ProxyWorld.name($0.event) } == Frames.lines(server.received, masked: true))
    #expect(outgoing.allSatisfy { ($0.otherSideTime ?? .distantFuture) <= $0.time })
  }
}
