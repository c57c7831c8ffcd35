import Core

/// Reads one HTTP/1.x head after another from a byte stream, however it is cut, and refuses what could be read in two ways.
///
/// Values that are not UTF-8 come out with U+FFFD in place of what is not. After an error the parser is of no further use.
public struct HTTPHeadParser: Sendable {
  public enum Kind: Sendable { case request, response }

  /// What became of the bytes given; `consumed` counts those of this call, the rest belongs to what follows the head.
  public enum Progress: Equatable, Sendable {
    /// All bytes were taken and the head is not complete.
    case needMore
    case request(HTTPRequestHead, consumed: Int)
    case response(HTTPResponseHead, consumed: Int)
  }

  private let kind: Kind
  private let maxBytes: Int
  private let maxFields: Int
  private var head: [UInt8] = []
  /// Where the line being read begins in `head`.
  private var lineStart = 0
  private var lines = 0

  /// - Parameters:
  ///   - maxBytes: the largest head, empty line included.
  ///   - maxFields: the most header fields.
  public init(kind: Kind, maxBytes: Int = 64 * 1024, maxFields: Int = 128) {
    self.kind = kind
    self.maxBytes = maxBytes
    self.maxFields = maxFields
  }

  /// True before the first byte of a head; a stream may end here.
  public var isAtBoundary: Bool { head.isEmpty }

  /// Takes bytes up to the end of a head. After a head the parser is ready for the next one.
  public mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Progress {
    for (index, byte) in bytes.enumerated() {
      guard head.count < maxBytes else { throw .headTooLarge(limit: maxBytes) }
      let afterReturn = head.last == ASCII.carriageReturn
      if afterReturn && byte != ASCII.lineFeed { throw .bareCarriageReturn }
      if !afterReturn && byte == ASCII.lineFeed { throw .bareLineFeed }
      head.append(byte)
      guard byte == ASCII.lineFeed else { continue }
      if head.count - lineStart == 2 {
        // One empty line before a request line is skipped (RFC 9112 §2.2).
        if lines == 0 && kind == .request && lineStart == 0 {
          lineStart = 2
          continue
        }
        return try finish(consumed: index + 1)
      }
      // What is no HTTP at all may never send an empty line to end its head with.
      if lines == 0 && kind == .response { _ = try Self.statusLine(head.dropLast(2)) }
      lines += 1
      if lines - 1 > maxFields { throw .tooManyFields(limit: maxFields) }
      lineStart = head.count
    }
    return .needMore
  }

  /// Call when the stream ends: an error if it ends within a head.
  public func endOfStream() throws(HTTPError) {
    if !head.isEmpty { throw .truncatedHead(received: head.count) }
  }

  private mutating func finish(consumed: Int) throws(HTTPError) -> Progress {
    let bytes = head
    head = []
    (lineStart, lines) = (0, 0)
    // Only CR LF pairs are left, so splitting at LF and dropping the CR gives the lines.
    var parts = bytes.split(separator: ASCII.lineFeed).map { $0.dropLast() }.drop { $0.isEmpty }.dropLast()
    let first = parts.popFirst() ?? []
    var headers = HTTPHeaders()
    switch kind {
    case .request:
      var result = try Self.requestLine(first)
      for line in parts { headers.fields.append(try Self.field(line)) }
      result.headers = headers
      return .request(result, consumed: consumed)
    case .response:
      var result = try Self.statusLine(first)
      for line in parts { headers.fields.append(try Self.field(line)) }
      result.headers = headers
      return .response(result, consumed: consumed)
    }
  }

  private static func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPError) -> HTTPRequestHead {
    let parts = line.split(separator: ASCII.space, omittingEmptySubsequences: false)
    guard parts.count == 3, ASCII.isToken(parts[0]), !parts[1].isEmpty, parts[1].allSatisfy({ $0 > 32 && $0 < 127 })
    else { throw .malformedRequestLine(ASCII.quoted(line)) }
    let minor = try minorVersion(parts[2])
    return HTTPRequestHead(
      method: String(decoding: parts[0], as: UTF8.self), target: String(decoding: parts[1], as: UTF8.self),
      minorVersion: minor)
  }

  private static func statusLine(_ line: ArraySlice<UInt8>) throws(HTTPError) -> HTTPResponseHead {
    let parts = line.split(separator: ASCII.space, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, line.allSatisfy(ASCII.isFieldValue) else {
      throw .malformedStatusLine(ASCII.quoted(line))
    }
    let minor = try minorVersion(parts[0])
    guard parts[1].count == 3, parts[1].allSatisfy({ $0 >= 48 && $0 <= 57 }) else {
      throw .malformedStatusLine(ASCII.quoted(line))
    }
    let status = parts[1].reduce(0) { $0 * 10 + Int($1 - 48) }
    guard status >= 100 else { throw .malformedStatusLine(ASCII.quoted(line)) }
    let reason = parts.count > 2 ? String(decoding: parts[2], as: UTF8.self) : ""
    return HTTPResponseHead(status: status, reason: reason, minorVersion: minor)
  }

  private static func minorVersion(_ text: ArraySlice<UInt8>) throws(HTTPError) -> Int {
    if text.elementsEqual("HTTP/1.1".utf8) { return 1 }
    if text.elementsEqual("HTTP/1.0".utf8) { return 0 }
    throw .unsupportedVersion(ASCII.quoted(text))
  }

  private static func field(_ line: ArraySlice<UInt8>) throws(HTTPError) -> HeaderField {
    if let first = line.first, ASCII.isBlank(first) { throw .foldedField }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .missingColon(ASCII.quoted(line)) }
    let name = line[..<colon]
    if let last = name.last, ASCII.isBlank(last) { throw .whitespaceBeforeColon(ASCII.quoted(name)) }
    guard ASCII.isToken(name) else { throw .malformedFieldName(ASCII.quoted(name)) }
    let value = ASCII.trimmed(line[(colon + 1)...])
    if let bad = value.first(where: { !ASCII.isFieldValue($0) }) {
      throw .illegalByte(bad, field: String(decoding: name, as: UTF8.self))
    }
    return HeaderField(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
  }
}
