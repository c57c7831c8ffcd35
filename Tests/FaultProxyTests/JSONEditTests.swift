import FaultProxy
import JSON
import Testing

private func edited(_ text: String, _ path: String, _ value: JSONValue?) -> String {
  var bytes = Array(text.utf8)
  JSONEdit(path: path, value: value)?.apply(to: &bytes)
  return String(decoding: bytes, as: UTF8.self)
}

@Test func aMemberIsSetAndAllElseStaysToTheByte() {
  #expect(edited(#"{ "a" : 1.0 , "b":[1, 2]}"#, "a", "x") == #"{ "a" : "x" , "b":[1, 2]}"#)
  #expect(edited(#"{"a":{"b":{"c":1}},"d":1e3}"#, "a.b.c", .null) == #"{"a":{"b":{"c":null}},"d":1e3}"#)
  #expect(edited(#"["1","2","t","e",{"s":"ok"}]"#, "4.s", "error") == #"["1","2","t","e",{"s":"error"}]"#)
  #expect(edited(#"{"a":1,"a":2}"#, "a", 3) == #"{"a":1,"a":3}"#)
}

@Test func aMemberThatIsMissingIsAdded() {
  #expect(edited(#"{"a":1}"#, "b", [1, 2]) == #"{"a":1,"b":[1,2]}"#)
  #expect(edited(#"{ }"#, "b", true) == #"{ "b":true}"#)
  #expect(edited(#"{"a":{} } "#, "a.b", 1) == #"{"a":{"b":1} } "#)
}

@Test func aMemberIsRemovedWithItsComma() {
  #expect(edited(#"{"a":1,"b":2,"c":3}"#, "a", nil) == #"{"b":2,"c":3}"#)
  #expect(edited(#"{"a":1, "b":2 ,"c":3}"#, "b", nil) == #"{"a":1, "c":3}"#)
  #expect(edited(#"{"a":1,"c":3 }"#, "c", nil) == #"{"a":1 }"#)
  #expect(edited(#"{"a":1}"#, "a", nil) == "{}")
  #expect(edited("[1,[2,3],4]", "1.0", nil) == "[1,[3],4]")
}

@Test func whereThePathLeadsNowhereNothingChanges() {
  for text in ["", "{", "null", #"{"a":1}"#, "[1]", #"{"a":"b"} x"#] {
    #expect(edited(text, "a.b", 1) == text)
    #expect(edited(text, "5", nil) == text)
  }
  #expect(edited("[1]", "5", 1) == "[1]")
  for path in ["", ".", "a.", "a..b"] { #expect(JSONEdit(path: path, value: nil) == nil) }
}
