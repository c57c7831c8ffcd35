import Core
import FaultProxy
import Network
import Testing
import WebSocket

private func entry(
  _ fault: any Fault, _ name: String, target: FaultTarget = .all, at: Duration = .zero, for length: Duration? = nil,
  direction: FaultDirection? = nil
) -> FaultEntry {
  FaultEntry(
    ordinal: 0, name: name, trigger: .at(at, for: length), target: target, direction: direction, fault: fault)
}

@Test func aFaultThatIsAddedHoldsFromThenOnAndARemovedOneLetsGo() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    client.write("a")
    try await world.sleep(.milliseconds(5))
    try world.proxy.edit([.add(entry(Blackhole(), "hole"))])
    client.write("b")
    try await world.sleep(.milliseconds(50))
    #expect(server.text == "a")
    try world.proxy.edit([.remove(name: "hole")])
    try await world.sleep(.milliseconds(5))
    #expect(server.text == "ab")
  }
}

@Test func changedLatencyCountsFromTheArrivalOfWhatIsHeldAndKeepsOrder() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try world.proxy.edit([.add(entry(Latency(delay: .milliseconds(100)), "slow", direction: .up))])
    client.write("1")
    let sent = world.now
    try await world.sleep(.milliseconds(50))
    client.write("2")
    try await world.sleep(.milliseconds(10))
    try world.proxy.edit([.change(name: "slow", entry(Latency(delay: .milliseconds(200)), "slow", direction: .up))])
    try await world.sleep(.milliseconds(400))
    #expect(server.text == "12")
    // 1 ms each way of the network besides.
    #expect(server.arrivals.map { $0.at - sent } == [.milliseconds(202), .milliseconds(252)])
    #expect(world.proxy.faultStates.count == 1)
    #expect(world.proxy.faultStates[0].application.applications == 2)
  }
}

@Test func aReplacementOfOneFaultByAnotherLetsNothingThroughBetween() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try world.proxy.edit([.add(entry(Latency(delay: .seconds(1)), "slow"))])
    client.write("held")
    try await world.sleep(.milliseconds(10))
    try world.proxy.edit([.clear, .add(entry(Blackhole(), "hole"))])
    try await world.sleep(.seconds(5))
    #expect(server.text == "")
    try world.proxy.edit([.change(name: "hole", entry(Latency(delay: .milliseconds(10)), "hole"))])
    try await world.sleep(.milliseconds(5))
    #expect(server.text == "held")  // it came long ago
  }
}

@Test func aWiderShareKeepsItsMembersWhateverElseChanges() throws {
  let world = ProxyWorld(seed: 9, trackFrames: false)
  try world.run {
    for number in 0..<40 { _ = try await world.pair(client: UInt32(number)) }
    func members() -> Set<UInt64> {
      Set(world.proxy.connectionStates().filter { $0.faults == ["some"] }.map(\.id.rawValue))
    }
    try world.proxy.edit([.add(entry(Blackhole(), "some", target: .share(0.3)))])
    let first = members()
    try world.proxy.edit([.change(name: "some", entry(Latency(delay: .seconds(1)), "some", target: .share(0.3)))])
    #expect(members() == first)
    try world.proxy.edit([.change(name: "some", entry(Blackhole(), "some", target: .share(0.6)))])
    #expect(members().isSuperset(of: first) && members().count > first.count)
    try world.proxy.edit([.remove(name: "some"), .add(entry(Blackhole(), "some", target: .share(0.3)))])
    #expect(members() == first)
    #expect(first.count > 4 && first.count < 25)
  }
}

@Test func editsThatFailChangeNothing() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    _ = try await world.pair()
    try world.proxy.edit([.add(entry(Blackhole(), "a"))])
    func fails(_ edits: [FaultEdit], _ error: FaultEditError) {
      #expect(throws: error) { try world.proxy.edit(edits) }
      #expect(world.proxy.faultStates.map(\.entry.name) == ["a"])
    }
    fails([.remove(name: "a"), .remove(name: "b")], .unknown(name: "b"))
    fails([.clear, .add(entry(Reset(), "b")), .add(entry(Reset(), "b"))], .taken(name: "b"))
    fails([.add(entry(DeadHeartbeat(), "dead"))], .untracked(kind: "deadHeartbeat"))
    let gone = ConnectionID(loop: 0, ordinal: 99)
    fails([.add(entry(Reset(), "r", target: .connection(gone)))], .gone(connection: 99))
  }
}

@Test func aMomentaryFaultActsAtOnceAndItsNameIsFreeAgain() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (first, _) = try await world.pair()
    let (second, _) = try await world.pair()
    let target = FaultTarget.connection(world.proxy.connections[1])
    try world.proxy.edit([.add(entry(Reset(), "r", target: target))])
    try await world.sleep(.milliseconds(5))
    #expect(first.failure == nil && second.failure == .reset)
    #expect(world.proxy.faultStates[0].isOver)
    try world.proxy.edit([.add(entry(Reset(), "r"))])
    try await world.sleep(.milliseconds(5))
    #expect(first.failure == .reset)
  }
}

