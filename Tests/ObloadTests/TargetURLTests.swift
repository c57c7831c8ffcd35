import Testing

@testable import obload

@Suite struct TargetURLTests {
  @Test(arguments: [
    ("ws://127.0.0.1:4000/api/sync", "127.0.0.1", 4000, "/api/sync", true),
    ("ws://localhost/x?y=1#frag", "localhost", 80, "/x?y=1", true),
    ("ws://[::1]:9", "::1", 9, "/", true),
    ("WS://staging.example.com?a", "staging.example.com", 80, "/?a", false),
  ])
  func aURLIsTakenApart(text: String, host: String, port: Int, target: String, isLoopback: Bool) throws {
    let url = try TargetURL.parse(text).get()
    #expect(url.host == host)
    #expect(url.port == UInt16(port))
    #expect(url.target == target)
    #expect(url.isLoopback == isLoopback)
  }

  @Test(arguments: [
    ("127.0.0.1:4000", "\"127.0.0.1:4000\" is not a URL"),
    ("http://x/", "the scheme of \"http://x/\" is not one of WebSocket"),
    ("wss://x/", "wss:// is not available yet"),
    ("ws:///x", "\"ws:///x\" has no host"),
    ("ws://a:b@x/", "a URL must not carry a user or password"),
    ("ws://x:0/", "\"x:0\" is not a host and port"),
    ("ws://x:70000/", "\"x:70000\" is not a host and port"),
    ("ws://x/a b", "\"ws://x/a b\" has a space or control character"),
    ("ws://x/a\r\nHost: y", "\"ws://x/a\r\nHost: y\" has a space or control character"),
  ])
  func whatIsNoTargetIsNamed(text: String, message: String) {
    #expect { try TargetURL.parse(text).get() } throws: { ($0 as? TargetURL.Mistake)?.message == message }
  }
}
