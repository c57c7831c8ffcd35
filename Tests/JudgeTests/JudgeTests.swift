import Core
import JSON
import Protocols
import Testing

@testable import Judge

struct JudgeTests {
  /// A loop's run with something to find for most clauses; `seed` makes it another one.
  private func loop(_ index: UInt64) -> Judge {
    var play = Play(
      AuthComesFirst.self, ClientPings.self, ClientReconnects.self, ClientBacksOff.self, BackoffIsDispersed.self,
      CallIsAnsweredOnce.self, MutationRunsOnce.self, SubscriptionsConverge.self)
    let client = UInt32(index)
    play.at(Double(index))
    play.join(index * 100, client: client)
    play.client(.add(1, marker(1, client: client)), on: index * 100)
    if index % 2 == 0 { play.server(.answers(1), on: index * 100) }
    play.server(.answers(Int64(index)), on: index * 100)
    play.drop(index * 100)
    for attempt in 1..<UInt64(12) { play.failedAttempt(index * 100 + attempt, client: client, lasting: 1) }
    play.connect(index * 100 + 20, client: client)
    play.client(.sub(1), on: index * 100 + 20)
    play.server(.shows(1, marker(1), marker(1)), on: index * 100 + 20)
    play.after(Double(60 + index))
    play.ping(on: index * 100 + 20)
    play.audit(AuditAnswer(subscription: "notes:list {}", shown: index, fresh: 3))
    play.judge.finish(at: .seconds(play.now))
    return play.judge
  }

  @Test func mergingIsAssociative() {
    let (a, b, c) = (loop(1), loop(2), loop(3))
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
    #expect(left.findings.map(\.opportunities).reduce(0, +) > a.findings.map(\.opportunities).reduce(0, +))
  }

  @Test func mergingIsCommutativeForFindings() {
    var ab = loop(1)
    ab.merge(loop(2))
    var ba = loop(2)
    ba.merge(loop(1))
    #expect(ab.findings == ba.findings)
    #expect(ab.violations == ba.violations)
  }

  @Test func mergingWithAnEmptyRunChangesNothing() {
    var merged = loop(1)
    let before = merged.findings
    var empty = Play(
      AuthComesFirst.self, ClientPings.self, ClientReconnects.self, ClientBacksOff.self, BackoffIsDispersed.self,
      CallIsAnsweredOnce.self, MutationRunsOnce.self, SubscriptionsConverge.self)
    empty.judge.finish(at: .zero)
    merged.merge(empty.judge)
    #expect(merged.findings == before)
  }

  @Test func anEmptyRunExercisesNothing() {
    var judge = Judge(protocol: .onebase)
    judge.finish(at: .zero)
    #expect(judge.findings.allSatisfy { $0.verdict == .notExercised && $0.opportunities == 0 })
    #expect(judge.findings.map(\.info) == Judge.catalogue(for: .onebase))
    #expect(Set(judge.findings.map(\.info.id)).count == judge.findings.count)
    #expect(judge.violations.isEmpty)
  }