@Test func triggersOfAddedFaultsCountFromTheirAdding() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try await world.sleep(.seconds(3))
    try world.proxy.edit([.add(entry(Blackhole(), "hole", at: .seconds(1), for: .seconds(2)))])
    #expect(!world.proxy.faultStates[0].isOn)
    try await world.sleep(.milliseconds(1500))
    client.write("x")
    #expect(world.proxy.faultStates[0].isOn)
    try await world.sleep(.milliseconds(500))
    #expect(server.text == "")
    try await world.sleep(.milliseconds(1100))
    #expect(server.text == "x" && world.proxy.faultStates[0].isOver)
  }
}

@Test func aPausedProxyHoldsEverythingAndLetsItGoInOrder() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, server) = try await world.pair()
    try world.proxy.edit([.add(entry(Latency(delay: .milliseconds(20)), "slow"))])
    client.write("a")
    world.proxy.pause()
    client.write("b")
    let late = try await world.connect()
    late.write("late")
    try await world.sleep(.seconds(1))
    #expect(server.text == "" && world.servers.count == 1)
    #expect(world.proxy.connectionStates()[0].up.heldBytes == 2)
    try world.proxy.edit([.clear])
    try await world.sleep(.seconds(1))
    #expect(server.text == "")
    world.proxy.resume()
    try await world.sleep(.milliseconds(10))
    #expect(server.text == "ab" && world.servers[1].text == "late")
  }
}

@Test func aDisabledProxyEndsItsConnectionsAndRefusesNewOnesUntilItIsEnabled() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    let (client, _) = try await world.pair()
    world.proxy.disable()
    try await world.sleep(.milliseconds(5))
    #expect(client.ended != nil && world.proxy.statistics.open == 0)
    await #expect(throws: NetworkError.refused) { _ = try await world.connect() }
    try world.proxy.enable()
    let (again, server) = try await world.pair()
    again.write("x")
    try await world.sleep(.milliseconds(5))
    #expect(server.text == "x")
  }
}

@Test func connectionsTellWhatPassedSoFar() throws {
  let world = ProxyWorld()
  try world.run {
    let (client, server) = try await world.webSocket()
    client.write(Frames.text("hello", masked: true) + Frames.make(.ping, [], masked: true))
    server.write(Frames.text("a", masked: false))
    try await world.sleep(.milliseconds(5))
    let state = world.proxy.connectionStates()[0]
    #expect(state.up.frames == 2 && state.up.messages == 1 && state.down.frames == 1)
    #expect(state.up.bytesIn == state.up.bytesOut && state.phase == .relaying)
    #expect(world.proxy.reset(state.id))
    try await world.sleep(.milliseconds(5))
    #expect(client.failure == .reset && !world.proxy.reset(state.id))
  }
}

@Test func aConnectionWithoutAnUpstreamToGoToIsReset() throws {
  let world = ProxyWorld(trackFrames: false)
  try world.run {
    world.proxy.upstream = nil
    let client = try await world.connect()
    try await world.sleep(.milliseconds(5))
    #expect(client.failure == .reset)
    #expect(world.proxy.statistics.failures.map(\.name) == ["upstream not resolved"])
  }
}

/// Byte faults that come, change and go at random lose nothing, double nothing, and keep the order.
@Test(arguments: 0..<16)
func anyHistoryOfEditsDeliversExactlyTheBytesSent(_ seed: Int) throws {
  let world = ProxyWorld(seed: UInt64(seed), latency: .microseconds(300), capacity: 4096, trackFrames: false)
  try world.run {
    var random = SeededRandom(seed: UInt64(seed), purpose: .test)
    let (client, server) = try await world.pair(client: 0)
    var (up, down): ([UInt8], [UInt8]) = ([], [])
    for turn in 0..<120 {
      let size = Int.random(in: 1...3000, using: &random)
      let piece = (0..<size).map { _ in UInt8.random(in: 0...255, using: &random) }
      if Bool.random(using: &random) {
        client.write(piece)
        up += piece
      } else {
        server.write(piece)
        down += piece
      }
      let fault: any Fault =
        switch Int.random(in: 0..<3, using: &random) {
        case 0:
          Latency(delay: .milliseconds(Int64.random(in: 1...80, using: &random)), jitter: .milliseconds(1))
        case 1: Bandwidth(rate: Int.random(in: 10_000...2_000_000, using: &random))
        default: Blackhole()
        }
      let names = world.proxy.faultStates.map(\.entry.name)
      let chosen = names.randomElement(using: &random)
      let direction: FaultDirection? = [.up, .down, .both].randomElement(using: &random)
      switch Int.random(in: 0..<6, using: &random) {
      case 0, 1: try world.proxy.edit([.add(entry(fault, "f\(turn)", direction: direction))])
      case 2, 3:
        if let chosen { try world.proxy.edit([.change(name: chosen, entry(fault, chosen, direction: direction))]) }
      case 4: if let chosen { try world.proxy.edit([.remove(name: chosen)]) }
      default: if turn % 9 == 0 { try world.proxy.edit([.clear, .add(entry(fault, "only\(turn)"))]) }
      }
      if turn % 25 == 7 { world.proxy.pause() }
      if turn % 25 == 12 { world.proxy.resume() }
      try await world.sleep(.milliseconds(Int64.random(in: 0...40, using: &random)))
    }
    world.proxy.resume()
    try world.proxy.edit([.clear])
    client.stream.shutdownWrite()
    try await world.sleep(.seconds(60))
    #expect(server.received == up && client.received == down && server.ended != nil)
  }
}
