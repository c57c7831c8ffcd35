import Core
import JSON
import Protocols
import Testing

@testable import ReferenceServer

@Suite struct HTTPCallTests {
  @Test func aBearerTokenAuthenticates() {
    let bench = HubBench()
    let body = #"{"path":"me:get","args":{}}"#
    let good = bench.http(.query, body, authorization: "Bearer ok-alice")
    #expect(good.status == 200)
    #expect(good.body["ok"] == true)
    #expect(good.body["value"]?["subject"] == "alice")
    #expect(bench.http(.query, body, authorization: "bearer  ok-bob ").body["value"]?["subject"] == "bob")
    #expect(bench.http(.query, body).body["value"] == .null)
  }

  @Test func aBadTokenIsUnauthorized() {
    let bench = HubBench()
    for header in ["Bearer nonsense", "Bearer", "Basic abc", "", "Bearer ended-x"] {
      let answer = bench.http(.query, #"{"path":"me:get"}"#, authorization: header)
      #expect(answer.status == 401)
      #expect(answer.body["ok"] == false)
    }
    #expect(bench.http(.query, #"{"path":"me:get"}"#, authorization: "Bearer flaky-1-x").status == 503)
    #expect(bench.http(.query, #"{"path":"me:get"}"#, authorization: "Bearer flaky-1-x").status == 200)
  }

  @Test func aMutationOverHTTPReachesSubscribers() {
    let bench = HubBench()
    let slot = bench.connect()
    bench.subscribe(slot, 1, "notes:list")
    _ = bench.take(slot)
    let answer = bench.http(.mutation, #"{"path":"notes:add","args":{"text":"Hi"}}"#)
    #expect(answer.body == ["ok": true, "value": "n0-1"])
    #expect(bench.takeValue(slot)?.texts == ["Hi"])
  }

  @Test func errorsOfFunctionsComeInTheBody() {
    let bench = HubBench()
    let answer = bench.http(.action, #"{"path":"errors:convex","args":{}}"#)
    #expect(answer.status == 200)
    #expect(answer.body["error"] == "Refused on purpose")
    #expect(answer.body["data"]?["code"] == "refused")
  }

  @Test(arguments: ["", "nonsense", "[]", "{}", #"{"path":5}"#, #"{"path":"me:get","args":[]}"#])
  func aBodyThatIsNoCallIsABadRequest(body: String) {
    #expect(HubBench().http(.query, body).status == 400)
  }
}
