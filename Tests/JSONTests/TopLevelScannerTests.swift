import Core
import JSON
import Testing

struct TopLevelScannerTests {
  @Test func reportsKeysValuesAndKinds() {
    let text = #" { "type" : "Transition", "id":-1.5e3,"a":[1,{"b":"]"}] ,"o":{},"t":true,"f":false,"n":null, "":"" } "#
    let members = scan(text)
    #expect(
      members?.map { "\($0.key)=\($0.value) \($0.kind)" } == [
        #""type"="Transition" string"#, #""id"=-1.5e3 number"#, #""a"=[1,{"b":"]"}] array"#, #""o"={} object"#,
        #""t"=true true"#, #""f"=false false"#, #""n"=null null"#, #"""="" string"#,
      ])
  }

  @Test func skipsEscapedQuotesHoweverLongTheString() {
    for length in 0..<40 {
      let filler = String(repeating: "x", count: length)
      for tail in [#"\""#, #"\\"#, #"\\\""#, #"\"\"\\"#, ""] {
        let value = "\"\(filler)\(tail)\""
        #expect(scan("{\"k\":\(value),\"m\":1}")?.map(\.value) == [value, "1"], "\(value)")
      }
    }
  }

  @Test(arguments: [
    "", " ", "1", "[]", "{", "{}x", "{}{}", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{"a":1 "b":2}"#, #"{a:1}"#,
    #"{"a":01}"#,
    #"{"a":-}"#, #"{"a":1.}"#, #"{"a":tru}"#, #"{"a":nulll}"#, #"{"a":"x}"#, #"{"a":"x\"}"#, #"{"a":[}"#,
    #"{"a":[1,{]}}"#,
    #"{"a":[[]}"#, #"{"a":{"b":[}]}"#, #"{"a":1]"#, #"{,}"#, #"{"a":1,,"b":2}"#, "{\"a\":\u{A0}1}", "{\"a\":\u{0}1}",
    #"{"a":x}"#, #"{"a" "b"}"#, #"{"a":1}}"#,
  ])
  func reportsWhatIsNotOneObject(text: String) {
    #expect(scan(text) == nil)
  }

  @Test func everyTruncationIsMalformed() {
    let sample =
      #"{"type":"Transition","id":12,"parts":[{"a":"\"}"},[true]],"v":{"x":[1,2,{"y":"long enough to leave the loop"}]}}"#
    for length in 0..<sample.utf8.count { #expect(scan(String(sample.prefix(length))) == nil, "\(length) bytes") }
    #expect(scan(sample)?.count == 4)
  }

  @Test func depthIsCappedAsInTheParser() {
    let nested = { (depth: Int) in
      #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(scan(nested(128)) != nil)
    #expect((try? JSONValue.parse(nested(128))) != nil)
    #expect(scan(nested(129)) == nil)
    #expect((try? JSONValue.parse(nested(129))) == nil)
    #expect(scan(#"{"a":"# + String(repeating: "{\"a\":", count: 100_000)) == nil)
    // Mixed brackets beyond one machine word of levels.
    let mixed = #"{"a":"# + String(repeating: #"[{"b":"#, count: 60) + "1" + String(repeating: "}]", count: 60) + "}"
    #expect(scan(mixed)?.count == 1)
    #expect(
      scan(#"{"a":"# + String(repeating: #"[{"b":"#, count: 60) + "1" + String(repeating: "]}", count: 60) + "}") == nil
    )
  }

  @Test func nestedScansReportRangesOfTheWholePayload() {
    let payload = Array(#"{"parts":[{"id":1,"v":"x"},{"id":2}, [3] ],"z":0}"#.utf8)
    var seen: [String] = []
    payload.withUnsafeBytes { bytes in
      let result = TopLevelScanner.scanObject(bytes) { member in
        guard member.kind == .array else { return }
        let inner = TopLevelScanner.scanArray(bytes, in: member.value) { element in
          seen.append(text(bytes[element.value]))
          guard element.kind == .object else { return }
          let result = TopLevelScanner.scanObject(bytes, in: element.value) { seen.append(text(bytes[$0.value])) }
          #expect(result == .ok)
        }
        #expect(inner == .ok)
      }
      #expect(result == .ok)
    }
    #expect(seen == [#"{"id":1,"v":"x"}"#, "1", #""x""#, #"{"id":2}"#, "2", "[3]"])
  }

  @Test(arguments: ["", "{}", "[", "[1", "[1,]", "[,]", "[1 2]", "[1]]", "[[1]", "[}", "[tru]", "[\"a]"])
  func reportsWhatIsNotOneArray(text: String) {
    let result = Array(text.utf8).withUnsafeBytes { TopLevelScanner.scanArray($0) { _ in } }
    #expect(result == .malformed)
  }

  @Test func payloadsBeyondThirtyTwoBitsAreRefused() {
    let result = Array("{}".utf8).withUnsafeBytes { TopLevelScanner.scanObject($0, base: Int(UInt32.max)) { _ in } }
    #expect(result == .malformed)
    #expect(Array("{}".utf8).withUnsafeBytes { TopLevelScanner.scanObject($0, base: -1) { _ in } } == .malformed)
  }

  @Test func agreesWithTheParserOnRandomObjects() throws {
    var random = SeededRandom(seed: 2, purpose: .test)
    for _ in 0..<500 {
      let value = RandomJSON.object(&random, depth: 4)
      for bytes in [value.encoded(), Array(value.prettyText().utf8)] {
        var members = JSONObject()
        let result = bytes.withUnsafeBytes { bytes in
          TopLevelScanner.scanObject(bytes) { member in
            guard let key = JSONText.string(of: bytes[member.key]) else { return }
            members[key] = JSONText.value(of: bytes[member.value])
            #expect(members[key].map { kind(of: $0) } == member.kind)
          }
        }
        #expect(result == .ok)
        #expect(JSONValue.object(members) == value)
      }
    }
  }

  @Test func neverReadsPastTheEndOfRandomBytes() {
    var random = SeededRandom(seed: 3, purpose: .test)
    let alphabet = Array("{}[]\",:\\ 1tn".utf8)
    for _ in 0..<5000 {
      var bytes = Array("{\"a\":".utf8)
      for _ in 0..<random.integer(in: 0...30) { bytes.append(alphabet[Int(random.integer(in: 0...11))]) }
      let isValid = (try? JSONValue.parse(bytes)) != nil
      let result = bytes.withUnsafeBytes { TopLevelScanner.scanObject($0) { _ in } }
      if isValid { #expect(result == .ok) }
    }
  }

  private func kind(of value: JSONValue) -> JSONKind {
    switch value {
    case .null: .null
    case .bool(let flag): flag ? .true : .false
    case .integer, .number: .number
    case .string: .string
    case .array: .array
    case .object: .object
    }
  }

  private func text(_ bytes: UnsafeRawBufferPointer) -> String { String(decoding: bytes, as: UTF8.self) }

  private func scan(_ source: String) -> [(key: String, value: String, kind: JSONKind)]? {
    var found: [(key: String, value: String, kind: JSONKind)] = []
    let result = Array(source.utf8).withUnsafeBytes { bytes in
      TopLevelScanner.scanObject(bytes) { found.append((text(bytes[$0.key]), text(bytes[$0.value]), $0.kind)) }
    }
    return result == .ok ? found : nil
  }
}
