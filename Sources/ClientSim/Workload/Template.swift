import Core

/// A text with places to fill in, compiled once and rendered straight into bytes.
///
/// `{client}` is the client's number in the run, `{client % 50}` its remainder, `{marker}` what a mutation's effect is
/// found by, `{random 1 100}` a whole number from 1 to 100. `{{` and `}}` are braces. What is filled in is digits or a
/// marker, which need no escape in JSON; a string that consists of one place only stays a string.
public struct Template: Hashable, Sendable {
  enum Segment: Hashable, Sendable {
    case text([UInt8])
    case client
    case remainder(UInt32)
    case marker
    case random(ClosedRange<Int64>)
  }

  /// Why a text is no template.
  public struct Mistake: Error, Hashable, Sendable {
    public var message: String
    public var expected: String
    public var suggestion: String?
  }

  static let expected = "one of {client}, {client % N}, {marker}, {random LOW HIGH}; {{ and }} for braces"

  private(set) var segments: [Segment] = []

  /// A text without places.
  init(literal: [UInt8]) { if !literal.isEmpty { segments = [.text(literal)] } }

  public init(_ text: String) throws(Mistake) {
    try self.init(text, literal: { out, piece in out.append(contentsOf: piece.utf8) })
  }

  /// Compiles a text; `literal` writes the pieces between places, escaped as the surroundings need it.
  init(_ text: String, literal: (inout [UInt8], String) -> Void) throws(Mistake) {
    var piece = ""
    var rest = text[...]
    func flush(_ template: inout Template) {
      guard !piece.isEmpty else { return }
      var bytes: [UInt8] = []
      literal(&bytes, piece)
      template.append(.text(bytes))
      piece = ""
    }
    while let character = rest.first {
      if rest.hasPrefix("{{") || rest.hasPrefix("}}") {
        piece.append(character)
        rest = rest.dropFirst(2)
      } else if character == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          throw Mistake(message: "a place in \"\(text)\" has no closing brace", expected: Self.expected)
        }
        flush(&self)
        append(try Self.place(String(rest[rest.index(after: rest.startIndex)..<end])))
        rest = rest[rest.index(after: end)...]
      } else if character == "}" {
        throw Mistake(message: "a brace in \"\(text)\" closes nothing", expected: Self.expected)
      } else {
        piece.append(character)
        rest = rest.dropFirst()
      }
    }
    flush(&self)
  }

  private static func place(_ text: String) throws(Mistake) -> Segment {
    let words = text.split(separator: " ").flatMap { word in
      // `{client%50}` is as good as `{client % 50}`.
      word.contains("%") && word.count > 1 ? split(word) : [word]
    }
    switch (words.first, words.count) {
    case ("client", 1): return .client
    case ("marker", 1): return .marker
    case ("client", 3) where words[1] == "%":
      guard let divisor = UInt32(words[2]), divisor > 0 else {
        throw Mistake(message: "{\(text)} has no whole number above 0 after %", expected: "such as {client % 50}")
      }
      return .remainder(divisor)
    case ("random", 3):
      guard let low = Int64(words[1]), let high = Int64(words[2]), low <= high else {
        throw Mistake(message: "{\(text)} has no range of whole numbers", expected: "such as {random 1 100}")
      }
      return .random(low...high)
    default:
      let near = words.first.flatMap { word in
        ["client", "marker", "random"].first { $0 == word.lowercased() || $0.first == word.first }
      }
      throw Mistake(
        message: "there is no {\(text)} to fill in", expected: expected, suggestion: near.map { "{\($0)}" })
    }
  }

  private static func split(_ word: Substring) -> [Substring] {
    guard let sign = word.firstIndex(of: "%") else { return [word] }
    return [word[..<sign], "%", word[word.index(after: sign)...]].filter { !$0.isEmpty }
  }

  mutating func append(_ segment: Segment) {
    if case .text(let more) = segment, case .text(let last) = segments.last {
      segments[segments.count - 1] = .text(last + more)
    } else {
      segments.append(segment)
    }
  }

  mutating func append(_ other: Template) { for segment in other.segments { append(segment) } }

  /// Whether a marker is to be filled in.
  public var hasMarker: Bool { segments.contains(.marker) }
  /// Whether every rendering for one client is the same.
  public var isConstantPerClient: Bool {
    segments.allSatisfy { segment in
      switch segment {
      case .text, .client, .remainder: true
      case .marker, .random: false
      }
    }
  }

  /// Appends the text for a client. Where there is no marker to fill in, nothing is.
  public func render(
    for client: ClientID, marker: Marker?, _ random: inout SeededRandom, into bytes: inout [UInt8]
  ) {
    for segment in segments {
      switch segment {
      case .text(let text): bytes.append(contentsOf: text)
      case .client: bytes.append(number: client.number)
      case .remainder(let divisor): bytes.append(number: client.number % divisor)
      case .random(let range): bytes.append(number: random.integer(in: range))
      case .marker: if let marker { marker.append(to: &bytes) }
      }
    }
  }

  /// The text for a client.
  public func text(for client: ClientID, marker: Marker? = nil, _ random: inout SeededRandom) -> String {
    var bytes: [UInt8] = []
    render(for: client, marker: marker, &random, into: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Marker {
  /// Appends the marker's text (its `description`), without making a string.
  func append(to bytes: inout [UInt8]) {
    bytes.append(0x6F)
    bytes.append(0x62)
    for field in [UInt64(run), UInt64(client.number), UInt64(sequence), UInt64(bitPattern: sent.nanoseconds)] {
      bytes.append(0x7E)
      var shift = field == 0 ? 0 : (63 - field.leadingZeroBitCount) / 4 * 4
      while shift >= 0 {
        let digit = UInt8(truncatingIfNeeded: field >> UInt64(shift)) & 0xF
        bytes.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
        shift -= 4
      }
    }
    bytes.append(0x7E)
  }
}