  @Test func aFaithfulConversationBreaksNoClause() {
    var play = Play()
    play.judge = Judge(protocol: .onebase)
    play.intends(.started)
    play.join(1, token: "ob_s_1")
    play.client(.sub(1))
    play.server(.shows(1))
    play.client(.add(1, marker(1)))
    play.server(.together([.shows(1, [marker(1)])], [.answers(1)]))
    play.ping()
    play.pong()
    play.drop(1)
    play.after(1)
    play.join(2, token: "ob_s_1")
    play.client(.sub(1), on: 2)
    play.server(.shows(1, marker(1)), on: 2)
    play.client(.add(2, marker(2)), on: 2)
    play.server(.together([.shows(1, [marker(2), marker(1)])], [.answers(2)]), on: 2)
    play.run(.settleBegan)
    play.run(.auditBegan)
    play.audit(AuditAnswer(subscription: "notes:list {}", shown: 5, fresh: 5))
    play.run(.ended)
    play.drop(2, by: .client)
    play.judge.finish(at: .seconds(play.now))
    let passed = play.judge.findings.filter { $0.verdict == .pass }.map(\.info.id)
    #expect(
      passed == [
        "OB-C1", "OB-C2", "OB-C4", "OB-C7", "OB-C8", "OB-C14", "OB-S1", "OB-S3", "OB-S4", "OB-S7", "OB-S8", "OB-S12",
        "OB-S13",
      ])
    #expect(!play.judge.findings.contains { $0.verdict == .fail })
  }

  @Test func anotherConnectionsPlaceIsUsedAgainWithoutItsMemory() {
    var play = Play(CallIsAnsweredOnce.self, AuthComesOnce.self)
    for connection in 1...5 as ClosedRange<UInt64> {
      play.join(connection)
      play.client(.add(1), on: connection)
      play.server(.answers(1), on: connection)
      play.drop(connection)
    }
    let finding = play.finding()
    #expect(finding.verdict == .pass)
    #expect(finding.opportunities == 5)
    #expect(play.judge.findings[1].violations == 0)
  }

  @Test func whatBelongsToNoKnownConnectionIsLeftOut() {
    var play = Play(AuthComesFirst.self, PingIsAnswered.self)
    play.client(.sub(1), on: 9)
    play.ping(on: 9)
    play.drop(9)
    #expect(play.verdict() == .notExercised)
  }

  @Test func aViolationCarriesTheFramesAroundItWithoutTokens() throws {
    var play = Play(AuthComesOnce.self)
    play.join(1, token: "ob_s_secret")
    play.client(.auth(token: "ob_s_other"))
    play.server(.authenticated(identity: nil))
    play.client(.sub(1))
    play.client(.sub(2))
    let record = try #require(play.judge.violations.first)
    #expect(record.clause == "OB-C2")
    #expect(record.evidence.client == ClientID(7))
    let texts = record.evidence.frames.map(\.text)
    #expect(
      texts == [
        #"{"type":"auth","token":"…redacted…"}"#, #"{"type":"auth","ok":true,"identity":null}"#,
        #"{"type":"auth","token":"…redacted…"}"#, #"{"type":"auth","ok":true,"identity":null}"#,
        #"{"type":"sub","id":1,"path":"notes:list","args":{"room":0}}"#,
      ])
    #expect(!texts.joined().contains("secret"))
  }

  @Test func violationsAreCappedAndTheRestIsCounted() {
    var play = Play(CallIsAnsweredOnce.self)
    play.join(1)
    for request in 0..<50 as Range<Int64> {
      play.after(1)
      play.server(.answers(request))
    }
    #expect(play.judge.violations.count == ViolationLog.perClause)
    #expect(play.judge.omittedViolations == 50 - ViolationLog.perClause)
    #expect(play.judge.omittedViolations(of: "OB-S7") == 50 - ViolationLog.perClause)
    #expect(play.judge.violations.first?.evidence.time == .seconds(1))
    let finding = play.finding()
    #expect(finding.violations == 50)
    #expect(finding.worst?.time == .seconds(1))
  }

  @Test func survivesMessagesThatMakeNoSense() {
    var play = Play()
    play.judge = Judge(protocol: .onebase)
    play.join(1)
    let texts = [
      "", "{}", "[", #"{"type":"sub","id":9223372036854775807,"path":"","args":{}}"#,
      #"{"type":"call","requestId":-9223372036854775808,"kind":"mutation","path":"a","args":{"m":"ob~1~"}}"#,
      #"{"type":"transition","updates":[{"id":1,"ok":true,"value":"ob~1~7~1~0~ob~1~7~1~0~"}],"results":[]}"#,
    ]
    for text in texts {
      play.client(raw: text)
      play.server(raw: text)
    }
    for id in 0..<1_000 as Range<Int64> {
      play.client(.sub(id))
      play.client(.add(id))
    }
    play.judge.finish(at: .seconds(100))
    #expect(play.judge.findings.count == Judge.catalogue(for: .onebase).count)
  }
}
