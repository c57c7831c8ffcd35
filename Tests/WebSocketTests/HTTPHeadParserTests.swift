import Core
import Testing

@testable import WebSocket

/// Feeds `text` in chunks of `step` bytes; the result and how many bytes of the whole were consumed.
private func parse(
  _ text: String, _ kind: HTTPHeadParser.Kind, step: Int = .max, maxBytes: Int = 65536, maxFields: Int = 128
) throws(HTTPError) -> (HTTPHeadParser.Progress, Int) {
  var parser = HTTPHeadParser(kind: kind, maxBytes: maxBytes, maxFields: maxFields)
  var before = 0
  let all = bytes(text)
  while before < all.count {
    let chunk = Array(all[before..<min(all.count, before + min(step, all.count))])
    var outcome: Result<HTTPHeadParser.Progress, HTTPError> = .success(.needMore)
    chunk.withUnsafeBytes { raw in
      do throws(HTTPError) { outcome = .success(try parser.consume(raw)) } catch { outcome = .failure(error) }
    }
    let progress = try outcome.get()
    switch progress {
    case .needMore: before += chunk.count
    case .request(_, let consumed), .response(_, let consumed): return (progress, before + consumed)
    }
  }
  return (.needMore, before)
}

private func error(of text: String, _ kind: HTTPHeadParser.Kind, maxBytes: Int = 65536, maxFields: Int = 128)
  -> HTTPError?
{
  do throws(HTTPError) {
    _ = try parse(text, kind, maxBytes: maxBytes, maxFields: maxFields)
    return nil
  } catch { return error }
}

@Suite struct HTTPHeadParserTests {
  let request = "GET /chat?x=1 HTTP/1.1\r\nHost: server.example.com\r\nX-Empty:\r\nAccept: \t a, b \t\r\n\r\nREST"

  @Test(arguments: [1, 2, 3, 7, 64, 1000])
  func readsARequestHoweverItIsCutAndLeavesWhatFollows(step: Int) throws {
    let (progress, consumed) = try parse(request, .request, step: step)
    guard case .request(let head, _) = progress else { return #expect(Bool(false), "no head") }
    #expect(head.method == "GET")
    #expect(head.target == "/chat?x=1")
    #expect(
      head.headers.fields == [
        HeaderField("Host", "server.example.com"), HeaderField("X-Empty", ""), HeaderField("Accept", "a, b"),
      ])
    #expect(consumed == request.utf8.count - 4)
  }

