import Core
import FaultProxy
import Foundation
import JSON
import Testing

/// Decodes the array of faults in `text`, with fleets readers (0–7) and writers (8–9) and a run of 60 s.
private func decode(_ text: String) -> (timeline: FaultTimeline, mistakes: [String]) {
  let (value, diagnostics) = LocatedJSON.read(text)
  let timeline = FaultTimeline.decode(
    value, fleets: [("readers", ClientID(0), 8), ("writers", ClientID(8), 2)], duration: .seconds(60),
    diagnostics: diagnostics)
  return (timeline, diagnostics.all.map { $0.rendered(file: "s") })
}

@Test func theFaultsOfTheDesignDecode() {
  let (timeline, mistakes) = decode(
    """
    [
      { at: "20s", fault: "reset", clients: "all" },
      { at: "20s", for: "8s", fault: "refuse", how: "acceptThenReset", clients: "50%" },
      { at: "40s", for: "10s", fault: "latency", delay: "150ms", jitter: "40ms", direction: "down", name: "slow" },
      { at: "50s", fault: "bandwidth", rate: "64KiB/s", clients: "writers" },
      { at: "51s", for: "1s", fault: "refuse", how: "upgrade", status: 429, retryAfter: "2s", clients: "client:9" },
      { at: "52s", fault: "closeFrame", code: 1012, reason: "restart", clients: "fleet:readers" },
      { at: "53s", for: "2s", fault: "blackhole", direction: "up", clients: "address:127.0.0.2" },
      { at: "54s", fault: "deadHeartbeat" },
      { at: "55s", fault: "close" },
    ]
    """)
  #expect(mistakes.isEmpty)
  let entries = timeline.entries
  #expect(
    entries.map(\.name) == [
      "reset#0", "refuse#1", "slow", "bandwidth#3", "refuse#4", "closeFrame#5", "blackhole#6", "deadHeartbeat#7",
      "close#8",
    ])
  #expect(entries[1].target == .share(0.5) && entries[1].trigger == .at(.seconds(20), for: .seconds(8)))
  #expect(entries[2].direction == .down)
  let latency = entries[2].fault as? Latency
  #expect(latency?.delay == .milliseconds(150) && latency?.jitter == .milliseconds(40))
  #expect(latency?.distribution == .uniform)
  #expect((entries[3].fault as? Bandwidth)?.rate == 65536)
  #expect(entries[3].target == .fleet(name: "writers", first: ClientID(8), count: 2))
  let refuse = entries[4].fault as? Refuse
  #expect(refuse?.how == .upgrade && refuse?.status == 429 && refuse?.retryAfter == .seconds(2))
  #expect(entries[4].target == .client(ClientID(9)))
  #expect((entries[5].fault as? CloseFrame)?.code == 1012 && entries[5].direction == .down)
  #expect(entries[6].target == .address("127.0.0.2") && entries[6].direction == .up)
  #expect(timeline.needsFrames && timeline.needsMessages)
  #expect(timeline.windows.map(\.name)[2] == "slow" && timeline.windows[2].at == .seconds(40))
  #expect(timeline.windows[0].for == .zero && timeline.windows[2].for == .seconds(10) && timeline.windows[3].for == nil)
}

