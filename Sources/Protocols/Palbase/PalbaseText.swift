import JSON

/// Writes messages in either version of the serializer.
public enum PalbaseText {
  /// Appends a whole message. Version 1 has no place for `joinRef`.
  ///
  /// - `topic`: a JSON string with its quotes.
  /// - `payload`: appends the payload, one JSON object.
  public static func append(
    _ version: PalbaseVersion, joinRef: PalbaseRef? = nil, ref: PalbaseRef? = nil, topic: [UInt8], event: String,
    to bytes: inout [UInt8], payload: (inout [UInt8]) -> Void
  ) {
    switch version {
    case .object:
      bytes.append(json: #"{"topic":"#)
      bytes += topic
      bytes.append(json: #","event":"#)
      bytes.append(jsonString: event)
      bytes.append(json: #","payload":"#)
      payload(&bytes)
      bytes.append(json: #","ref":"#)
      append(ref, to: &bytes)
      bytes.append(json: "}")
    case .array:
      bytes.append(json: "[")
      append(joinRef, to: &bytes)
      bytes.append(json: ",")
      append(ref, to: &bytes)
      bytes.append(json: ",")
      bytes += topic
      bytes.append(json: ",")
      bytes.append(jsonString: event)
      bytes.append(json: ",")
      payload(&bytes)
      bytes.append(json: "]")
    }
  }

  /// A text as a JSON string with its quotes.
  public static func quoted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 2)
    bytes.append(jsonString: text)
    return bytes
  }

  private static func append(_ ref: PalbaseRef?, to bytes: inout [UInt8]) {
    if let ref { ref.write(into: &bytes) } else { bytes.append(json: "null") }
  }
}