  @Test func readsAResponse() throws {
    let (progress, _) = try parse("HTTP/1.1 429 Too Many Requests\r\nRetry-After: 7\r\n\r\n", .response)
    guard case .response(let head, let consumed) = progress else { return #expect(Bool(false), "no head") }
    #expect(head.status == 429)
    #expect(head.reason == "Too Many Requests")
    #expect(head.headers.first("retry-after") == "7")
    #expect(consumed == 50)
  }

  @Test(arguments: ["HTTP/1.1 200 \r\n\r\n", "HTTP/1.1 200\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"])
  func acceptsAResponseWithoutReasonAndOneOfHTTP10(text: String) throws {
    let (progress, _) = try parse(text, .response)
    guard case .response(let head, _) = progress else { return #expect(Bool(false), "no head") }
    #expect(head.status == 200)
    #expect(head.minorVersion == (text.contains("1.0") ? 0 : 1))
  }

  @Test func writesWhatItReads() throws {
    let head = HTTPRequestHead(
      method: "POST", target: "/a", headers: HTTPHeaders([HeaderField("A", "1"), HeaderField("a", "2")]))
    #expect(head.serialize() == bytes("POST /a HTTP/1.1\r\nA: 1\r\na: 2\r\n\r\n"))
    let response = HTTPResponseHead(status: 503, headers: HTTPHeaders([HeaderField("Retry-After", "1")]))
    #expect(response.serialize() == bytes("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\n\r\n"))
    #expect(
      try parse(String(decoding: head.serialize(), as: UTF8.self), .request).0 == .request(head, consumed: 32))
  }

  @Test func readsOneHeadAfterAnotherWithOneParser() throws {
    var parser = HTTPHeadParser(kind: .response)
    let all = bytes("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n")
    let first = try all.withUnsafeBytes { try parser.consume($0) }
    #expect(first == .response(HTTPResponseHead(status: 100), consumed: 25))
    #expect(parser.isAtBoundary)
    let second = try all[25...].withUnsafeBytes { try parser.consume($0) }
    #expect(second == .response(HTTPResponseHead(status: 204), consumed: 27))
  }

  @Test func skipsOneEmptyLineBeforeARequest() throws {
    let (progress, consumed) = try parse("\r\nGET / HTTP/1.1\r\n\r\n", .request, step: 1)
    #expect(progress == .request(HTTPRequestHead(method: "GET", target: "/"), consumed: 1))
    #expect(consumed == 20)
    #expect(error(of: "\r\n\r\n", .request) == .malformedRequestLine("\"\""))
    #expect(error(of: "\r\n", .response) == .malformedStatusLine("\"\""))
  }

  @Test(
    arguments: [
      ("GET / HTTP/1.1\nHost: a\r\n\r\n", HTTPError.bareLineFeed),
      ("GET / HTTP/1.1\r\nHost: a\n\r\n", .bareLineFeed),
      ("GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n", .bareCarriageReturn),
      ("GET / HTTP/1.1\r\r\n", .bareCarriageReturn),
      ("GET / HTTP/1.1\r\nHost : a\r\n\r\n", .whitespaceBeforeColon("\"Host \"")),
      ("GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n", .foldedField),
      ("GET / HTTP/1.1\r\n\tA: b\r\n\r\n", .foldedField),
      ("GET / HTTP/1.1\r\nnonsense\r\n\r\n", .missingColon("\"nonsense\"")),
      ("GET / HTTP/1.1\r\n: v\r\n\r\n", .malformedFieldName("\"\"")),
      ("GET / HTTP/1.1\r\nA B: v\r\n\r\n", .malformedFieldName("\"A B\"")),
      ("GET / HTTP/1.1\r\nA: v\0w\r\n\r\n", .illegalByte(0, field: "A")),
      ("GET / HTTP/2.0\r\n\r\n", .unsupportedVersion("\"HTTP/2.0\"")),
      ("GET / HTTP/1.12\r\n\r\n", .unsupportedVersion("\"HTTP/1.12\"")),
      ("GET / http/1.1\r\n\r\n", .unsupportedVersion("\"http/1.1\"")),
      ("GET  / HTTP/1.1\r\n\r\n", .malformedRequestLine("\"GET  / HTTP/1.1\"")),
      ("GET / \r\n\r\n", .unsupportedVersion("\"\"")),
      ("GET /\r\n\r\n", .malformedRequestLine("\"GET /\"")),
      ("G(T / HTTP/1.1\r\n\r\n", .malformedRequestLine("\"G(T / HTTP/1.1\"")),
      ("GET /\u{1} HTTP/1.1\r\n\r\n", .malformedRequestLine("\"GET /? HTTP/1.1\"")),
    ])
  func refusesARequestThatCouldBeReadInTwoWays(text: String, expected: HTTPError) {
    #expect(error(of: text, .request) == expected)
  }

  @Test(
    arguments: [
      ("HTTP/1.1 20 OK\r\n\r\n", HTTPError.malformedStatusLine("\"HTTP/1.1 20 OK\"")),
      ("HTTP/1.1 2000 OK\r\n\r\n", .malformedStatusLine("\"HTTP/1.1 2000 OK\"")),
      ("HTTP/1.1 099 OK\r\n\r\n", .malformedStatusLine("\"HTTP/1.1 099 OK\"")),
      ("HTTP/1.1\r\n\r\n", .malformedStatusLine("\"HTTP/1.1\"")),
      ("SSH-2.0-x y\r\n\r\n", .unsupportedVersion("\"SSH-2.0-x\"")),
    ])
  func refusesAResponseThatIsNone(text: String, expected: HTTPError) {
    #expect(error(of: text, .response) == expected)
  }

  @Test func capsTheHeadInBytesAndInFields() {
    let head = "GET / HTTP/1.1\r\nA: b\r\n\r\n"
    #expect(error(of: head, .request, maxBytes: 24) == nil)
    #expect(error(of: head, .request, maxBytes: 23) == .headTooLarge(limit: 23))
    let three = "GET / HTTP/1.1\r\nA: b\r\nA: b\r\nA: b\r\n\r\n"
    #expect(error(of: three, .request, maxFields: 3) == nil)
    #expect(error(of: three, .request, maxFields: 2) == .tooManyFields(limit: 2))
    #expect(error(of: String(repeating: "x", count: 70_000), .request) == .headTooLarge(limit: 65536))
  }

  @Test func tellsWhereAStreamEndedWithinAHead() throws {
    var parser = HTTPHeadParser(kind: .response)
    try parser.endOfStream()
    _ = try bytes("HTTP/1.1 2").withUnsafeBytes { try parser.consume($0) }
    #expect(throws: HTTPError.truncatedHead(received: 10)) { try parser.endOfStream() }
  }

  @Test func randomBytesNeverCrashIt() {
    var random = SeededRandom(seed: 1, purpose: .test)
    let alphabet = bytes("GET / HTTP/1.1\r\n\r\n: \t\0\u{7F}é")
    for _ in 0..<500 {
      let text = (0..<60).map { _ in alphabet[Int(random.integer(in: 0...Int64(alphabet.count - 1)))] }
      _ = error(of: "GET / HTTP/1.1\r\n" + String(decoding: text, as: UTF8.self) + "\r\n\r\n", .request)
      _ = error(of: "HTTP/1.1 " + String(decoding: text, as: UTF8.self) + "\r\n\r\n", .response)
    }
  }
}
