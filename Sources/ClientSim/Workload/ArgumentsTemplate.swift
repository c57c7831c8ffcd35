import Core
import JSON

/// A function's arguments with places to fill in; renders canonical JSON.
public struct ArgumentsTemplate: Hashable, Sendable {
  struct Member: Hashable, Sendable {
    var key: String
    /// `"room":`
    var head: [UInt8]
    var value: Template
  }

  /// Ascending by the bytes of their keys, as canonical JSON has them.
  let members: [Member]

  /// `{}`.
  public init() { members = [] }

  /// Compiles the object `value`; what is wrong with its texts is reported in place.
  public init(_ value: LocatedValue, diagnostics: Diagnostics) {
    let sorted = (value.members ?? []).sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
    members = sorted.map { member in
      var head: [UInt8] = []
      head.append(jsonString: member.key)
      head.append(0x3A)
      return Member(key: member.key, head: head, value: Self.compile(member.value, diagnostics))
    }
  }

  /// The keys, ascending.
  public var keys: [String] { members.map(\.key) }
  public var hasMarker: Bool { members.contains { $0.value.hasMarker } }
  public var isConstantPerClient: Bool { members.allSatisfy { $0.value.isConstantPerClient } }

  private static func compile(_ value: LocatedValue, _ diagnostics: Diagnostics) -> Template {
    var template = Template(literal: [])
    switch value.kind {
    case .string(let text):
      template.append(.text([0x22]))
      do throws(Template.Mistake) {
        template.append(try Template(text, literal: appendBody))
      } catch {
        diagnostics.error(
          at: value.location, error.message, expected: error.expected, suggestion: error.suggestion)
      }
      template.append(.text([0x22]))
    case .array(let elements):
      template.append(.text([0x5B]))
      for (index, element) in elements.enumerated() {
        if index > 0 { template.append(.text([0x2C])) }
        template.append(compile(element, diagnostics))
      }
      template.append(.text([0x5D]))
    case .object:
      template.append(.text([0x7B]))
      for (index, member) in ArgumentsTemplate(value, diagnostics: diagnostics).members.enumerated() {
        template.append(.text((index > 0 ? [0x2C] : []) + member.head))
        template.append(member.value)
      }
      template.append(.text([0x7D]))
    case .null, .bool, .number, .invalid: template.append(.text(value.json.canonical()))
    }
    return template
  }

  /// A piece of a JSON string, without the quotes.
  private static func appendBody(_ bytes: inout [UInt8], _ piece: String) {
    var quoted: [UInt8] = []
    quoted.append(jsonString: piece)
    bytes.append(contentsOf: quoted.dropFirst().dropLast())
  }

  /// Canonical JSON for a client; `spans` gets the range of each member's value, in the order of `keys`.
  public func render(
    for client: ClientID, marker: Marker?, _ random: inout SeededRandom, spans: inout [Range<Int>]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    bytes.append(0x7B)
    for (index, member) in members.enumerated() {
      if index > 0 { bytes.append(0x2C) }
      bytes.append(contentsOf: member.head)
      let start = bytes.count
      member.value.render(for: client, marker: marker, &random, into: &bytes)
      spans.append(start..<bytes.count)
    }
    bytes.append(0x7D)
    return bytes
  }

  /// The same as a text.
  public func text(for client: ClientID, _ random: inout SeededRandom) -> String {
    var spans: [Range<Int>] = []
    return String(decoding: render(for: client, marker: nil, &random, spans: &spans), as: UTF8.self)
  }
}
