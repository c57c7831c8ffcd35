import Core
import Protocols
import Testing

/// One scan per message that comes down, however often it is asked for, and the same answer as without a memory.
struct CachingClassifierTests {
  private let base = OnebaseClassifier()
  private let caching = CachingClassifier(OnebaseClassifier())

  private func update(_ id: Int) -> [UInt8] {
    Array(#"{"type":"update","id":\#(id),"ok":true,"value":"\#(String(repeating: "v", count: 200))"}"#.utf8)
  }

  @Test func aSharedPayloadIsScannedOnce() {
    let payload = update(7)
    let facts = (0..<1000).map { _ in caching.facts(isText: true, payload: payload, direction: .down) }
    #expect(caching.scans == 1)
    #expect(facts.allSatisfy { $0 == base.facts(isText: true, payload: payload, direction: .down) })
  }

  @Test func manyPayloadsInTurnKeepTheirOwnFacts() {
    let payloads = (0..<300).map(update)
    for _ in 0..<3 {
      for (id, payload) in payloads.enumerated() {
        #expect(caching.facts(isText: true, payload: payload, direction: .down).id == Int64(id))
      }
    }
  }

  @Test func kindAndDirectionCount() {
    let payload = update(7)
    #expect(caching.facts(isText: true, payload: payload, direction: .down).kind == .onebaseUpdate)
    #expect(caching.facts(isText: false, payload: payload, direction: .down).kind == .malformed)
    #expect(caching.facts(isText: true, payload: payload, direction: .up).kind == .unclassified)
    #expect(caching.facts(isText: true, payload: payload, direction: .down).kind == .onebaseUpdate)
  }

  @Test func aPayloadThatWasGivenBackLeavesNothingBehind() {
    for id in 0..<2000 {
      #expect(caching.facts(isText: true, payload: update(id), direction: .down).id == Int64(id))
    }
  }
}
