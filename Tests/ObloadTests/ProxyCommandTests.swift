import FaultProxy
import Network
import Testing

@testable import obload

@Suite struct ProxyCommandTests {
  private func specifications(_ words: String) throws -> [ProxySet.Specification] {
    try ProxyCommand.specifications(try Arguments(words.split(separator: " ").map(String.init), for: ProxyCommand.spec))
  }

  @Test func pairsOfListenAndUpstreamMakeNamedProxies() throws {
    let one = try specifications("--listen :8080 --upstream ws://127.0.0.1:4000/api")
    #expect(one.map(\.name) == ["proxy"] && one[0].listen.description == "127.0.0.1:8080")
    #expect(one[0].upstream.description == "127.0.0.1:4000")
    let two = try specifications("--listen :1 --upstream a:1 --listen :2 --upstream b:2")
    #expect(two.map(\.name) == ["proxy-1", "proxy-2"] && two[1].upstream.description == "b:2")
    let named = try specifications("--listen :1 --upstream a:1 --name x --listen :2 --upstream b:2 --name y")
    #expect(named.map(\.name) == ["x", "y"])
    #expect(try specifications("").isEmpty)
  }

  @Test(arguments: [
    ("--listen :1", "as many"), ("--listen :1 --upstream a:1 --name x --name y", "--name"),
    ("--listen nowhere --upstream a:1", "--listen"), ("--listen :1 --upstream a", "--upstream"),
    ("--listen :1 --upstream wss://a", "TLS"),
  ])
  func whatIsWrongIsNamed(_ words: String, _ says: String) throws {
    let error = #expect(throws: UsageError.self) { _ = try specifications(words) }
    #expect(error?.description.contains(says) == true)
  }
}
