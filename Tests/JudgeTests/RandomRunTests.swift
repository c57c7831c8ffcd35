import Core
import JSON
import Protocols
import Testing

@testable import Judge

/// Runs that no proxy would report: whatever comes, a judge neither traps nor forgets to count.
struct RandomRunTests {
  private func play(seed: UInt64, steps: Int, speaking name: ProtocolName = .onebase) -> Play {
    var random = SeededRandom(seed: seed, purpose: .test)
    var options = JudgeOptions()
    options.schedule = [.seconds(1), .seconds(2)]
    let faults = ["blackhole", "refuse:closed", "latency", "unheardOf"]
    var play = Play(speaking: name, faults: faults, options: options)
    options.faultKinds = faults
    play.judge = Judge(protocol: name, options: options)
    for _ in 0..<steps {
      play.after(Double.random(in: 0...2, using: &random))
      let connection = UInt64.random(in: 0..<12, using: &random)
      let client = UInt32.random(in: 0..<5, using: &random)
      let id = Int64.random(in: 0..<3, using: &random)
      let mark = marker(UInt32.random(in: 0..<6, using: &random), client: client)
      let topic = "room:\(id)"
      if name == .phoenix, Bool.random(using: &random) {
        let event = ["phx_join", "phx_leave", "heartbeat"][Int.random(in: 0..<3, using: &random)]
        let on = event == "heartbeat" ? "phoenix" : topic
        play.client(raw: #"{"topic":"\#(on)","event":"\#(event)","payload":{},"ref":"\#(client)"}"#, on: connection)
        let reply =
          #"{"topic":"\#(on)","event":"phx_reply","payload":{"status":"ok","response":{}},"ref":"\#(client)"}"#
        if id > 0 { play.server(raw: reply, on: connection) } else { play.serverInVain(raw: reply, on: connection) }
      }
      switch Int.random(in: 0..<30, using: &random) {
      case 0: play.attempt(connection, client: client == 4 ? nil : client)
      case 1...3: play.join(connection, client: client, token: "t\(id)")
      case 4: play.drop(connection, by: [.client, .server, .proxy][Int(id)])
      case 5: play.failedAttempt(connection, client: client)
      case 6, 7: play.client(.sub(id), on: connection)
      case 8: play.client(.unsubscribe(id: id), on: connection)
      case 9...12: play.client(.add(id, mark), on: connection)
      case 13: play.clientInVain(.add(id, mark), on: connection)
      case 14, 15: play.server(.answers(id), on: connection)
      case 16, 17: play.server(.shows(id, mark, marker(1)), on: connection)
      case 18: play.server(.together([.shows(id, [mark])], [.answers(id)]), on: connection)
      case 19: play.server(.fails(id), on: connection)
      case 20: play.serverInVain(.shows(id), on: connection)
      case 21: play.ping([UInt8(id)], on: connection)
      case 22: play.pong([UInt8(id)], on: connection)
      case 23: play.closeFrame(id == 0 ? .up : .down, on: connection)
      case 24: play.fault(Int(client), id == 0 ? .started : .ended)
      case 25: play.intends([.restarted, .stopped, .started][Int(id)], client: client)
      case 26: play.intends(.call(kind: "mutation", path: "notes:add", marker: mark, offline: id > 0), client: client)
      case 27: play.intends(.callLost(path: "notes:add", marker: mark), client: client)
      case 28: play.emit(connection, .upstream, .up, .violation(reason: "x"))
      default: play.client(raw: #"{"type":"sub","id":"x"#, on: connection)
      }
    }
    play.judge.finish(at: .seconds(play.now))
    return play
  }

  @Test(arguments: [ProtocolName.onebase, .websocket, .phoenix], 1...15 as ClosedRange<UInt64>)
  func keepsItsCountsStraight(_ name: ProtocolName, _ seed: UInt64) {
    let judge = play(seed: seed, steps: 1_500, speaking: name).judge
    for finding in judge.findings {
      #expect(finding.violations <= finding.opportunities, "\(finding.info.id)")
      #expect((finding.verdict == .fail) == (finding.violations > 0), "\(finding.info.id)")
      #expect((finding.worst != nil) == (finding.violations > 0), "\(finding.info.id)")
      let logged = judge.violations.count { $0.clause == finding.info.id }
      #expect((logged > 0) == (finding.violations > 0), "\(finding.info.id)")
    }
    #expect(judge.violations == judge.violations.sorted())
  }

  @Test func theSameRunGivesTheSameFindings() {
    let (one, two) = (play(seed: 9, steps: 2_000).judge, play(seed: 9, steps: 2_000).judge)
    #expect(one.findings == two.findings)
    #expect(one.violations == two.violations)
  }

  @Test(arguments: [ProtocolName.onebase, .websocket, .phoenix])
  func mergingRandomRunsIsAssociative(_ name: ProtocolName) {
    let runs = (1...3).map { play(seed: $0, steps: 800, speaking: name).judge }
    let (a, b, c) = (runs[0], runs[1], runs[2])
    var left = a
    left.merge(b)
    left.merge(c)
    var tail = b
    tail.merge(c)
    var right = a
    right.merge(tail)
    #expect(left.findings == right.findings)
    #expect(left.violations == right.violations)
    #expect(left.omittedViolations == right.omittedViolations)
  }
}
