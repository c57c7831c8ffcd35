import Core
import JSON

/// The versions of the Phoenix serializer: what a message looks like around its payload.
public enum PalbaseVersion: UInt8, CaseIterable, Hashable, Sendable {
  /// `{"topic":…,"event":…,"payload":…,"ref":…}`; `vsn=1.0.0`.
  case object = 1
  /// `[join_ref, ref, topic, event, payload]`; `vsn=2.0.0`.
  case array = 2
}

/// Where the parts of a message stand, in either version; found by the one scan of its top level.
public struct PalbaseEnvelope: Hashable, Sendable {
  /// Told by the message's first byte.
  public var version: PalbaseVersion
  /// Nil where absent or null.
  public var joinRef: ScannedElement?
  /// Nil where absent or null.
  public var ref: ScannedElement?
  /// A string, with its quotes.
  public var topic: ByteRange
  /// A string, with its quotes.
  public var event: ByteRange
  /// Nil where absent.
  public var payload: ScannedElement?

  /// Nil for what is no message in either version.
  public init?(_ bytes: UnsafeRawBufferPointer) {
    var parts = Parts()
    guard let first = bytes.first(where: { $0 > 0x20 }) else { return nil }
    let result: ScanResult
    if first == UInt8(ascii: "[") {
      version = .array
      var place = 0
      result = TopLevelScanner.scanArray(bytes) { element in
        parts.take(element, at: place)
        place &+= 1
      }
      guard place >= 5 else { return nil }
    } else {
      version = .object
      result = TopLevelScanner.scanObject(bytes) { parts.take($0, bytes) }
    }
    guard result == .ok, let topic = parts.topic, topic.kind == .string, let event = parts.event, event.kind == .string
    else { return nil }
    joinRef = parts.joinRef.flatMap { $0.kind == .null ? nil : $0 }
    ref = parts.ref.flatMap { $0.kind == .null ? nil : $0 }
    self.topic = topic.value
    self.event = event.value
    payload = parts.payload
  }

  /// The members or elements as they were found; the last of a repeated key counts.
  private struct Parts {
    var joinRef: ScannedElement?
    var ref: ScannedElement?
    var topic: ScannedElement?
    var event: ScannedElement?
    var payload: ScannedElement?

    mutating func take(_ element: ScannedElement, at place: Int) {
      switch place {
      case 0: joinRef = element
      case 1: ref = element
      case 2: topic = element
      case 3: event = element
      case 4: payload = element
      default: break
      }
    }

    mutating func take(_ member: ScannedMember, _ bytes: UnsafeRawBufferPointer) {
      let key = bytes[member.key]
      let value = ScannedElement(value: member.value, kind: member.kind)
      if JSONText.equals(key, "topic") {
        topic = value
      } else if JSONText.equals(key, "event") {
        event = value
      } else if JSONText.equals(key, "payload") {
        payload = value
      } else if JSONText.equals(key, "ref") {
        ref = value
      } else if JSONText.equals(key, "join_ref") {
        joinRef = value
      }
    }
  }
}
