import Core
import Testing

@Suite struct SuggestionTests {
  private let words = ["transition", "propagation", "offline", "reconnects", "p99"]

  @Test(arguments: [
    ("trnsition", "transition"), ("transitoin", "transition"), ("Offline", "offline"), ("oflime", "offline"),
    ("reconects", "reconnects"), ("p9", "p99"),
  ]) func aSlipIsRecognised(slip: String, meant: String) {
    #expect(Suggestion.nearest(to: slip, among: words) == meant)
  }

  @Test(arguments: ["", "x", "latency", "transitionally", String(repeating: "p", count: 10_000)])
  func whatIsFarFromEverythingHasNoSuggestion(word: String) {
    #expect(Suggestion.nearest(to: word, among: words) == nil)
  }

  @Test func ofEquallyNearOnesTheFirstIsMeant() {
    #expect(Suggestion.nearest(to: "cat", among: ["bat", "rat"]) == "bat")
    #expect(Suggestion.nearest(to: "cat", among: ["bath", "rat", "cart"]) == "rat")
  }

  @Test func neighboursThatChangedPlacesAreOneSlip() {
    #expect(Suggestion.nearest(to: "ab", among: ["ba"]) == "ba")
  }
}
