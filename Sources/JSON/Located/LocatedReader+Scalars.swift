/// Keys, strings, numbers and words.
extension LocatedReader {
  /// A quoted or bare key; nil after reporting that there is none.
  mutating func key() -> String? {
    guard let byte = peek else { return nil }
    if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
      let (text, isClosed) = quoted()
      return isClosed ? text : nil
    }
    let end = tokenEnd()
    guard end > at else {
      report(at, "\(found()) where a key should be", expected: "a key or \"}\"")
      return nil
    }
    let token = String(decoding: bytes[at..<end], as: UTF8.self)
    if !isIdentifier(token) {
      report(at, "the key \(Excerpt.of(token)) needs quotes", expected: "\(Excerpt.quoted(token))")
    }
    at = max(at, end)
    return token
  }

  /// An identifier as ECMAScript has it, without escapes.
  private func isIdentifier(_ token: String) -> Bool {
    for (place, scalar) in token.unicodeScalars.enumerated() {
      switch scalar {
      case "a"..."z", "A"..."Z", "_", "$": continue
      case "0"..."9": if place == 0 { return false }
      default:
        guard !scalar.isASCII else { return false }
        let properties = scalar.properties
        guard
          place == 0 ? properties.isIDStart : properties.isIDContinue || scalar == "\u{200C}" || scalar == "\u{200D}"
        else { return false }
      }
    }
    return true
  }

  /// What a bare token means; reports one that means nothing.
  mutating func scalarKind(_ token: String) -> LocatedValue.Kind {
    switch token {
    case "true": return .bool(true)
    case "false": return .bool(false)
    case "null": return .null
    default: break
    }
    let first = token.utf8.first ?? 0
    let isNumeric = first &- 0x30 < 10 || [UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ".")].contains(first)
    if isNumeric || token == "Infinity" || token == "NaN" {
      switch LocatedNumber.read(token) {
      case .number(let number): return .number(number, raw: token)
      case .wrong(let message, let expected): report(at, message, expected: expected)
      }
      return .invalid
    }
    let word = ["true", "false", "null"].first { $0 == token.lowercased() }
    report(at, "\(Excerpt.of(token)) stands without quotes", expected: "a value, text in quotes", suggestion: word)
    return .invalid
  }

  /// A string in either quotes, and whether it was closed. One that is not closed ends with its line.
  mutating func quoted() -> (text: String, isClosed: Bool) {
    let start = at
    let quote = bytes[at]
    var text: [UInt8] = []
    at += 1
    while let byte = peek, byte != 0x0A, byte != 0x0D {
      switch byte {
      case quote:
        at += 1
        return (String(decoding: text, as: UTF8.self), true)
      case UInt8(ascii: "\\"): escape(into: &text)
      case ..<0x20 where byte != 0x09:
        report(at, "a control character (\(byte)) in a string", expected: "an escape such as \\u00\(hex(byte))")
        at += 1
      default:
        text.append(byte)
        at += 1
      }
    }
    report(start, "the string is not closed on its line", expected: "a closing \(quote == 0x22 ? "\"" : "'")")
    if peek == nil, !isSilent { reportedEnd = true }
    return (String(decoding: text, as: UTF8.self), false)
  }

  private func hex(_ byte: UInt8) -> String { (byte < 16 ? "0" : "") + String(byte, radix: 16) }

  /// Reads the escape at the cursor, or the line continuation.
  private mutating func escape(into text: inout [UInt8]) {
    let start = at
    at += 1
    guard let byte = peek else { return }
    at += 1
    switch byte {
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "v"): text.append(0x0B)
    case UInt8(ascii: "0") where !(peek.map { $0 &- 0x30 < 10 } ?? false): text.append(0)
    case UInt8(ascii: "x"): if let unit = digits(2, escape: start) { append(Unicode.Scalar(unit), to: &text) }
    case UInt8(ascii: "u"): unicodeEscape(start, into: &text)
    case 0x0A: break
    case 0x0D: if peek == 0x0A { at += 1 }
    case 0x30...0x39: report(start, "\"\\\(Unicode.Scalar(byte))\" is not an escape", expected: "\\0 or \\xHH")
    case 0x80...:
      at -= 1
      let (scalar, length) = scalar()
      at += length
      // A line continuation too.
      if scalar != "\u{2028}", scalar != "\u{2029}" { append(scalar, to: &text) }
    default: text.append(byte)
    }
  }

  private mutating func unicodeEscape(_ start: Int, into text: inout [UInt8]) {
    guard let first = digits(4, escape: start) else { return }
    if let scalar = Unicode.Scalar(first) { return append(scalar, to: &text) }
    if first < 0xDC00, peek == UInt8(ascii: "\\"), byte(at: at + 1) == UInt8(ascii: "u") {
      let after = at
      at += 2
      guard let second = digits(4, escape: after) else { return }
      if (0xDC00...0xDFFF).contains(second) {
        return append(Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)), to: &text)
      }
      at = after
    }
    report(
      start, "\"\\u\(String(first, radix: 16))\" is half a surrogate pair", expected: "both halves, high one first")
  }

  private mutating func digits(_ count: Int, escape start: Int) -> UInt32? {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let digit = peek.flatMap(HexDigit.value) else {
        report(start, "an escape is cut short", expected: "\(count) hexadecimal digits")
        return nil
      }
      value = value << 4 | UInt32(digit)
      at += 1
    }
    return value
  }

  private func append(_ scalar: Unicode.Scalar?, to text: inout [UInt8]) {
    text.append(contentsOf: scalar.flatMap(UTF8.encode) ?? UTF8.encodedReplacementCharacter)
  }
}
