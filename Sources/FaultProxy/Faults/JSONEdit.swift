import Core
public import JSON

/// One change to a JSON text, which leaves every other byte as it is.
public struct JSONEdit: Hashable, Sendable {
  static let expectedPath = "names with dots between them, such as \"value.count\"; a number counts in an array"

  /// From the outside in; a number is a place in an array.
  public let path: [String]
  /// What is put there; nil: it is taken out.
  public let value: JSONValue?

  /// - `path`: such as `value.count` or `4.status`. Nil for one with an empty name in it.
  public init?(path: String, value: JSONValue?) {
    let names = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !names.contains(""), names.count <= TopLevelScanner.deepest else { return nil }
    self.path = names
    self.value = value
  }

  /// Does it where the path leads somewhere: a member that is missing is added to its object; an element that is missing
  /// is not.
  public func apply(to text: inout [UInt8]) {
    guard let change = text.withUnsafeBytes({ change(in: $0) }) else { return }
    text.replaceSubrange(change.range, with: change.bytes)
  }

  private struct Change {
    var range: Range<Int>
    var bytes: [UInt8]
  }

  /// A member's or an element's place, and those of its neighbours.
  private struct Place {
    /// With the key.
    var whole: Range<Int>
    var value: ByteRange
    /// Where the one before it ends; nil for the first.
    var before: Int?
    /// Where the one behind it begins; nil for the last.
    var next: Int?
  }

  private func change(in bytes: UnsafeRawBufferPointer) -> Change? {
    var range = ByteRange(0, bytes.count)
    guard bytes.count < Int(UInt32.max) else { return nil }
    for name in path.dropLast() {
      guard let found = find(name, in: range, bytes)?.place else { return nil }
      range = found.value
    }
    guard let name = path.last, let found = find(name, in: range, bytes) else { return nil }
    guard let value else { return found.place.map { Change(range: Self.hole($0), bytes: []) } }
    if let place = found.place { return Change(range: place.value.range, bytes: value.encoded()) }
    guard found.isObject else { return nil }
    var member: [UInt8] = found.isEmpty ? [] : [UInt8(ascii: ",")]
    JSONText.appendString(name, to: &member)
    member.append(UInt8(ascii: ":"))
    value.write(into: &member)
    return Change(range: found.end..<found.end, bytes: member)
  }

  /// What goes with a member that goes: the comma behind it, or before it for the last.
  private static func hole(_ place: Place) -> Range<Int> {
    if let next = place.next { return place.whole.lowerBound..<next }
    return (place.before ?? place.whole.lowerBound)..<place.whole.upperBound
  }

  private func find(
    _ name: String, in range: ByteRange, _ bytes: UnsafeRawBufferPointer
  ) -> (place: Place?, isObject: Bool, isEmpty: Bool, end: Int)? {
    var place: Place?
    var last: Int?
    var awaitsNext = false
    func take(_ whole: Range<Int>, _ value: ByteRange, isWanted: Bool) {
      if awaitsNext {
        place?.next = whole.lowerBound
        awaitsNext = false
      }
      // Of a repeated key the last counts, as for readers.
      if isWanted {
        place = Place(whole: whole, value: value, before: last, next: nil)
        awaitsNext = true
      }
      last = whole.upperBound
    }
    if TopLevelScanner.scanObject(
      bytes, in: range,
      { member in
        take(
          Int(member.key.lower)..<Int(member.value.upper), member.value,
          isWanted: JSONText.string(of: bytes[member.key]) == name)
      }) == .ok
    {
      return (place, true, last == nil, Self.closing(range, bytes))
    }
    (place, last, awaitsNext) = (nil, nil, false)
    var position = 0
    let wanted = Int(name)
    guard
      TopLevelScanner.scanArray(
        bytes, in: range,
        { element in
          take(element.value.range, element.value, isWanted: position == wanted)
          position += 1
        }) == .ok
    else { return nil }
    return (place, false, last == nil, Self.closing(range, bytes))
  }

  /// Where the closing bracket stands.
  private static func closing(_ range: ByteRange, _ bytes: UnsafeRawBufferPointer) -> Int {
    var at = Int(range.upper) - 1
    while at > Int(range.lower), bytes[at] != UInt8(ascii: "}"), bytes[at] != UInt8(ascii: "]") { at -= 1 }
    return at
  }
}
