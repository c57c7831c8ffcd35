/// Objects, arrays and values, and how reading goes on after a mistake.
extension LocatedReader {
  /// A value, and whether what follows can be read on as usual; after one that is not clean, the rest up to the next
  /// comma or bracket is skipped in silence.
  typealias Read = (value: LocatedValue, isClean: Bool)

  mutating func value(depth: Int, after key: String?) -> Read {
    let start = location(at)
    let invalid = LocatedValue(.invalid, at: start)
    guard let byte = peek else {
      if !reportedEnd {
        report(at, key.map { "the file ends after \"\($0):\"" } ?? "the file ends", expected: "a value")
        reportedEnd = true
      }
      return (invalid, false)
    }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["):
      guard depth < limits.depth else {
        report(at, "values are nested too deep here", expected: "at most \(limits.depth) levels")
        return (invalid, false)
      }
      return (byte == UInt8(ascii: "{") ? object(depth: depth + 1) : array(depth: depth + 1), true)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let (text, isClean) = quoted()
      return (LocatedValue(.string(text), at: start), isClean)
    default: break
    }
    let end = tokenEnd()
    guard end > at else {
      report(at, "\(found()) where a value should be" + (key.map { " after \"\($0):\"" } ?? ""), expected: "a value")
      return (invalid, false)
    }
    let token = String(decoding: bytes[at..<end], as: UTF8.self)
    let kind = scalarKind(token)
    at = max(at, end)
    return (LocatedValue(kind, at: start), kind != .invalid)
  }

  private mutating func object(depth: Int) -> LocatedValue {
    let opened = location(at)
    at += 1
    var members: [LocatedMember] = []
    var places: [ExactKey: SourceLocation] = [:]
    reading: while true {
      skipBlank()
      switch peek {
      case nil:
        reportUnclosed("object", opened: opened, closing: "\"}\"")
        break reading
      case UInt8(ascii: "}"):
        at += 1
        break reading
      case UInt8(ascii: "]"):
        report(at, "\"]\" in the object that starts at \(opened)", expected: "\"}\"")
        // Taken for the end of the array around, if there is one; a file's own value is most likely an object.
        if depth > 1 { break reading }
        at += 1
      case UInt8(ascii: ","):
        report(at, "\",\" where a key should be", expected: "a key or \"}\"")
        at += 1
      default:
        guard let member = member(depth: depth) else { continue }
        if let first = places[ExactKey(member.key)] {
          report(
            at: member.keyLocation, "the key \(Excerpt.quoted(member.key)) is already there, at \(first)",
            expected: "each key once")
        } else {
          places[ExactKey(member.key)] = member.keyLocation
          members.append(member)
        }
      }
    }
    return LocatedValue(.object(members), at: opened)
  }

  /// A key, its value and the comma after it. Nil after a mistake that leaves no member.
  private mutating func member(depth: Int) -> LocatedMember? {
    let keyLocation = location(at)
    guard let key = key() else {
      recover(inObject: true)
      return nil
    }
    skipBlank()
    if peek == UInt8(ascii: ":") {
      at += 1
    } else {
      report(at, "\(found()) after the key \(Excerpt.quoted(key))", expected: "\":\"")
      if peek == UInt8(ascii: "=") { at += 1 }
      guard startsValue else {
        recover(inObject: true)
        return LocatedMember(key: key, keyLocation: keyLocation, value: LocatedValue(.invalid, at: keyLocation))
      }
    }
    skipBlank()
    let (value, isClean) = value(depth: depth, after: Excerpt.of(key))
    separator(inObject: true, after: "the value of \(Excerpt.quoted(key))", isClean: isClean)
    return LocatedMember(key: key, keyLocation: keyLocation, value: value)
  }

  private var startsValue: Bool {
    var ahead = self
    ahead.isSilent = true
    ahead.skipBlank()
    guard let byte = ahead.peek else { return false }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "\""), UInt8(ascii: "'"): return true
    case 0x30...0x39, UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."): return true
    default:
      let word = String(decoding: bytes[ahead.at..<ahead.tokenEnd()], as: UTF8.self)
      return ["true", "false", "null"].contains(word)
    }
  }

  private mutating func array(depth: Int) -> LocatedValue {
    let opened = location(at)
    at += 1
    var elements: [LocatedValue] = []
    reading: while true {
      skipBlank()
      switch peek {
      case nil:
        reportUnclosed("array", opened: opened, closing: "\"]\"")
        break reading
      case UInt8(ascii: "]"):
        at += 1
        break reading
      case UInt8(ascii: "}"):
        report(at, "\"}\" in the array that starts at \(opened)", expected: "\"]\"")
        if depth > 1 { break reading }
        at += 1
      case UInt8(ascii: ","):
        report(at, "\",\" where a value should be", expected: "a value or \"]\"")
        at += 1
      default:
        let (value, isClean) = value(depth: depth, after: nil)
        elements.append(value)
        separator(inObject: false, after: "a value", isClean: isClean)
      }
    }
    return LocatedValue(.array(elements), at: opened)
  }

  /// Takes the comma after a member or element; a closing bracket is left to the caller.
  private mutating func separator(inObject: Bool, after what: String, isClean: Bool) {
    let crossed = skipBlank()
    switch peek {
    case UInt8(ascii: ","): at += 1
    case nil, UInt8(ascii: "}"), UInt8(ascii: "]"): break
    default:
      let nextFollows = inObject ? looksLikeMember : startsValue
      if isClean { report(at, "\(found()) after \(what)", expected: inObject ? "\",\" or \"}\"" : "\",\" or \"]\"") }
      // A comma was forgotten, or what is wrong ended with its line: what follows is read as usual.
      if nextFollows, isClean || crossed { return }
      recover(inObject: inObject)
    }
  }

  /// Whether a key and a colon stand at the cursor.
  private var looksLikeMember: Bool {
    var ahead = self
    ahead.isSilent = true
    guard ahead.key() != nil else { return false }
    ahead.skipBlank()
    return ahead.peek == UInt8(ascii: ":")
  }

  /// Skips past the next comma at this level, or to its closing bracket, or to a line that starts with a member.
  private mutating func recover(inObject: Bool) {
    var nesting = 0
    while let byte = peek {
      switch byte {
      case UInt8(ascii: ","):
        at += 1
        if nesting == 0 { return }
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        nesting += 1
        at += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if nesting == 0 { return }
        nesting -= 1
        at += 1
      case UInt8(ascii: "\""), UInt8(ascii: "'"): skipQuoted(byte)
      case 0x0A, 0x0D, UInt8(ascii: "/"):
        let before = at
        let crossed = skipBlank()
        if at == before { at += 1 }
        if nesting == 0, inObject, crossed, looksLikeMember { return }
      default: at += 1
      }
    }
  }

  private mutating func skipQuoted(_ quote: UInt8) {
    at += 1
    while let byte = peek, byte != 0x0A, byte != 0x0D {
      at += byte == UInt8(ascii: "\\") ? 2 : 1
      if byte == quote { return }
    }
    at = min(at, bytes.count)
  }
}
