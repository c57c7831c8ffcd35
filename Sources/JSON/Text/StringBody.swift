/// Reads what stands between the quotes of a JSON string (RFC 8259 section 7).
enum StringBody {
  /// The text, and the length in bytes of the body as written, up to the closing quote (not included).
  typealias Outcome = Result<(text: String, length: Int), JSONSyntaxError>

  /// `bytes` start just past the opening quote; offsets in errors count from there.
  static func read(_ bytes: UnsafeRawBufferPointer) -> Outcome {
    var at = 0
    var bits: UInt8 = 0
    while at < bytes.count {
      let byte = bytes[at]
      if byte == UInt8(ascii: "\"") {
        if bits >= 0x80, let wrong = UTF8Check.firstInvalid(slice(bytes, 0, at)) { return invalidUTF8(wrong) }
        return .success((String(decoding: slice(bytes, 0, at), as: UTF8.self), at))
      }
      if byte == UInt8(ascii: "\\") { return readEscaped(bytes, from: at) }
      if byte < 0x20 { return control(at) }
      bits |= byte
      at += 1
    }
    return unterminated(at)
  }

  private static func readEscaped(_ bytes: UnsafeRawBufferPointer, from start: Int) -> Outcome {
    var text = [UInt8](slice(bytes, 0, start))
    var at = start
    while at < bytes.count {
      let byte = bytes[at]
      switch byte {
      case UInt8(ascii: "\""):
        // Escapes are ASCII, so the body as written is UTF-8 exactly if what lies between them is.
        if let wrong = UTF8Check.firstInvalid(slice(bytes, 0, at)) { return invalidUTF8(wrong) }
        return .success((String(decoding: text, as: UTF8.self), at))
      case UInt8(ascii: "\\"):
        switch escape(bytes, at: at) {
        case .success(let (scalar, length)):
          text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
          at += length
        case .failure(let error): return .failure(error)
        }
      case 0..<0x20: return control(at)
      default:
        text.append(byte)
        at += 1
      }
    }
    return unterminated(at)
  }

  private static func escape(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Result<
    (Unicode.Scalar, Int), JSONSyntaxError
  > {
    guard start + 1 < bytes.count else {
      return .failure(JSONSyntaxError(.truncated, at: start + 1, expected: "the rest of an escape"))
    }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""): return .success(("\"", 2))
    case UInt8(ascii: "\\"): return .success(("\\", 2))
    case UInt8(ascii: "/"): return .success(("/", 2))
    case UInt8(ascii: "b"): return .success(("\u{8}", 2))
    case UInt8(ascii: "f"): return .success(("\u{C}", 2))
    case UInt8(ascii: "n"): return .success(("\n", 2))
    case UInt8(ascii: "r"): return .success(("\r", 2))
    case UInt8(ascii: "t"): return .success(("\t", 2))
    case UInt8(ascii: "u"): break
    default:
      let expected = "an escape: one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX"
      return .failure(JSONSyntaxError(.unexpected, at: start + 1, expected: expected))
    }
    guard let first = hex(bytes, at: start + 2) else { return badHex(bytes, at: start + 2) }
    if let scalar = Unicode.Scalar(first) { return .success((scalar, 6)) }
    // A high surrogate makes one character with the low one that must follow.
    let lone = JSONSyntaxError(
      .loneSurrogate, at: start, expected: "a \\uD800 to \\uDBFF with a \\uDC00 to \\uDFFF after")
    guard first < 0xDC00, start + 7 < bytes.count, bytes[start + 6] == UInt8(ascii: "\\"),
      bytes[start + 7] == UInt8(ascii: "u")
    else { return .failure(lone) }
    guard let second = hex(bytes, at: start + 8) else { return badHex(bytes, at: start + 8) }
    guard (0xDC00...0xDFFF).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
    else { return .failure(lone) }
    return .success((scalar, 12))
  }

  private static func hex(_ bytes: UnsafeRawBufferPointer, at start: Int) -> UInt16? {
    guard start + 4 <= bytes.count else { return nil }
    var value: UInt16 = 0
    for place in start..<start + 4 {
      guard let digit = HexDigit.value(bytes[place]) else { return nil }
      value = value << 4 | UInt16(digit)
    }
    return value
  }

  private static func badHex(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Result<
    (Unicode.Scalar, Int), JSONSyntaxError
  > {
    var at = start
    while at < bytes.count, HexDigit.value(bytes[at]) != nil { at += 1 }
    let reason: JSONSyntaxError.Reason = at < bytes.count ? .unexpected : .truncated
    return .failure(JSONSyntaxError(reason, at: at, expected: "four hexadecimal digits"))
  }

  private static func slice(_ bytes: UnsafeRawBufferPointer, _ from: Int, _ to: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: bytes[from..<to])
  }

  private static func invalidUTF8(_ at: Int) -> Outcome {
    .failure(JSONSyntaxError(.invalidUTF8, at: at, expected: "UTF-8"))
  }

  private static func control(_ at: Int) -> Outcome {
    .failure(JSONSyntaxError(.unexpected, at: at, expected: "control characters to be escaped"))
  }

  private static func unterminated(_ at: Int) -> Outcome {
    .failure(JSONSyntaxError(.truncated, at: at, expected: "a closing quote"))
  }
}

enum HexDigit {
  static func value(_ byte: UInt8) -> UInt8? {
    switch byte {
    case 0x30...0x39: byte - 0x30
    case 0x41...0x46: byte - 0x41 + 10
    case 0x61...0x66: byte - 0x61 + 10
    default: nil
    }
  }
}
