/// The cursor of the JSON5 reader: bytes, place, blank space and comments, reporting.
struct LocatedReader {
  let bytes: [UInt8]
  let limits: JSONLimits
  let diagnostics: Diagnostics
  var at = 0
  /// Set while looking ahead: what is wrong there is reported when it is really read.
  var isSilent = false
  /// Set once the end of the file was reported, so that every bracket left open does not report it again.
  var reportedEnd = false
  private var lines: LineTable
  private var mistakes = 0

  /// A file with more mistakes than this is not read on.
  static let mostMistakes = 100

  init(bytes: [UInt8], limits: JSONLimits, diagnostics: Diagnostics) {
    self.bytes = bytes
    self.limits = limits
    self.diagnostics = diagnostics
    lines = LineTable(bytes)
  }

  /// The whole file.
  mutating func document() -> LocatedValue? {
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { at = 3 }
    skipBlank()
    guard peek != nil else {
      if !reportedEnd { report(at, "the file is empty", expected: "a value") }
      return nil
    }
    let (value, isClean) = value(depth: 0, after: nil)
    skipBlank()
    if isClean, peek != nil { report(at, "\(found()) after the end of the value", expected: "the end of the file") }
    return value.kind == .invalid ? nil : value
  }

  var peek: UInt8? { at < bytes.count ? bytes[at] : nil }

  func byte(at offset: Int) -> UInt8? { offset < bytes.count ? bytes[offset] : nil }

  mutating func location(_ offset: Int) -> SourceLocation { lines.location(offset, in: bytes) }

  mutating func report(_ offset: Int, _ message: String, expected: String? = nil, suggestion: String? = nil) {
    guard !isSilent else { return }
    report(at: location(offset), message, expected: expected, suggestion: suggestion)
  }

  mutating func report(
    at place: SourceLocation, _ message: String, expected: String? = nil, suggestion: String? = nil
  ) {
    guard !isSilent, mistakes <= Self.mostMistakes else { return }
    mistakes += 1
    if mistakes > Self.mostMistakes {
      diagnostics.error(at: place, "too many mistakes; the rest of the file was not read")
      at = bytes.count
      reportedEnd = true
      return
    }
    diagnostics.error(at: place, message, expected: expected, suggestion: suggestion)
  }

  /// Skips space, line ends and comments. Answers whether a line end was crossed.
  @discardableResult mutating func skipBlank() -> Bool {
    var crossed = false
    while let byte = peek {
      switch byte {
      case 0x0A, 0x0D:
        crossed = true
        at += 1
      case 0x20, 0x09, 0x0B, 0x0C: at += 1
      case UInt8(ascii: "/"):
        guard skipComment(&crossed) else { return crossed }
      case 0x80...:
        let (scalar, length) = scalar()
        guard isSpace(scalar) else { return crossed }
        at += length
      default: return crossed
      }
    }
    return crossed
  }

  private mutating func skipComment(_ crossed: inout Bool) -> Bool {
    switch byte(at: at + 1) {
    case UInt8(ascii: "/"):
      while let byte = peek, byte != 0x0A, byte != 0x0D { at += 1 }
      return true
    case UInt8(ascii: "*"):
      let start = at
      at += 2
      while let byte = peek {
        if byte == UInt8(ascii: "*"), self.byte(at: at + 1) == UInt8(ascii: "/") {
          at += 2
          return true
        }
        if byte == 0x0A || byte == 0x0D { crossed = true }
        at += 1
      }
      report(start, "the comment is not closed", expected: "\"*/\"")
      if !isSilent { reportedEnd = true }
      return true
    default: return false
    }
  }

  private func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar.properties.isWhitespace || scalar == "\u{FEFF}" }

  /// The character at the cursor, and its length in bytes. The file is known to be UTF-8.
  func scalar() -> (Unicode.Scalar, Int) { scalar(at: at) }

  private func scalar(at offset: Int) -> (Unicode.Scalar, Int) {
    let length =
      switch bytes[offset] {
      case ..<0x80: 1
      case ..<0xE0: 2
      case ..<0xF0: 3
      default: 4
      }
    let text = String(decoding: bytes[offset..<min(offset + length, bytes.count)], as: UTF8.self)
    return (text.unicodeScalars.first ?? "\u{FFFD}", length)
  }

  /// What stands at the cursor, for messages.
  func found() -> String {
    guard let byte = peek else { return "the file ends" }
    let end = tokenEnd()
    if end > at { return Excerpt.quoted(String(decoding: bytes[at..<end], as: UTF8.self)) }
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): return "a string"
    case ..<0x20, 0x7F: return "a control character (\(byte))"
    default: return "\"\(scalar().0)\""
    }
  }

  /// Past the run of letters, digits, signs, dots and the like that starts at the cursor.
  func tokenEnd() -> Int {
    var end = at
    while let byte = byte(at: end) {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x24, 0x2E, 0x2B, 0x2D, 0x25: end += 1
      case 0x80...:
        let (scalar, length) = scalar(at: end)
        guard !isSpace(scalar) else { return end }
        end += length
      case UInt8(ascii: "/"):
        let next = self.byte(at: end + 1)
        guard end > at, next != UInt8(ascii: "/"), next != UInt8(ascii: "*") else { return end }
        end += 1
      default: return end
      }
    }
    return end
  }

  /// Reports an array or object that the file leaves open, unless the end was reported already.
  mutating func reportUnclosed(_ what: String, opened: SourceLocation, closing: String) {
    guard !reportedEnd else { return }
    report(at, "the file ends inside the \(what) that starts at \(opened)", expected: closing)
    reportedEnd = true
  }
}

/// Turns offsets into lines and columns, quickly where they ascend.
struct LineTable {
  private var starts = [0]
  private var last = (offset: 0, line: 0, column: 1)

  init(_ bytes: [UInt8]) {
    for (offset, byte) in bytes.enumerated() {
      // A line ends with LF, CR LF, or CR.
      let isCarriageReturn = byte == 0x0D && !(offset + 1 < bytes.count && bytes[offset + 1] == 0x0A)
      if byte == 0x0A || isCarriageReturn { starts.append(offset + 1) }
    }
  }

  mutating func location(_ offset: Int, in bytes: [UInt8]) -> SourceLocation {
    let line = line(of: offset)
    var from = starts[line]
    // A byte order mark is no character of the text.
    if from == 0, bytes.starts(with: [0xEF, 0xBB, 0xBF]), offset >= 3 { from = 3 }
    var column = 1
    if last.line == line, last.offset <= offset, last.offset >= from { (from, column) = (last.offset, last.column) }
    for place in from..<max(from, min(offset, bytes.count)) where bytes[place] & 0xC0 != 0x80 { column += 1 }
    last = (offset, line, column)
    return SourceLocation(line: line + 1, column: column)
  }

  private func line(of offset: Int) -> Int {
    var low = 0
    var high = starts.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if starts[middle] <= offset { low = middle } else { high = middle }
    }
    return low
  }
}
