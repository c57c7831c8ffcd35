import Foundation
import FoundationXML
import JSON
import Testing

/// The files of one report, read back as a stranger would read them.
struct Report {
  let summary: JSONValue
  let events: [JSONValue]
  let junit: JUnit
  /// All bytes of all files.
  let everything: String

  init(_ folder: String) throws {
    func read(_ name: String) throws -> String {
      String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(name)")), as: UTF8.self)
    }
    let summary = try read("summary.json")
    let events = try read("events.jsonl")
    let junit = try read("junit.xml")
    everything = summary + events + junit
    self.summary = try JSONValue.parse(summary)
    self.events = try events.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    self.junit = try JUnit(junit)
  }

  var exit: Int64? { summary["outcome"]?["exit"]?.integer }
  var reasons: [String] { summary["outcome"]?["reasons"]?.array?.compactMap { $0["text"]?.string } ?? [] }
  var errors: [String: Int64] {
    var errors: [String: Int64] = [:]
    for entry in summary["errors"]?.array ?? [] { errors[entry["name"]?.string ?? ""] = entry["count"]?.integer }
    return errors
  }

  func metric(_ name: String, _ window: String = "whole") -> JSONValue? { summary["metrics"]?[name]?[window] }
  func counter(_ name: String) -> Int64 { summary["counters"]?[name]?["whole"]?.integer ?? 0 }
  func clause(_ id: String) -> JSONValue? { summary["clauses"]?.array?.first { $0["id"]?.string == id } }
  var residentBytes: Int64 { summary["wallClock"]?["maxResidentBytes"]?.integer ?? .max }

  /// `summary.json` but for the block that tells of the machine and the day.
  static func withoutWallClock(_ text: String) throws -> String {
    guard case .object(var object) = try JSONValue.parse(text) else { return text }
    object["wallClock"] = nil
    return JSONValue.object(object).text
  }
}

/// `junit.xml` as an XML parser reads it: not well-formed means it throws.
final class JUnit: NSObject, XMLParserDelegate {
  struct Case: Equatable {
    var name: String
    var problem: String?
  }

  private(set) var cases: [Case] = []
  private(set) var attributes: [String: String] = [:]

  init(_ text: String) throws {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    let isWellFormed = parser.parse()
    try #require(isWellFormed, "junit.xml is not well-formed: \(String(describing: parser.parserError))")
  }

  func parser(
    _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch element {
    case "testsuite": self.attributes = attributes
    case "testcase": cases.append(Case(name: attributes["name"] ?? "", problem: nil))
    case "failure", "error", "skipped": cases[cases.count - 1].problem = element
    default: break
    }
  }
}