@Test func everyMistakeIsToldInItsPlace() {
  let text = """
    [
      { at: "1s", fault: "latancy", delay: "1ms" },
      { fault: "latency", for: "0s", delay: 150 },
      { at: "1s", fault: "latency", delay: "10us", direction: "sideways" },
      { at: "1s", fault: "latency", delay: "1ms", jitter: "2ms" },
      { at: "1s", fault: "latency", delay: "1ms", distribution: "normal" },
      { at: "1s", fault: "bandwidth", rate: "64KiB" },
      { at: "1s", for: "2s", fault: "reset", direction: "up" },
      { at: "61s", fault: "close", clients: "30 percent" },
      { at: "1s", fault: "refuse", clients: "fleet:reader", status: 503 },
      { at: "1s", fault: "refuse", clients: "client:10" },
      { at: "1s", fault: "blackhole", clients: "130%", name: "a" },
      { at: "1s", fault: "blackhole", name: "a", dleay: 1 },
      { at: "1s", fault: "closeFrame", code: 70000, name: "steady" },
      7,
    ]
    """
  let lines = text.split(separator: "\n").map(String.init)
  let (_, mistakes) = decode(text)
  let expected: [(line: Int, at: String, words: String)] = [
    (2, "\"latancy\"", "did you mean \"latency\"?"), (3, "{", "a fault needs \"at\""), (3, "\"0s\"", "\"for\""),
    (3, "150", "\"delay\""), (4, "\"10us\"", "from 50.0 µs to"),
    (4, "\"sideways\"", "one of \"up\", \"down\", \"both\""),
    (5, "\"2ms\"", "more than the delay"), (6, "\"normal\"", "needs a \"jitter\""),
    (7, "\"64KiB\"", "did you mean \"64KiB/s\"?"), (8, "\"2s\"", "happens at one moment"),
    (8, "direction", "has no key \"direction\""), (9, "\"61s\"", "when the run is over"),
    (9, "\"30 percent\"", "names no client"), (10, "\"fleet:reader\"", "did you mean \"readers\"?"),
    (10, "503", "goes with an answer"), (11, "\"client:10\"", "from \"client:0\" to \"client:9\""),
    (12, "\"130%\"", "is no share"), (13, "\"a\"", "two faults are named \"a\"; the first is at line 12"),
    (13, "dleay", "has no key \"dleay\""), (14, "70000", "\"code\""), (14, "\"steady\"", "names a window of every run"),
    (15, "7", "a fault cannot be the number 7"),
  ]
  for (line, at, words) in expected {
    let column = lines[line - 1].range(of: at).map {
      lines[line - 1].distance(from: lines[line - 1].startIndex, to: $0.lowerBound) + 1
    }
    let place = "s:\(line):\(column ?? 0): "
    #expect(mistakes.contains { $0.hasPrefix(place) && $0.contains(words) }, "\(place)\(words)")
  }
  #expect(mistakes.count == expected.count, "\(mistakes.joined(separator: "\n"))")
}

@Test func aListenerThatCannotBeClosedForSomeIsAWarning() {
  let (timeline, mistakes) = decode(#"[{ at: "1s", fault: "refuse", how: "closed", clients: "30%" }]"#)
  #expect(timeline.entries.count == 1)
  #expect(mistakes.count == 1 && mistakes[0].hasPrefix("s:1:36: warning: a listener cannot be closed for 30% alone"))
}

@Test func faultsThatAreNoArrayAreAMistake() {
  #expect(decode(#"{ at: "1s" }"#).mistakes == [#"s:1:1: "faults" cannot be an object; expected an array [ … ]"#])
  #expect(
    FaultTimeline.decode(nil, fleets: [], duration: .seconds(1), diagnostics: Diagnostics()).entries.isEmpty)
}

@Test func theOtherFaultsAndTriggersDecode() {
  let (timeline, mistakes) = decode(
    """
    [
      { at: "1s", for: "1s", fault: "bandwidth", rate: "1MB/s", shared: true },
      { at: "1s", fault: "slice", size: "16B", jitter: "4B", pause: "2ms" },
      { at: "1s", fault: "limit", bytes: "64KiB", how: "reset", direction: "down" },
      { at: "1s", for: "2s", fault: "blackhole", mode: "discarded" },
      { at: "1s", for: "2s", fault: "stall" },
      { at: "1s", fault: "corrupt", how: "header", bits: 3, match: { type: "update", share: "10%" } },
      { afterConnect: "5s", for: "2s", fault: "halfOpen" },
      { at: "1s", fault: "slowHandshake", size: "2B", pause: "5ms", direction: "both" },
      { at: "1s", fault: "failFirst", attempts: 3, how: "upgrade", status: 429 },
      { at: "1s", fault: "lifetime", age: "10s", jitter: "5s", distribution: "normal", how: "closeFrame" },
      { at: "1s", for: "5s", fault: "serverRestart", ends: "close", how: "acceptThenReset" },
      { at: "1s", for: "5s", fault: "partition", how: "reset", clients: "30%", name: "island" },
      { at: "1s", every: "10s", fault: "reset" },
      { onMessage: { type: "call", path: "notes:add", direction: "up", nth: 3 }, for: "1s", fault: "deadHeartbeat" },
      { at: "1s", fault: "dropMessage", match: { opcode: "ping", times: 2 } },
      { at: "1s", fault: "delayMessage", delay: "1s", match: { id: 7 }, direction: "down" },
      { at: "1s", fault: "duplicateMessage", copies: 2, match: { event: "new_msg", every: 3 } },
      { at: "1s", every: "4s", for: "2s", fault: "reorderMessages", window: 4, within: "200ms" },
      { at: "1s", fault: "editMessage", set: { "value.count": 1 }, remove: ["error"] },
    ]
    """)
  #expect(mistakes.isEmpty, "\(mistakes.joined(separator: "\n"))")
  let entries = timeline.entries
  #expect(entries.count == 19)
  #expect((entries[0].fault as? Bandwidth)?.isShared == true)
  #expect(entries[6].trigger == .afterConnect(.seconds(5), from: .zero, for: .seconds(2)))
  #expect((entries[9].fault as? Lifetime)?.end == .closeFrame && entries[9].hooks.contains(.boundaries))
  #expect(entries[12].trigger == .every(.seconds(10), from: .seconds(1), for: nil))
  let call = MessageMatch(type: "call", path: "notes:add")
  #expect(entries[13].trigger == .onMessage(call, nth: 3, direction: .up, from: .zero, for: .seconds(1)))
  #expect((entries[15].fault as? DelayMessage)?.match.id == "7")
  #expect((entries[18].fault as? EditMessage)?.edits.count == 2)
  #expect(timeline.windows[12].for == nil && timeline.windows[6].at == .zero && timeline.windows[17].for == nil)
  #expect(
    timeline.judgedKinds.filter { $0.contains(":") } == [
      "blackhole:discarded", "serverRestart:acceptThenReset", "partition:reset", "duplicateMessage:up",
    ])
}

