import Foundation
import JSON
import Testing

@testable import obload

/// Interrupted runs: clients close, and what ran is reported.
@Suite struct SignalTests {
  private func start(_ server: BadServer, _ folder: TemporaryFolder, _ more: [String] = []) throws -> Program {
    let path = try folder.write("bad.json5", BadTargetTests.scenario.replacing("1200ms", with: "60s"))
    return try Program(
      try Repository.program(), ["run", path, "--url", server.url, "--out", "\(folder.path)/out"] + more)
  }

  @Test(arguments: [SIGINT, SIGTERM])
  func aSignalEndsTheRunWithItsReportWithinTwoSeconds(signal: Int32) throws {
    let server = try BadServer(nil)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let program = try start(server, folder)
    // One connection is the probe's before the run; the others are the clients'.
    let isRunning = program.wait { _ in server.open >= 4 }
    #expect(isRunning)
    let clock = ContinuousClock()
    let sent = clock.now
    program.send(signal)
    let ended = program.end(within: .seconds(10))
    #expect(clock.now - sent < .seconds(2))
    #expect(ended.code == 130, "\(ended.text)")
    #expect(ended.output.contains("INTERRUPTED"))
    let report = try Report("\(folder.path)/out")
    #expect(report.exit == 130)
    #expect(report.reasons.first?.hasPrefix("interrupted after ") == true)
    #expect(report.metric("connect")?["count"]?.integer == 4)
    #expect(report.events.contains { $0["phase"]?.string == "interrupted" })
    // The process is gone, and its connections with it.
    #expect(server.open == 0)
  }

  @Test func aSecondSignalDoesNotHarm() throws {
    let server = try BadServer(nil)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let program = try start(server, folder)
    #expect(program.wait { _ in server.open >= 4 })
    program.send(SIGINT)
    program.send(SIGINT)
    #expect(program.end(within: .seconds(3)).code == 130)
  }

  /// A server that never answers must not hold up the end: closing waits for nobody.
  @Test func clientsThatHangInTheUpgradeEndToo() throws {
    let server = try BadServer(.hangs)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let program = try start(server, folder, ["--set", "fleets[a].connectTimeout=60s"])
    #expect(program.wait { _ in server.connections >= 5 })
    let clock = ContinuousClock()
    let sent = clock.now
    program.send(SIGINT)
    #expect(program.end(within: .seconds(10)).code == 130)
    #expect(clock.now - sent < .seconds(2))
    #expect(try Report("\(folder.path)/out").exit == 130)
  }
}
