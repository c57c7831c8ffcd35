import Core
import FaultProxy
import Network
import Testing
import WebSocket

/// Under any mix of byte faults, in any cut, both sides are told of exactly the messages sent, in order, each at the
/// outgoing side no earlier than at the incoming one.
@Test(arguments: 0..<16)
func bothSidesAreToldOfExactlyTheMessagesSent(_ seed: Int) throws {
  var random = SeededRandom(seed: UInt64(seed), purpose: .test, subject: 1)
  var faults: [FaultEntry] = []
  for ordinal in 0..<Int.random(in: 0...4, using: &random) {
    let delay = Duration.microseconds(Int64.random(in: 50...200_000, using: &random))
    let choices: [any Fault] = [
      Latency(delay: delay, jitter: delay / 2), Bandwidth(rate: Int.random(in: 20_000...900_000, using: &random)),
      Blackhole(),
    ]
    faults.append(
      .test(
        choices[Int.random(in: 0..<3, using: &random)], at: Int.random(in: 20...1500, using: &random),
        for: Int.random(in: 1...1000, using: &random),
        direction: [.up, .down, .both].randomElement(using: &random), ordinal: ordinal))
  }
  let dropsPongs = Bool.random(using: &random)
  if dropsPongs { faults.append(.test(DeadHeartbeat(), at: 20, direction: .up, ordinal: faults.count)) }

  var bytes: [UInt8] = []
  var sent: [String] = []
  var passed: [String] = []
  for number in 0..<150 {
    switch Int.random(in: 0..<5, using: &random) {
    case 0:
      bytes += Frames.make(.pong, Array("\(number)".utf8), masked: true)
      sent.append("pong(\(number))")
      if !dropsPongs { passed.append("pong(\(number))") }
    case 1:
      bytes += Frames.make(.text, Array("\(number) in ".utf8), fin: false, masked: true)
      bytes += Frames.make(.continuation, Array("two".utf8), masked: true)
      sent.append("message(\(number) in two)")
      passed.append("message(\(number) in two)")
    default:
      let text = "\(number) " + String(repeating: "x", count: Int.random(in: 0...2000, using: &random))
      bytes += Frames.text(text, masked: true)
      sent.append("message(\(text))")
      passed.append("message(\(text))")
    }
  }
  let cuts = (0..<32).map { _ in Int.random(in: 1...3000, using: &random) }
  let (all, expectedIn, expectedOut) = (bytes, sent, passed)
  let world = ProxyWorld(
    faults, seed: UInt64(seed), latency: .microseconds(200), capacity: Int.random(in: 300...65536, using: &random))
  try world.run {
    let (client, server) = try await world.webSocket(client: 0)
    try await world.sleep(until: .milliseconds(30))
    let count = world.seen.all.count
    var (offset, turn) = (0, 0)
    while offset < all.count {
      let end = min(all.count, offset + cuts[turn % cuts.count])
      client.write(all[offset..<end])
      (offset, turn) = (end, turn + 1)
      server.reads = turn % 5 != 2
      try await world.sleep(.milliseconds(20))
    }
    server.reads = true
    try await world.sleep(.seconds(300))
    #expect(Frames.lines(server.received, masked: true) == expectedOut)
    let seen = world.seen.all.dropFirst(count).filter { $0.source == .wire }
    let incoming = seen.filter { $0.side == .client }
    let outgoing = seen.filter { $0.side == .upstream }
    #expect(incoming.map { ProxyWorld.name($0.event) } == expectedIn)
    #expect(outgoing.map { ProxyWorld.name($0.event) } == expectedOut)
    let arrivals = incoming.filter { $0.disposition != .dropped }.map(\.time)
    for (arrival, observation) in zip(arrivals, outgoing) {
      #expect(observation.otherSideTime == arrival && observation.time >= arrival)
    }
    #expect(seen.map(\.time) == seen.map(\.time).sorted())
  }
}
