import Core
import FaultProxy
import Network
import Testing

private func members(_ entry: FaultEntry, seed: UInt64 = 1, loop: UInt8 = 0) -> [UInt32] {
  (0..<1000).filter { number in
    let connection = ConnectionID(loop: loop, ordinal: UInt64(number) * 7 + 1)
    return entry.hits(.init(connection: connection, client: ClientID(number), host: ""), seed: seed)
  }
}

private func share(_ share: Double, name: String?, ordinal: Int = 0) -> FaultEntry {
  FaultEntry(ordinal: ordinal, name: name, trigger: .at(.zero, for: nil), target: .share(share), fault: Blackhole())
}

@Test func aShareDrawsItsMembersFromTheSeedOnceForAll() {
  let first = members(share(0.3, name: "a"))
  #expect((250...350).contains(first.count))
  #expect(members(share(0.3, name: "a")) == first)
  // On whatever loop, by whatever connection, wherever in the list: it is the client that is drawn.
  #expect(members(share(0.3, name: "a"), loop: 3) == first)
  #expect(members(share(0.3, name: "a", ordinal: 5)) == first)
  #expect(members(share(0.3, name: "b")) != first)
  #expect(members(share(0.3, name: "a"), seed: 2) != first)
}

@Test func aLargerShareHoldsTheSmallerOne() {
  let small = Set(members(share(0.2, name: "a")))
  let large = Set(members(share(0.6, name: "a")))
  #expect(small.isSubset(of: large))
  #expect(members(share(0, name: "a")).isEmpty)
  #expect(members(share(1, name: "a")).count == 1000)
}

@Test func anUnnamedFaultDrawsByKindAndOrdinal() {
  #expect(members(share(0.5, name: nil, ordinal: 1)) != members(share(0.5, name: nil, ordinal: 2)))
  #expect(members(share(0.5, name: nil, ordinal: 1)) == members(share(0.5, name: "blackhole#1")))
}

@Test func fleetsClientsAndAddressesHitWhomTheyName() {
  func entry(_ target: FaultTarget) -> FaultEntry {
    FaultEntry(ordinal: 0, trigger: .at(.zero, for: nil), target: target, fault: Reset())
  }
  #expect(members(entry(.fleet(name: "a", first: ClientID(10), count: 5))) == Array(10..<15))
  #expect(members(entry(.client(ClientID(4)))) == [4])
  #expect(members(entry(.all)).count == 1000)
  let foreign = FaultTarget.Subject(connection: ConnectionID(loop: 0, ordinal: 1), client: nil, host: "127.0.0.2")
  #expect(entry(.address("127.0.0.2")).hits(foreign, seed: 1))
  #expect(!entry(.address("127.0.0.3")).hits(foreign, seed: 1))
  #expect(!entry(.client(ClientID(4))).hits(foreign, seed: 1))
}

@Test func aShareHitsTheSameClientsOnEveryConnection() throws {
  let fault = share(0.5, name: "half")
  let world = ProxyWorld([
    FaultEntry(ordinal: 0, name: "half", trigger: .at(.zero, for: .seconds(1)), target: fault.target, fault: Refuse())
  ])
  let expected = members(fault).filter { $0 < 40 }
  try world.run {
    for _ in 0..<2 {
      var refused: [UInt32] = []
      for number in 0..<40 {
        let client = try await world.connect(client: UInt32(number))
        try await world.sleep(.milliseconds(2))
        if client.failure == .reset { refused.append(UInt32(number)) }
        client.stream.close()
      }
      #expect(refused == expected)
    }
    #expect(world.application(0).applications == UInt64(2 * expected.count))
    #expect(RangeList.count(world.application(0).clients) == expected.count)
  }
}

@Test func aFaultThatTouchedNobodySaysSo() throws {
  let world = ProxyWorld([
    .test(Latency(delay: .seconds(1)), at: 100, for: 100),
    .test(Reset(), at: 300, target: .client(ClientID(99)), ordinal: 1),
  ])
  try world.run {
    _ = try await world.webSocket(client: 1)
    try await world.sleep(.seconds(1))
    for application in world.proxy.applications {
      #expect(application.applications == 0 && application.connections.isEmpty && application.clients.isEmpty)
      #expect(application.started != nil && application.ended != nil)
    }
  }
}
