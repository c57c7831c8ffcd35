import WebSocket

/// An HTTP head on its way: the parser, and the bytes as they came, which wait until the head is whole.
final class HeadReader {
  var parser: HTTPHeadParser
  var raw: [UInt8] = []

  init(_ kind: HTTPHeadParser.Kind, maxBytes: Int) { parser = HTTPHeadParser(kind: kind, maxBytes: maxBytes) }
}