@Test func mistakesOfTheOtherFaultsAreToldInTheirPlaces() {
  let text = """
    [
      { at: "1s", fault: "slice", size: "0B" },
      { at: "1s", fault: "slice", size: "4B", jitter: "4B" },
      { at: "1s", fault: "limit" },
      { at: "1s", fault: "blackhole", mode: "lost" },
      { at: "1s", fault: "corrupt", how: "utf8", bits: 3 },
      { at: "1s", fault: "failFirst", attempts: 2, how: "closed" },
      { at: "1s", fault: "serverRestart" },
      { afterConnect: "1s", fault: "partition" },
      { onMessage: { nth: 0, tpye: "x" }, fault: "reset" },
      { at: "1s", every: "2s", fault: "stall" },
      { at: "1s", every: "2s", for: "2s", fault: "stall" },
      { at: "1s", every: "2s", afterConnect: "1s", for: "1s", fault: "stall" },
      { at: "1s", fault: "dropMessage", match: { opcode: "ping", type: "x" } },
      { at: "1s", fault: "delayMessage", delay: "1s", match: { opcode: "ping" } },
      { at: "1s", fault: "editMessage" },
      { at: "1s", fault: "editMessage", set: { "a..b": 1 } },
      { at: "1s", fault: "reorderMessages", window: 1, match: { id: 1.5 } },
    ]
    """
  let lines = text.split(separator: "\n").map(String.init)
  let (_, mistakes) = decode(text)
  let expected: [(line: Int, at: String, words: String)] = [
    (2, "\"0B\"", "\"size\""), (3, "\"4B\" }", "leaves nothing of a piece"), (4, "{", "a fault needs \"bytes\""),
    (5, "\"lost\"", "one of \"held\", \"discarded\""), (6, "3", "goes with flipped bits"),
    (7, "\"closed\"", "cannot be closed for one client's attempts"), (8, "\"serverRestart\"", "comes back"),
    (9, "\"1s\"", "cannot wait for one of them"), (10, "0", "\"nth\""), (10, "tpye", "did you mean \"type\"?"),
    (11, "\"2s\"", "must end"), (12, "\"2s\", fault", "is not over when the fault begins again"),
    (13, "afterConnect", "cannot have \"afterConnect\" beside \"every\""), (14, "\"ping\"", "has no \"type\""),
    (15, "\"ping\"", "one of \"text\", \"binary\""), (16, "\"editMessage\"", "changes nothing"),
    (17, "\"a..b\"", "names no member"), (18, "1,", "\"window\""), (18, "1.5", "\"id\""),
  ]
  for (line, at, words) in expected {
    let column = lines[line - 1].range(of: at).map {
      lines[line - 1].distance(from: lines[line - 1].startIndex, to: $0.lowerBound) + 1
    }
    let place = "s:\(line):\(column ?? 0): "
    #expect(mistakes.contains { $0.hasPrefix(place) && $0.contains(words) }, "\(place)\(words)")
  }
  #expect(mistakes.count == expected.count, "\(mistakes.joined(separator: "\n"))")
}
