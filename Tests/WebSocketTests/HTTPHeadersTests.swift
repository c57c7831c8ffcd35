import Core
import Testing

@testable import WebSocket

@Suite struct HTTPHeadersTests {
  @Test func findsFieldsWithoutRegardToCase() {
    let headers = HTTPHeaders([HeaderField("Set-Cookie", "a"), HeaderField("X", "y"), HeaderField("set-cookie", "b")])
    #expect(headers.first("SET-COOKIE") == "a")
    #expect(headers.all("Set-cookie") == ["a", "b"])
    #expect(headers.first("Cookie") == nil)
  }

  @Test func findsTokensInCommaListsOverSeveralFields() {
    let headers = HTTPHeaders([HeaderField("Connection", "keep-alive ,\tUpgrade,"), HeaderField("connection", "x")])
    #expect(headers.containsToken("Connection", "upgrade"))
    #expect(headers.containsToken("Connection", "X"))
    #expect(!headers.containsToken("Connection", "keep"))
    #expect(headers.tokens("Connection") == ["keep-alive", "Upgrade", "x"])
  }

  @Test func setReplacesAllOfANameWhereTheFirstStood() {
    var headers = HTTPHeaders([HeaderField("A", "1"), HeaderField("B", "2"), HeaderField("a", "3")])
    headers.set("A", "4")
    #expect(headers.fields == [HeaderField("A", "4"), HeaderField("B", "2")])
    headers.set("C", "5")
    #expect(headers.fields.last == HeaderField("C", "5"))
    headers.remove("b")
    #expect(headers.fields == [HeaderField("A", "4"), HeaderField("C", "5")])
  }

  @Test func aValueCannotSmuggleAFieldIn() {
    let head = HTTPRequestHead(
      method: "GET\r\n", target: "/ HTTP/1.1\r\nX: y",
      headers: HTTPHeaders([HeaderField("A", "b\r\nEvil: yes"), HeaderField("C\r\nD", "e\0")]))
    #expect(
      String(decoding: head.serialize(), as: UTF8.self)
        == "GET__ /%20HTTP/1.1%0D%0AX:%20y HTTP/1.1\r\nA: b  Evil: yes\r\nC__D: e \r\n\r\n")
    #expect(HTTPHeaders.mistake(name: "A", value: "b\r\nEvil: yes")?.contains("one line") == true)
    #expect(HTTPHeaders.mistake(name: "A B", value: "c")?.contains("\"A B\"") == true)
    #expect(HTTPHeaders.mistake(name: "A", value: "c") == nil)
  }
}
