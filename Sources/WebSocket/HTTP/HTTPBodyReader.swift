/// Collects one HTTP body from a byte stream, however it is cut, up to a size.
public struct HTTPBodyReader: Sendable {
  /// What became of the bytes given; `consumed` counts those of this call, the rest belongs to what follows the body.
  public enum Progress: Equatable, Sendable {
    /// All bytes were taken and the body is not complete.
    case needMore
    case complete(consumed: Int)
  }

  private enum State {
    /// Bytes still to come of a counted body.
    case counted(UInt64)
    case untilClose
    /// In the line that gives a chunk's size; `line` holds what was read of it.
    case chunkSize
    /// Bytes still to come of a chunk.
    case chunk(UInt64)
    /// Between a chunk's data and the next size line: how many of CR LF were read.
    case chunkEnd(Int)
    /// In the lines after the last chunk.
    case trailers
    case complete
  }

  /// The longest size line, extensions included, and the most bytes of trailers.
  private static let maxLineBytes = 4096
  private static let maxTrailerBytes = 16 * 1024

  /// The body so far, decoded.
  public private(set) var body: [UInt8] = []
  private let maxBytes: Int
  private var state: State
  private var line: [UInt8] = []
  private var trailerBytes = 0

  /// - Parameter maxBytes: the largest body, decoded.
  /// - Throws: `bodyTooLarge` if the declared length is above it.
  public init(framing: HTTPBodyFraming, maxBytes: Int = 16 * 1024 * 1024) throws(HTTPError) {
    self.maxBytes = maxBytes
    switch framing {
    case .length(0): state = .complete
    case .length(let count):
      guard count <= UInt64(maxBytes) else { throw .bodyTooLarge(limit: maxBytes) }
      state = .counted(count)
    case .chunked: state = .chunkSize
    case .untilClose: state = .untilClose
    }
  }

  public var isComplete: Bool { if case .complete = state { true } else { false } }

  /// Takes bytes up to the end of the body.
  public mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> Progress {
    var position = 0
    while true {
      if isComplete { return .complete(consumed: position) }
      guard position < bytes.count else { return .needMore }
      switch state {
      case .complete: break
      case .counted(let left):
        let taken = try take(left, of: bytes, at: &position)
        state = taken == left ? .complete : .counted(left - taken)
      case .untilClose:
        _ = try take(.max, of: bytes, at: &position)
      case .chunk(let left):
        let taken = try take(left, of: bytes, at: &position)
        state = taken == left ? .chunkEnd(0) : .chunk(left - taken)
      case .chunkEnd(let seen):
        guard bytes[position] == (seen == 0 ? ASCII.carriageReturn : ASCII.lineFeed) else { throw .malformedChunkEnd }
        position += 1
        state = seen == 0 ? .chunkEnd(1) : .chunkSize
      case .chunkSize:
        guard let size = try readLine(bytes, at: &position) else { continue }
        try beginChunk(size)
      case .trailers:
        let before = position
        let trailer = try readLine(bytes, at: &position)
        trailerBytes += position - before
        if trailerBytes > Self.maxTrailerBytes { throw .trailersTooLarge(limit: Self.maxTrailerBytes) }
        if let trailer, trailer.isEmpty { state = .complete }
      }
    }
  }

  /// Call when the stream ends: completes a body that lasts until then, and is an error within any other.
  public mutating func endOfStream() throws(HTTPError) {
    switch state {
    case .complete: return
    case .untilClose: state = .complete
    default: throw .truncatedBody(received: body.count)
    }
  }

  private mutating func take(
    _ wanted: UInt64, of bytes: UnsafeRawBufferPointer, at position: inout Int
  ) throws(HTTPError) -> UInt64 {
    let count = Int(min(wanted, UInt64(bytes.count - position)))
    guard count <= maxBytes - body.count else { throw .bodyTooLarge(limit: maxBytes) }
    body.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[position..<position + count]))
    position += count
    return UInt64(count)
  }

  /// A line without its CR LF, once it is whole.
  private mutating func readLine(
    _ bytes: UnsafeRawBufferPointer, at position: inout Int
  ) throws(HTTPError) -> [UInt8]? {
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      let afterReturn = line.last == ASCII.carriageReturn
      if afterReturn != (byte == ASCII.lineFeed) { throw afterReturn ? .bareCarriageReturn : .bareLineFeed }
      if afterReturn {
        defer { line = [] }
        return Array(line.dropLast())
      }
      guard line.count < Self.maxLineBytes else { throw .malformedChunkSize(ASCII.quoted(line)) }
      line.append(byte)
    }
    return nil
  }

  private mutating func beginChunk(_ sizeLine: [UInt8]) throws(HTTPError) {
    // Extensions after a semicolon are ignored (RFC 9112 §7.1.1).
    let digits = ASCII.trimmed(sizeLine.prefix { $0 != UInt8(ascii: ";") })
    guard !digits.isEmpty, sizeLine.first.map(ASCII.isBlank) == false else {
      throw .malformedChunkSize(ASCII.quoted(sizeLine))
    }
    var size: UInt64 = 0
    for digit in digits {
      guard let value = ASCII.hexDigit(digit) else { throw .malformedChunkSize(ASCII.quoted(sizeLine)) }
      guard size >> 60 == 0 else { throw .bodyTooLarge(limit: maxBytes) }
      size = size << 4 | UInt64(value)
    }
    guard size <= UInt64(maxBytes - body.count) else { throw .bodyTooLarge(limit: maxBytes) }
    state = size == 0 ? .trailers : .chunk(size)
  }
}
