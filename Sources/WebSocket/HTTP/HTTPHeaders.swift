import Core

/// The header fields of an HTTP message, in the order written; names compare without regard to case.
public struct HTTPHeaders: Hashable, Sendable {
  /// The fields as they stand in the head.
  public var fields: [HeaderField]

  public init(_ fields: [HeaderField] = []) { self.fields = fields }

  /// The value of the first field of this name.
  public func first(_ name: String) -> String? { fields.first { ASCII.equalIgnoringCase($0.name, name) }?.value }

  /// The values of all fields of this name, in order.
  public func all(_ name: String) -> [String] {
    fields.filter { ASCII.equalIgnoringCase($0.name, name) }.map(\.value)
  }

  /// The members of the comma lists of all fields of this name, trimmed, empty ones left out (RFC 9110 §5.6.1).
  public func tokens(_ name: String) -> [String] {
    all(name).flatMap { value in
      Array(value.utf8).split(separator: UInt8(ascii: ",")).map { ASCII.trimmed($0) }.filter { !$0.isEmpty }
        .map { String(decoding: $0, as: UTF8.self) }
    }
  }

  /// Whether a comma list of this name has `token` as a member, without regard to case.
  public func containsToken(_ name: String, _ token: String) -> Bool {
    tokens(name).contains { ASCII.equalIgnoringCase($0, token) }
  }

  /// Puts one field in place of all of this name: where the first one stood, else at the end.
  public mutating func set(_ name: String, _ value: String) {
    guard let index = fields.firstIndex(where: { ASCII.equalIgnoringCase($0.name, name) }) else {
      return append(name, value)
    }
    fields[index] = HeaderField(name, value)
    let rest = fields[(index + 1)...].filter { !ASCII.equalIgnoringCase($0.name, name) }
    fields.replaceSubrange((index + 1)..., with: rest)
  }

  /// Removes all fields of this name.
  public mutating func remove(_ name: String) { fields.removeAll { ASCII.equalIgnoringCase($0.name, name) } }

  /// Adds a field at the end.
  public mutating func append(_ name: String, _ value: String) { fields.append(HeaderField(name, value)) }

  /// What keeps `name: value` from being a header field, for people who write one; nil if it is fine.
  public static func mistake(name: String, value: String) -> String? {
    if !ASCII.isToken(Array(name.utf8)) {
      return "header name \(ASCII.quoted(Array(name.utf8))) must be letters, digits or one of !#$%&'*+-.^_`|~"
    }
    if !value.utf8.allSatisfy(ASCII.isFieldValue) {
      return "the value of header \(name) holds a control character; write it on one line"
    }
    return nil
  }

  /// Appends the fields and the empty line. Bytes that would begin another line or field are written as a space in
  /// values and as `_` in names, so no value can smuggle a field in; `mistake(name:value:)` tells people beforehand.
  func serialize(into out: inout [UInt8]) {
    for field in fields {
      out.append(contentsOf: field.name.utf8.map { ASCII.isToken($0) ? $0 : UInt8(ascii: "_") })
      out.append(contentsOf: [UInt8(ascii: ":"), ASCII.space])
      out.append(contentsOf: field.value.utf8.map { ASCII.isFieldValue($0) ? $0 : ASCII.space })
      out.append(contentsOf: [ASCII.carriageReturn, ASCII.lineFeed])
    }
    out.append(contentsOf: [ASCII.carriageReturn, ASCII.lineFeed])
  }
}
