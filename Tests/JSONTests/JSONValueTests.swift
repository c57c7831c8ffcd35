import JSON
import Testing

struct JSONValueTests {
  @Test func objectsAreEqualWhateverTheOrderOfMembers() {
    let a: JSONValue = ["a": 1, "b": [1, 2]]
    let b: JSONValue = ["b": [1, 2], "a": 1]
    #expect(a == b)
    #expect(a.hashValue == b.hashValue)
    #expect(a != ["a": 1])
    #expect(a != ["a": 1, "c": [1, 2]])
    #expect([1, 2] as JSONValue != [2, 1])
  }

  @Test func numbersCompareByValue() {
    #expect(JSONValue.integer(1) == .number(1))
    #expect(JSONValue.integer(1).hashValue == JSONValue.number(1).hashValue)
    #expect(JSONValue.integer(1) != .number(1.5))
    #expect(JSONValue.integer(9_007_199_254_740_993) != .number(9_007_199_254_740_992))
    #expect(JSONValue.integer(0) != .bool(false))
  }

  @Test func keysAndStringsAreToldApartByBytes() {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    #expect(JSONValue.string(composed) != .string(decomposed))
    var object = JSONObject()
    object[composed] = 1
    object[decomposed] = 2
    #expect(object.count == 2)
    #expect(object[composed] == 1)
  }

  @Test func membersCanBeSetAndRemoved() {
    var value: JSONValue = ["a": 1]
    for place in 0..<40 { value["k\(place)"] = .integer(Int64(place)) }
    value["k3"] = nil
    value["k4"] = "new"
    #expect(value.object?.count == 40)
    #expect(value["k3"] == nil)
    #expect(value["k4"] == "new")
    #expect(value["k39"] == 39)
    #expect(value.object?.keys.first == "a")
  }

  @Test func accessorsAnswerNilForOtherKinds() {
    let value: JSONValue = ["s": "x", "i": 3, "d": 2.0, "f": 2.5, "b": true, "a": [1, 2], "n": nil]
    #expect(value["s"]?.string == "x")
    #expect(value["i"]?.integer == 3)
    #expect(value["d"]?.integer == 2)
    #expect(value["f"]?.integer == nil)
    #expect(value["i"]?.double == 3)
    #expect(value["b"]?.bool == true)
    #expect(value["a"]?[1] == 2)
    #expect(value["a"]?[2] == nil)
    #expect(value["a"]?.array?.count == 2)
    #expect(value["n"]?.isNull == true)
    #expect(value["s"]?.integer == nil)
    #expect(value["i"]?["x"] == nil)
    #expect(value["missing"] == nil)
  }
}
