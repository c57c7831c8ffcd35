import Core
import Testing

@testable import Judge

struct FaultWindowsTests {
  private func windows(_ kinds: String...) -> FaultWindows {
    var options = JudgeOptions()
    options.faultKinds = kinds
    return FaultWindows(options)
  }

  @Test func knowsHowMuchOfAnIntervalIsClear() {
    var windows = windows("blackhole", "bandwidth")
    windows.take(FaultEdge(ordinal: 0, edge: .started), at: .seconds(10))
    windows.take(FaultEdge(ordinal: 1, edge: .started), at: .seconds(15))
    windows.take(FaultEdge(ordinal: 0, edge: .ended), at: .seconds(20))
    windows.take(FaultEdge(ordinal: 1, edge: .ended), at: .seconds(30))
    #expect(windows.clear(.messages, .seconds(0), .seconds(40)) == .seconds(20))
    #expect(windows.clear(.messages, .seconds(12), .seconds(25)) == .zero)
    #expect(windows.clear(.messages, .seconds(25), .seconds(32)) == .seconds(2))
    #expect(windows.clear(.messages, .seconds(0), .seconds(5)) == .seconds(5))
    #expect(windows.clear(.attempts, .seconds(0), .seconds(40)) == .seconds(40))
    #expect(windows.overlaps(.messages, .seconds(29), .seconds(35)))
    #expect(!windows.overlaps(.messages, .seconds(31), .seconds(35)))
  }

  @Test func aFaultThatHidesNothingBlursNothing() {
    var windows = windows("latency", "reset", "refuse:acceptThenReset", "refuse:closed", "somethingNew")
    for ordinal in 0..<3 { windows.take(FaultEdge(ordinal: ordinal, edge: .started), at: .zero) }
    #expect(!windows.overlaps([.messages, .attempts], .zero, .seconds(9)))
    windows.take(FaultEdge(ordinal: 3, edge: .started), at: .zero)
    #expect(windows.overlaps(.attempts, .zero, .seconds(9)))
    #expect(!windows.overlaps(.messages, .zero, .seconds(9)))
    windows.take(FaultEdge(ordinal: 4, edge: .started), at: .zero)
    #expect(windows.overlaps(.messages, .zero, .seconds(9)))
  }

  @Test(arguments: [
    "limit", "blackhole:discarded", "corrupt", "halfOpen", "slowHandshake", "failFirst", "lifetime",
    "serverRestart:upgrade", "partition:reset", "dropMessage", "delayMessage", "duplicateMessage:up", "reorderMessages",
    "editMessage",
  ])
  func whatIsReadIsSeenWhateverBecomesOfIt(_ kind: String) {
    var windows = windows(kind)
    windows.take(FaultEdge(ordinal: 0, edge: .started), at: .zero)
    #expect(!windows.overlaps([.messages, .attempts], .zero, .seconds(9)))
  }

  @Test(arguments: ["blackhole:held", "partition:silent", "slice", "stall", "serverRestart:closed"])
  func whatIsNotReadIsNotSeen(_ kind: String) {
    var windows = windows(kind)
    windows.take(FaultEdge(ordinal: 0, edge: .started), at: .zero)
    #expect(windows.overlaps(kind == "serverRestart:closed" ? .attempts : .messages, .zero, .seconds(9)))
    #expect(!windows.overlaps(kind == "serverRestart:closed" ? .messages : .attempts, .zero, .seconds(9)))
  }

  @Test func aStallBlursTheTimeBeforeIt() {
    var windows = windows()
    windows.takeStall(.seconds(2), at: .seconds(10))
    windows.takeStall(.seconds(3), at: .seconds(12))
    #expect(windows.clear(.messages, .seconds(0), .seconds(20)) == .seconds(16))
  }

  @Test func countlessStallsTakeNoMoreMemory() {
    var windows = windows()
    for second in 0..<10_000 { windows.takeStall(.milliseconds(1), at: .seconds(Double(second))) }
    #expect(windows.overlaps(.messages, .seconds(0), .seconds(1)))
    #expect(windows.clear(.messages, .seconds(9_990), .seconds(9_991)) > .milliseconds(990))
  }
}
