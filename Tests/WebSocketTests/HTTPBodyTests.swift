import Core
import Testing

@testable import WebSocket

private func read(
  _ text: String, _ framing: HTTPBodyFraming, step: Int = .max, maxBytes: Int = 1000
) throws -> (HTTPBodyReader, Int) {
  var reader = try HTTPBodyReader(framing: framing, maxBytes: maxBytes)
  let all = bytes(text)
  var before = 0
  while before < all.count {
    let chunk = all[before..<min(all.count, before + min(step, all.count))]
    switch try chunk.withUnsafeBytes({ try reader.consume($0) }) {
    case .needMore: before += chunk.count
    case .complete(let consumed): return (reader, before + consumed)
    }
  }
  return (reader, before)
}

private func response(_ status: Int, _ fields: HeaderField...) -> HTTPResponseHead {
  HTTPResponseHead(status: status, headers: HTTPHeaders(fields))
}

@Suite struct HTTPBodyTests {
  let chunked = "4\r\nWiki\r\n006;x=y\r\npedia \r\nE\r\nin \r\n\r\nchunks.\r\n0\r\nTrailer: a\r\n\r\nREST"

  @Test(arguments: [1, 2, 3, 5, 1000])
  func readsCountedAndChunkedBodiesHoweverTheyAreCut(step: Int) throws {
    let (counted, end) = try read("helloREST", .length(5), step: step)
    #expect(counted.body == bytes("hello"))
    #expect(counted.isComplete)
    #expect(end == 5)
    let (reader, last) = try read(chunked, .chunked, step: step)
    #expect(reader.body == bytes("Wikipedia in \r\n\r\nchunks."))
    #expect(reader.isComplete)
    #expect(last == chunked.utf8.count - 4)
  }

  @Test func anEmptyBodyIsCompleteBeforeAnyByte() throws {
    #expect(try HTTPBodyReader(framing: .length(0)).isComplete)
  }

  @Test func aBodyUntilCloseEndsWithTheStreamAndOthersMustNot() throws {
    var (reader, _) = try read("abc", .untilClose)
    #expect(!reader.isComplete)
    try reader.endOfStream()
    #expect(reader.isComplete)
    #expect(reader.body == bytes("abc"))
    var (counted, _) = try read("abc", .length(5))
    #expect(throws: HTTPError.truncatedBody(received: 3)) { try counted.endOfStream() }
    var (chunks, _) = try read("3\r\nabc\r\n", .chunked)
    #expect(throws: HTTPError.truncatedBody(received: 3)) { try chunks.endOfStream() }
  }

  @Test(
    arguments: [
      ("x\r\n", HTTPError.malformedChunkSize("\"x\"")), ("\r\n", .malformedChunkSize("\"\"")),
      (" 4\r\n", .malformedChunkSize("\" 4\"")), ("-4\r\n", .malformedChunkSize("\"-4\"")),
      ("0x4\r\n", .malformedChunkSize("\"0x4\"")), ("4\nWiki", .bareLineFeed), ("4\rW", .bareCarriageReturn),
      ("4\r\nWikiX", .malformedChunkEnd), ("4\r\nWiki\rX", .malformedChunkEnd),
      ("FFFFFFFFFFFFFFFFF\r\n", .bodyTooLarge(limit: 1000)), ("3E9\r\n", .bodyTooLarge(limit: 1000)),
    ])
  func refusesMalformedChunks(text: String, expected: HTTPError) {
    #expect(throws: expected) { try read(text, .chunked) }
  }

  @Test func capsEveryKindOfBody() throws {
    #expect(throws: HTTPError.bodyTooLarge(limit: 4)) { try read("", .length(5), maxBytes: 4) }
    #expect(throws: HTTPError.bodyTooLarge(limit: 4)) { try read("abcde", .untilClose, maxBytes: 4) }
    #expect(throws: HTTPError.bodyTooLarge(limit: 4)) { try read("3\r\nabc\r\n2\r\nde", .chunked, maxBytes: 4) }
    let trailers = "0\r\n" + String(repeating: "A: b\r\n", count: 3000)
    #expect(throws: HTTPError.trailersTooLarge(limit: 16384)) { try read(trailers, .chunked) }
    #expect(throws: HTTPError.self) { try read("1;" + String(repeating: "x", count: 5000), .chunked) }
  }

  // RFC 9112 §6.3.
  @Test func findsTheFramingInTheHead() throws {
    #expect(try HTTPBodyFraming(of: response(200, HeaderField("Content-Length", "7")), to: "GET") == .length(7))
    #expect(try HTTPBodyFraming(of: response(200, HeaderField("Content-Length", "7")), to: "HEAD") == .length(0))
    #expect(try HTTPBodyFraming(of: response(304, HeaderField("Content-Length", "7")), to: "GET") == .length(0))
    #expect(try HTTPBodyFraming(of: response(204), to: "GET") == .length(0))
    #expect(try HTTPBodyFraming(of: response(101), to: "GET") == .length(0))
    #expect(try HTTPBodyFraming(of: response(200), to: "GET") == .untilClose)
    #expect(
      try HTTPBodyFraming(of: response(200, HeaderField("transfer-encoding", "Chunked")), to: "GET") == .chunked)
    #expect(try HTTPBodyFraming(of: HTTPRequestHead(method: "POST", target: "/")) == .length(0))
    #expect(try HTTPBodyFraming(of: response(200, HeaderField("Content-Length", "7, 7")), to: "GET") == .length(7))
  }

  @Test func refusesAmbiguousFramings() {
    func check(_ expected: HTTPError, _ fields: HeaderField...) {
      #expect(throws: expected) {
        try HTTPBodyFraming(of: HTTPResponseHead(status: 200, headers: HTTPHeaders(fields)), to: "GET")
      }
    }
    let length = HeaderField("Content-Length", "7")
    check(.contentLengthWithTransferEncoding, length, HeaderField("Transfer-Encoding", "chunked"))
    check(.conflictingContentLengths(["\"7\"", "\"8\""]), length, HeaderField("content-length", "8"))
    check(.malformedContentLength("\"+7\""), HeaderField("Content-Length", "+7"))
    check(.malformedContentLength("\"\""), HeaderField("Content-Length", ""))
    check(
      .malformedContentLength("\"99999999999999999999\""), HeaderField("Content-Length", "99999999999999999999"))
    check(.unsupportedTransferEncoding("\"gzip, chunked\""), HeaderField("Transfer-Encoding", "gzip, chunked"))
    check(.unsupportedTransferEncoding("\"\""), HeaderField("Transfer-Encoding", ""))
  }
}
