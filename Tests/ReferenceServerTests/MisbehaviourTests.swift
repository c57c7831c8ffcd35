import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct MisbehaviourTests {
  private func bench(_ misbehaviour: Misbehaviour) -> HubBench { HubBench { $0.misbehave = [misbehaviour] } }

  @Test func aSplitTransitionSendsTheResultBeforeTheUpdates() {
    let bench = bench(.splitTransition)
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:list")
    _ = bench.take(slot)
    bench.mutate(slot, 1, "notes:add", ["text": "x"])
    let messages = bench.take(slot)
    guard messages.count == 2, case .result = messages[0], case .update = messages[1] else {
      Issue.record("\(messages)")
      return
    }
  }

  @Test func aDoubleCallWritesTwiceAndAnswersOnce() {
    let bench = bench(.doubleCall)
    let slot = bench.connect()
    bench.mutate(slot, 1, "notes:add", ["text": "x"])
    #expect(bench.take(slot).count == 1)
    bench.query(slot, 2, "notes:list")
    #expect(bench.takeValue(slot)?.texts == ["x", "x"])
  }

  @Test func everyTenthUpdateIsLost() {
    let bench = bench(.loseUpdate)
    let (reader, writer) = (bench.connect(), bench.connect())
    bench.subscribe(reader, 1, "counter:get")
    _ = bench.take(reader)
    for _ in 1...20 { bench.mutate(writer, 1, "counter:increment") }
    #expect(bench.take(reader).count == 18)
  }

  @Test func resultsAreDoubledOrLost() {
    let doubled = bench(.doubleResult)
    let slot = doubled.connect()
    doubled.query(slot, 1, "me:get")
    #expect(doubled.take(slot).count == 2)
    let lost = bench(.noResult)
    let other = lost.connect()
    for _ in 1...20 { lost.query(other, 1, "me:get") }
    #expect(lost.take(other).count == 18)
  }

  @Test func unsubAuthAndFirstUpdatesCanBeIgnored() {
    let deaf = bench(.ignoreUnsub)
    let slot = deaf.connect()
    deaf.subscribe(slot, 1, "counter:get")
    deaf.send(slot, .unsubscribe(id: 1))
    _ = deaf.take(slot)
    deaf.mutate(deaf.connect(), 1, "counter:increment")
    #expect(deaf.take(slot).count == 1)
    let silent = bench(.noAuthReply)
    let other = silent.hub.open()
    silent.send(other, .auth(token: nil))
    #expect(silent.take(other).isEmpty)
    let late = bench(.noFirstUpdate)
    let third = late.connect()
    late.subscribe(third, 1, "counter:get")
    #expect(late.take(third).isEmpty)
  }

  @Test func aFailedSubscriptionIsForgotten() {
    let bench = bench(.forgetFailed)
    let slot = bench.connect()
    bench.subscribe(slot, 1, "late:greet")
    #expect(bench.take(slot).count == 1)
    bench.deploy()
    #expect(bench.take(slot).isEmpty)
  }

  @Test func everyTenthWriteIsAcknowledgedAndForgotten() {
    let bench = bench(.forgetWrite)
    let slot = bench.connect()
    for _ in 1...10 { bench.mutate(slot, 1, "notes:add", ["text": "x"]) }
    #expect(bench.take(slot).count == 10)
    bench.query(slot, 2, "notes:list")
    #expect(bench.takeValue(slot)?.texts.count == 9)
  }

  @Test func anyBearerIsAccepted() {
    let bench = bench(.acceptAnyBearer)
    #expect(bench.http(.query, #"{"path":"me:get"}"#, authorization: "Bearer nonsense").status == 200)
  }

  @Test func theIdleTimeoutIsBent() {
    #expect(Misbehaviours([.earlyIdleClose]).idleTimeout(.seconds(120)) == .seconds(60))
    #expect(Misbehaviours([.noIdleClose]).idleTimeout(.seconds(120)) == nil)
    #expect(Misbehaviours([]).idleTimeout(.seconds(120)) == .seconds(120))
    #expect(Misbehaviours([.earlyIdleClose]).idleTimeout(nil) == nil)
  }
}
