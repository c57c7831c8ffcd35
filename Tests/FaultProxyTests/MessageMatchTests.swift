import Core
import FaultProxy
import Testing

private func message(_ text: String, isText: Bool = true) -> WireMessage {
  WireMessage(isText: isText, payload: Array(text.utf8), facts: MessageFacts(kind: .unclassified))
}

private func matcher(_ match: MessageMatch) -> MessageMatcher {
  MessageMatcher(match, random: SeededRandom(seed: 1, purpose: .test))
}

@Test func marksAreReadFromObjects() {
  let call = message(#"{"type":"call","id":7,"path":"notes:add","args":{"type":"x"}}"#)
  for match: MessageMatch in [
    .init(), .init(opcode: .text), .init(type: "call"), .init(path: "notes:add"), .init(id: "7"),
    .init(type: "call", path: "notes:add", id: "7"),
  ] { #expect(match.hasMarks(call), "\(match)") }
  for match: MessageMatch in [
    .init(opcode: .binary), .init(type: "x"), .init(event: "call"), .init(path: "notes"), .init(id: "8"),
    .init(type: "call", id: "8"), .init(opcode: .ping),
  ] { #expect(!match.hasMarks(call), "\(match)") }
  #expect(MessageMatch(id: "12").hasMarks(message(#"{"requestId":"12"}"#)))
  #expect(MessageMatch(path: "room:1").hasMarks(message(#"{"topic":"room:1","event":"e"}"#)))
  #expect(MessageMatch(type: "a\"b").hasMarks(message(#"{"ty\u0070e":"a\"b"}"#)))
}

@Test func marksAreReadFromArrays() {
  let push = message(#"["1","42","room:1","new_msg",{"event":"inner"}]"#)
  #expect(MessageMatch(event: "new_msg", path: "room:1", id: "42").hasMarks(push))
  #expect(!MessageMatch(event: "inner").hasMarks(push))
  #expect(!MessageMatch(type: "new_msg").hasMarks(push))
}

@Test func whatIsNoJSONHasNoMarksInside() {
  for text in ["", "{", "hello", #"{"type":"a"} x"#, "[1,2"] {
    #expect(!MessageMatch(type: "a").hasMarks(message(text)))
    #expect(MessageMatch().hasMarks(message(text)))
  }
}

@Test func everyNthASoManyTimesAndAShare() {
  let third = matcher(MessageMatch(every: 3, times: 2))
  #expect((1...12).filter { _ in third.takes(message("x")) } == [3, 6])
  let counted = matcher(MessageMatch(type: "a", every: 2))
  let texts = [#"{"type":"a"}"#, #"{"type":"b"}"#, #"{"type":"a"}"#, #"{"type":"a"}"#]
  #expect(texts.map { counted.takes(message($0)) } == [false, false, true, false])
  let half = matcher(MessageMatch(share: 0.5))
  let taken = (0..<1000).filter { _ in half.takes(message("x")) }.count
  #expect((430...570).contains(taken))
  #expect(!matcher(MessageMatch(share: 0)).takes(message("x")))
}

@Test func controlFramesMatchByTheirOpcodeAlone() {
  let pings = matcher(MessageMatch(opcode: .ping, every: 2))
  #expect(
    [pings.takes(control: .ping), pings.takes(control: .pong), pings.takes(control: .ping)] == [false, false, true])
  #expect(!matcher(MessageMatch()).takes(control: .ping))
}
