import Core
import JSON
import Protocols
import Testing

@testable import ClientSim

struct TemplateTests {
  let marker = Marker(run: 0xAB, client: ClientID(123), sequence: 16, sent: .seconds(1.5))

  func render(_ text: String, client: UInt32 = 123) throws -> String {
    var random = SeededRandom(seed: 1, purpose: .test)
    return try Template(text).text(for: ClientID(client), marker: marker, &random)
  }

  @Test func placesAreFilledIn() throws {
    #expect(try render("room {client % 50} of {client}") == "room 23 of 123")
    #expect(try render("{client%50}") == "23")
    #expect(try render("<{marker}>") == "<\(marker)>")
    #expect(try render("{random 7 7}") == "7")
    #expect(try render("{random -3 -3}") == "-3")
    #expect(try render("a {{client}} b") == "a {client} b")
    #expect(try render("") == "")
  }

  @Test func randomNumbersComeFromTheWholeRange() throws {
    let template = try Template("{random 1 6}")
    var random = SeededRandom(seed: 1, purpose: .test)
    let drawn = Set((0..<200).map { _ in template.text(for: ClientID(0), &random) })
    #expect(drawn.sorted() == ["1", "2", "3", "4", "5", "6"])
  }

  @Test func unknownPlacesAreMistakes() {
    for text in ["{clinet}", "{client % 0}", "{client % x}", "{random 2 1}", "{random 1}", "{}", "{client", "client}"] {
      #expect(throws: Template.Mistake.self, "\(text)") { try Template(text) }
    }
  }

  @Test func mistakesInArgumentsAreReportedWhereTheyStand() {
    let (value, diagnostics) = LocatedJSON.read("{\n  room: '{clinet}',\n  deep: [{ text: '{marker' }] }")
    if let value { _ = ArgumentsTemplate(value, diagnostics: diagnostics) }
    #expect(diagnostics.all.map { $0.location?.line } == [2, 3])
    #expect(diagnostics.all[0].suggestion == "{client}")
  }

  @Test func argumentsAreCanonicalJSON() throws {
    let template = Make.template(
      #"{ room: "{client % 50}", 'a"b': ["x\ny", 1.0, null, { z: 1, y: "{client}" }], text: "é{marker}" }"#)
    var random = SeededRandom(seed: 1, purpose: .test)
    var spans: [Range<Int>] = []
    let bytes = template.render(for: ClientID(123), marker: marker, &random, spans: &spans)
    #expect(
      String(decoding: bytes, as: UTF8.self)
        == #"{"a\"b":["x\ny",1,null,{"y":"123","z":1}],"room":"23","text":"é\#(marker)"}"#)
    #expect(try JSONValue.parse(bytes).canonical() == bytes)
    #expect(String(decoding: bytes[spans[1]], as: UTF8.self) == #""23""#)
  }

  @Test func aMutationsSubscriptionIsFoundByItsArguments() {
    let call = Make.template("{room: 'r{client}', text: '{marker}', z: 1}")
    var random = SeededRandom(seed: 1, purpose: .test)
    var spans: [Range<Int>] = []
    let bytes = call.render(for: ClientID(4), marker: marker, &random, spans: &spans)
    let key = SeenBy(path: "notes:list", keys: ["room"], of: call)?.key(call, bytes, spans)
    #expect(key == SubscriptionKey(path: "notes:list", arguments: #"{"room":"r4"}"#).hash)
    let two = SeenBy(path: "notes:list", keys: ["room", "z"], of: call)?.key(call, bytes, spans)
    #expect(two == SubscriptionKey(path: "notes:list", arguments: #"{"room":"r4","z":1}"#).hash)
    let none = SeenBy(path: "counter:get", keys: [], of: call)?.key(call, bytes, spans)
    #expect(none == SubscriptionKey(path: "counter:get", arguments: "{}").hash)
    #expect(SeenBy(path: "notes:list", keys: ["owner"], of: call) == nil)
  }
}
