import Core
import Testing

@testable import Judge

struct RedactionTests {
  private func text(_ text: String, limit: Int = 400) -> String { Redaction.text(Array(text.utf8), limit: limit) }

  @Test(arguments: [
    #"{"type":"auth","token":"SECRET"}"#, #"{"token" : "SE\"CRET"}"#, #"{"accessToken":"SECRET","a":1}"#,
    #"{"token":SECRET,"a":1}"#, #"{'token':'SECRET'}"#, #"{token:"SECRET"}"#, "Authorization: Bearer SECRET",
    #"{"TOKEN":"SECRET"}"#, #"/api?token=SECRET&x=1"#, #"{"a":{"token":"SECRET"#, #"{"refresh_token_v2":"SECRET"}"#,
  ])
  func tokensAreTakenOut(_ input: String) {
    let output = text(input)
    #expect(!output.contains("SECRET"))
    #expect(!output.contains("CRET"))
    #expect(output.contains(Redaction.mark))
  }

  @Test func everythingElseStays() {
    #expect(text(#"{"type":"auth","token":null}"#) == #"{"type":"auth","token":null}"#)
    #expect(text(#"{"text":"a token of love"}"#) == #"{"text":"a token of love"}"#)
  }

  @Test func aCutFrameSaysSo() { #expect(text("abcdef", limit: 3) == "abc… (6 bytes)") }

  @Test func aPeerGivesTheTerminalNoOrders() { #expect(text("a\u{1B}[2J\n") == "a\\u{1b}[2J\\u{a}") }

  @Test func aTailKeepsTheLastFramesInOrder() {
    var tail = FrameTail()
    for number in 1...5 {
      let payload = Array("message \(number)".utf8)
      tail.keep(
        WireMessage(payload: payload, facts: MessageFacts(kind: .unclassified)), at: .seconds(Double(number)), .up)
    }
    #expect(tail.excerpts.map(\.text) == ["message 3", "message 4", "message 5"])
    tail.clear()
    #expect(tail.excerpts.isEmpty)
  }
}
