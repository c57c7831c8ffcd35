import Core
import Testing

@testable import WebSocket

/// One way to break RFC 6455, and the code it is closed with (Autobahn's groups 2 to 7).
private struct Violation: CustomTestStringConvertible, Sendable {
  var name: String
  var stream: [UInt8]
  var code: UInt16
  /// What is still delivered before it.
  var before: [WebSocketEvent] = []
  var testDescription: String { name }
}

private func close(_ code: UInt16, _ reason: [UInt8] = []) -> [UInt8] {
  frame(8, [UInt8(code >> 8), UInt8(truncatingIfNeeded: code)] + reason)
}

private let violations: [Violation] = {
  var list = [
    Violation(name: "ping of 126 bytes", stream: hex("89 7e 00 7e") + [UInt8](repeating: 0, count: 126), code: 1002),
    Violation(name: "fragmented ping", stream: frame(9, [1], fin: false), code: 1002),
    Violation(name: "fragmented close", stream: frame(8, fin: false), code: 1002),
    Violation(name: "continuation without a message", stream: frame(0, [1]), code: 1002),
    Violation(name: "unfinished continuation without a message", stream: frame(0, [1], fin: false), code: 1002),
    Violation(
      name: "continuation after a whole message", stream: frame(1, bytes("a")) + frame(0, bytes("b")), code: 1002,
      before: [.message(isText: true, payload: bytes("a"))]),
    Violation(
      name: "text within a text", stream: frame(1, bytes("a"), fin: false) + frame(1, bytes("b")), code: 1002),
    Violation(
      name: "binary within a text", stream: frame(1, bytes("a"), fin: false) + frame(2, bytes("b")), code: 1002),
    Violation(name: "length of 2^63", stream: hex("82 7f 80 00 00 00 00 00 00 00"), code: 1002),
    Violation(name: "length in too many bytes", stream: hex("82 7e 00 05"), code: 1002),
    Violation(name: "masked frame from a server", stream: frame(1, bytes("a"), mask: 7), code: 1002),
    Violation(name: "masked ping from a server", stream: frame(9, mask: 7), code: 1002),
    Violation(name: "close with half a code", stream: frame(8, [3]), code: 1002),
    Violation(name: "close reason that is not UTF-8", stream: close(1000, [0xCE, 0xBA, 0xE1]), code: 1007),
    Violation(name: "text that is not UTF-8", stream: frame(1, [0xFF]), code: 1007),
    Violation(name: "text that ends within a character", stream: frame(1, [0xCE]), code: 1007),
    Violation(
      name: "fragmented text that ends within a character", stream: frame(1, [0xE2, 0x82], fin: false) + frame(0),
      code: 1007),
  ]
  for rsv in UInt8(1)...7 {
    list.append(Violation(name: "reserved bits \(rsv)", stream: frame(1, bytes("a"), rsv: rsv), code: 1002))
    list.append(
      Violation(
        name: "reserved bits \(rsv) on a ping after a text", stream: frame(1, bytes("a")) + frame(9, rsv: rsv),
        code: 1002, before: [.message(isText: true, payload: bytes("a"))]))
  }
  for opcode in [3, 4, 5, 6, 7, 11, 12, 13, 14, 15] as [UInt8] {
    list.append(Violation(name: "reserved opcode \(opcode)", stream: frame(opcode, bytes("a")), code: 1002))
  }
  for code in [0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535] as [UInt16] {
    list.append(Violation(name: "close code \(code)", stream: close(code), code: 1002))
  }
  return list
}()

@Suite struct ProtocolViolationTests {
  @Test(arguments: violations)
  private func isReportedOnceAndEndsTheConnection(violation: Violation) throws {
    for cuts in [[], one(violation.stream.count)] {
      let result = run(violation.stream + frame(1, bytes("late")), cuts: cuts)
      #expect(Array(result.events.dropLast()) == violation.before)
      #expect(failureCodes(result.events) == [violation.code])
      #expect(result.machine.state == .closed)
      #expect(result.machine.failure?.closeCode == violation.code)
      let told = run(result.replies, role: .server).events
      guard case .closeReceived(let code, let reason) = try #require(told.last) else {
        return #expect(Bool(false), "the peer was not told")
      }
      #expect(told.count == 1)
      #expect(code == violation.code)
      #expect(result.machine.failure?.reason == reason)
    }
  }

  @Test(arguments: [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999])
  func everyRegisteredOrPrivateCloseCodeIsAccepted(code: UInt16) {
    #expect(run(close(code)).events == [.closeReceived(code: code, reason: "")])
    #expect(run(close(code, bytes("κ"))).events == [.closeReceived(code: code, reason: "κ")])
  }

  @Test func aServerRefusesAnUnmaskedFrame() {
    #expect(failureCodes(run(frame(1, bytes("a")), role: .server).events) == [1002])
    #expect(failureCodes(run(frame(9), role: .server).events) == [1002])
  }

  @Test func aFailureAfterOurCloseFrameSendsNothingMore() {
    var machine = WebSocketMachine(role: .server)
    var out: [UInt8] = []
    machine.close(code: 1000, into: &out)
    out = []
    var events: [WebSocketEvent] = []
    frame(1, bytes("a")).withUnsafeBytes { raw in machine.receive(raw, replies: &out) { events.append($0) } }
    #expect(failureCodes(events) == [1002])
    #expect(out.isEmpty)
    #expect(machine.state == .closed)
  }

  // MARK: Limits

  @Test func aFrameAboveTheLimitFailsAtItsHeader() {
    let limits = WebSocketLimits(maxMessageBytes: 10)
    #expect(run(frame(2, [UInt8](repeating: 1, count: 10)), limits: limits).events.count == 1)
    #expect(failureCodes(run(hex("82 0b"), limits: limits).events) == [1009])
    // The default limit is 16 MiB; this header claims one byte more, the next 2^63 - 1.
    #expect(failureCodes(run(hex("82 7f 00 00 00 00 01 00 00 01")).events) == [1009])
    #expect(failureCodes(run(hex("82 7f 7f ff ff ff ff ff ff ff")).events) == [1009])
    #expect(run(hex("82 7f 00 00 00 00 01 00 00 00")).events.isEmpty)
  }

  @Test func aMessageOfFragmentsIsHeldToTheLimitToo() {
    let limits = WebSocketLimits(maxMessageBytes: 10)
    let stream = frame(2, [UInt8](repeating: 1, count: 6), fin: false)
    #expect(run(stream + frame(0, [1, 2, 3, 4]), limits: limits).events.count == 1)
    #expect(failureCodes(run(stream + hex("80 05"), limits: limits).events) == [1009])
    let small = WebSocketLimits(maxMessageBytes: 10, maxFrameBytes: 5)
    #expect(failureCodes(run(stream, limits: small).events) == [1009])
  }

  @Test func emptyFragmentsAreCounted() {
    let limits = WebSocketLimits(maxFragments: 3)
    let stream = frame(1, fin: false) + frame(0, fin: false)
    #expect(run(stream + frame(0), limits: limits).events == [.message(isText: true, payload: [])])
    #expect(failureCodes(run(stream + frame(0, fin: false) + frame(0), limits: limits).events) == [1009])
  }
}
