import Core
import Metrics
import Testing

@Suite struct BudgetParsingTests {
  private func budget(_ text: String) throws -> Budget { try Budget.parse(text).get() }

  private func error(_ text: String) -> BudgetError? {
    guard case .failure(let error) = Budget.parse(text) else { return nil }
    return error
  }

  @Test func aWholeBudgetIsTakenApart() throws {
    let budget = try budget("transition p99 < 500ms during slow")
    #expect(budget.subject.kind == .metric(.transition))
    #expect(budget.aggregate == .percentile(99))
    #expect(budget.comparison == .less)
    #expect(budget.bound == .value(500_000_000))
    #expect(budget.window == .during("slow", offset: 30))
    #expect(budget.unit == .duration)
    #expect(budget.description == "transition p99 < 500ms during slow")
  }

  @Test(arguments: [
    "transition p99 < 250ms", "transition p99 < 500ms during slow", "offline p95 < 5s",
    "reconnects per client max <= 3", "calls lost = 0 during steady", "calls lost = 0 steady", "calls late <= 3",
    "propagation.last p99.9 < 1s after storm", "propagation last max < 1s", "call service p50 < 2ms",
    "call.service mean < 2ms", "backoff attempt 3 p99 <= 8s", "backoff.scheduled attempt 1 min >= 250ms",
    "backoff p50 > 100ms", "attempts per reconnect p95 < 5", "attempts max < 6", "attempts < 5000",
    "attempts rate < 50/s after storm", "calls failed share < 1%", "calls lost share < 0.01", "messages rate > 100/s",
    "bytes in < 10MB", "bytes rate < 1MB/s", "bytes out rate < 500/s", "propagation lost == 0", "errors != 5",
    "reconnects >= 1", "loopLag p99 < 20ms", "dispersion < 3 after storm", "herd share < 30%",
    "herd share attempt 2 < 30%", "transition count >= 100", "transition rate > 5/s", "heartbeat max<100 ms",
    "  detection   p99<1.5s ", "offline p95 < baseline * 1.1", "offline p95 < 1.1 * baseline + 5ms",
    "offline p95 < baseline - 5ms during slow", "calls lost <= baseline", "calls lost <= baseline + 2 * 3",
    "calls lost share < baseline / 2", "limit admitted < 100/s", "limit refused rate > 1/s",
    "retryAfter honoured > 99%",
    "join p99 < 1s", "presence p95 < 10s after cut", "calls lost = 0 after the long, odd – name",
  ]) func theGrammarCovers(text: String) throws {
    #expect(throws: Never.self) { try budget(text) }
  }

  @Test func namesOfFaultsMayBeAnyText() throws {
    #expect(
      try budget("calls lost = 0 after the long, odd – name").window == .after("the long, odd – name", offset: 21))
    #expect(try budget("calls lost = 0 during refuse#1").window == .during("refuse#1", offset: 22))
    #expect(try budget("calls lost = 0 during steady").window == .steady)
    #expect(try budget("calls lost = 0").window == .whole)
  }

  @Test func everyComparisonIsRead() throws {
    for (sign, comparison) in [
      ("<", BudgetComparison.less), ("<=", .lessOrEqual), (">", .greater), (">=", .greaterOrEqual), ("=", .equal),
      ("==", .equal), ("!=", .notEqual),
    ] {
      #expect(try budget("calls lost \(sign) 2").comparison == comparison)
    }
  }

  @Test func boundsAreReadInTheirUnit() throws {
    #expect(try budget("offline p95 < 1.5 s").bound == .value(1.5e9))
    #expect(try budget("offline p95 < 250us").bound == .value(250_000))
    #expect(try budget("offline p95 < 250µs").bound == .value(250_000))
    #expect(try budget("calls lost share < 5%").bound == .value(0.05))
    #expect(try budget("calls lost share < 5 %").bound == .value(0.05))
    #expect(try budget("calls rate > 30/m").bound == .value(0.5))
    #expect(try budget("calls rate > 30 /m").bound == .value(0.5))
    #expect(try budget("bytes in < 64KiB").bound == .value(65_536))
    #expect(try budget("bytes in rate < 64KiB/s").bound == .value(65_536))
    #expect(try budget("calls lost <= 12").bound == .value(12))
  }

  @Test func arithmeticOnTheBaselineIsAnExpression() throws {
    #expect(try budget("offline p95 < baseline * 1.5").bound.value(baseline: 2e9) == 3e9)
    #expect(try budget("offline p95 < 2 * baseline + 5ms").bound.value(baseline: 1e9) == 2.005e9)
    #expect(try budget("offline p95 < baseline - 5ms - 5ms").bound.value(baseline: 1e9) == 0.99e9)
    #expect(try budget("calls lost < baseline / 4 + 2 * 3").bound.value(baseline: 8) == 8)
    #expect(try budget("offline p95 < baseline").bound.value(baseline: nil) == nil)
  }

  @Test(arguments: [
    ("limit admitted < 100/s", "limit admitted"), ("retryAfter honoured > 99%", "retryAfter honoured"),
    ("join p99 < 1s", "join"), ("offline p95 < baseline * 1.1", "baseline"),
  ]) func whatComesLaterSaysSo(text: String, names: String) throws {
    let sentence = try #require(try budget(text).notAvailableYet)
    #expect(sentence.contains(names) && sentence.contains("not available yet"))
    let problems = try budget(text).check(WindowTimeline(faults: [], duration: .seconds(60)))
    #expect(problems.map(\.kind) == [.notAvailableYet])
  }

  @Test(arguments: [
    ("", 0, "the budget has no subject; expected a metric or a counter, such as \"transition p99\""),
    ("trnsition p99 < 1s", 0, "unknown metric \"trnsition\"; did you mean \"transition\"?"),
    (
      "calls losst = 0", 6,
      "\"losst\" is no figure of \"calls\"; expected p50, p95, p99, p99.9, min, max, mean, "
        + "count, rate, share; did you mean \"calls lost\"?"
    ),
    ("looplag p99 < 1s", 0, "unknown metric \"looplag\"; did you mean \"loopLag\"?"),
    (
      "propagation p101 < 1s", 12,
      "\"p101\" is no figure of \"propagation\"; expected a percentile above p0 and up to p100, such as p99.9"
    ),
    (
      "transition < 1s", 11,
      "\"transition\" has many values; expected which one is meant: p50, p95, p99, p99.9, min, "
        + "max, mean, count or rate"
    ),
    ("transition p99 250ms", 15, "\"250ms\" is one word too many; expected a comparison"),
    ("transition p99", 14, "the budget has no comparison; expected one of <, <=, >, >=, = and !="),
    ("transition p99 => 1s", 15, "\"=>\" does not compare; expected one of <, <=, >, >=, = and !="),
    ("transition p99 ! 1s", 15, "\"!\" alone compares nothing; did you mean \"!=\"?"),
    (
      "transition p99 <", 16,
      "the budget has no bound; expected a duration with a unit, such as \"250ms\", \"1.5s\", "
        + "\"4m\" or \"1h\""
    ),
    (
      "transition p99 < 250", 17,
      "\"transition p99\" is a duration, and \"250\" has no unit; expected a duration with "
        + "a unit, such as \"250ms\", \"1.5s\", \"4m\" or \"1h\"; did you mean \"250ms\"?"
    ),
    (
      "transition p99 < 5 seconds", 17,
      "unknown unit \"seconds\"; expected a duration with a unit, such as \"250ms\", "
        + "\"1.5s\", \"4m\" or \"1h\"; did you mean \"5s\"?"
    ),
    (
      "transition p99 < 30%", 17,
      "\"transition p99\" is not compared with \"30%\"; expected a duration with a unit, "
        + "such as \"250ms\", \"1.5s\", \"4m\" or \"1h\""
    ),
    ("calls lost = 5ms", 13, "\"calls lost\" is not compared with \"5ms\"; expected a plain number"),
    (
      "calls rate > 5", 13,
      "\"calls rate\" is a rate, and \"5\" has no time; expected a rate such as \"0.5/s\", "
        + "\"30/m\" or \"2/h\"; did you mean \"5/s\"?"
    ),
    (
      "calls lost share < 5", 19,
      "\"5\" is no share; expected a share such as \"30%\" (0% to 100%) or a number from 0 "
        + "to 1; did you mean \"5%\"?"
    ),
    ("calls lost p99 < 5", 11, "\"p99\" makes no sense for \"calls lost\"; expected count, rate or share"),
    (
      "reconnects max <= 3", 11,
      "\"max\" makes no sense for \"reconnects\"; expected count or rate: it is one number; "
        + "did you mean \"reconnects per client max\"?"
    ),
    (
      "reconnects per client <= 3", 22,
      "\"reconnects per client\" has many values; expected which one is meant: p50, "
        + "p95, p99, p99.9, min, max, mean, count or rate"
    ),
    (
      "reconnects per client max <= 3 during slow", 31,
      "\"reconnects per client\" is counted over the whole run and has no windows"
    ),
    (
      "transition share < 5%", 11,
      "\"share\" makes no sense for \"transition\"; expected p50, p95, p99, p99.9, min, "
        + "max, mean, count or rate"
    ),
    ("transition attempt 3 p99 < 1s", 11, "\"transition\" is not kept apart per attempt"),
    ("backoff attempt p99 < 1s", 16, "\"attempt\" is not followed by its number; expected a number from 1 to 32"),
    ("backoff attempt 33 p99 < 1s", 16, "\"attempt\" is not followed by its number; expected a number from 1 to 32"),
    ("offline p95 < -5ms", 14, "a bound is never negative"),
    (
      "offline p95 < 2 * 5ms", 14,
      "arithmetic is for bounds on \"baseline\"; expected the value itself, or "
        + "\"baseline * 1.1\""
    ),
    (
      "offline p95 < baseline * 5ms", 25,
      "a bound is multiplied by plain numbers only; expected a factor such as "
        + "\"baseline * 1.1\""
    ),
    ("offline p95 < baseline / 0", 25, "a bound cannot be divided by 0"),
    (
      "offline p95 < baseline + 10", 25,
      "\"offline p95\" is a duration, and \"10\" has no unit; expected a duration "
        + "with a unit, such as \"250ms\", \"1.5s\", \"4m\" or \"1h\"; did you mean \"10ms\"?"
    ),
    ("offline p95 < (baseline)", 14, "a bound has no parentheses"),
    (
      "offline p95 < basline", 14,
      "\"basline\" is no bound; expected a duration with a unit, such as \"250ms\", "
        + "\"1.5s\", \"4m\" or \"1h\"; did you mean \"baseline\"?"
    ),
    (
      "offline p95 < 1.2.3s", 14,
      "\"1.2.3\" is no number; expected a duration with a unit, such as \"250ms\", "
        + "\"1.5s\", \"4m\" or \"1h\""
    ),
    (
      "offline p95 < 5s durng slow", 17,
      "\"durng\" does not belong behind the bound; expected \"during NAME\", \"after "
        + "NAME\", \"steady\" or the end; did you mean \"during\"?"
    ),
    ("offline p95 < 5s during ", 24, "\"during\" is not followed by a name; expected the name of a fault"),
    ("offline p95 < 5s after steady", 23, "nothing comes after \"steady\"; expected the name of a fault"),
    ("offline p95 < 5s steady now", 24, "\"now\" does not belong behind \"steady\"; expected the end"),
    ("offline p95 < 5,000ms", 15, "\",\" has no meaning in a budget"),
  ]) func mistakesSayWhereWhatAndHowToMendThem(text: String, offset: Int, description: String) {
    let error = error(text)
    #expect(error?.description == description)
    #expect(error?.offset == offset)
    #expect(error?.column == offset + 1)
    #expect(error?.kind == .mistake)
  }

  @Test func hostileTextsAreRefusedWithoutHarm() {
    #expect(error(String(repeating: "a ", count: 5000)) != nil)
    #expect(error("offline p95 < " + String(repeating: "baseline*2*", count: 40) + "2") != nil)
    #expect(error("offline p95 < " + String(repeating: "baseline+", count: 40) + "baseline") != nil)
    var random = SeededRandom(seed: 6, purpose: .test)
    let pieces = [
      "transition", "calls", "lost", "p99", "share", "attempt", "3", "<", "=", "!", "250ms", "baseline", "*", "/", "-",
      "(", "%", "during", "after", "steady", "\u{0}", "😀", ".", "1e9", "99999999999999999999", " ",
    ]
    for _ in 0..<2000 {
      let count = Int(random.integer(in: 0...9))
      let text = (0..<count).map { _ in pieces[Int(random.next() % UInt64(pieces.count))] }.joined(separator: " ")
      if case .failure(let error) = Budget.parse(text) {
        #expect((0...text.unicodeScalars.count).contains(error.offset))
        #expect(!error.message.isEmpty)
      }
    }
  }

  @Test func everySubjectHasItsWordsAndASentence() {
    for subject in BudgetSubject.catalogue { #expect(!subject.phrase.isEmpty && subject.meaning.hasSuffix(".")) }
    let phrases = BudgetSubject.catalogue.map(\.phrase)
    #expect(Set(phrases).count == phrases.count)
  }
}

@Suite struct BudgetCheckTests {
  private let timeline = WindowTimeline(
    faults: [
      .init(name: "slow", at: .seconds(20), length: .seconds(10)),
      .init(name: "storm", at: .seconds(40), length: nil),
      .init(name: "last", at: .seconds(55), length: .seconds(5)),
    ], duration: .seconds(60))

  private func problems(_ text: String) throws -> [String] {
    try Budget.parse(text).get().check(timeline).map { "\($0.column): \($0)" }
  }

  @Test func windowsThatAreThereAreFine() throws {
    for window in ["", " steady", " during slow", " after slow", " after storm", " during last"] {
      #expect(try problems("offline p95 < 5s" + window) == [])
    }
  }

  @Test func windowsThatCannotBeAreMistakes() throws {
    #expect(
      try problems("offline p95 < 5s during slwo") == [
        "25: there is no fault \"slwo\"; expected one of \"slow\", \"storm\", \"last\"; did you mean \"slow\"?"
      ])
    #expect(
      try problems("offline p95 < 5s during storm") == [
        "25: \"storm\" acts at one moment, so nothing happens during it; did you mean \"after storm\"?"
      ])
    #expect(
      try problems("offline p95 < 5s after last") == [
        "24: the run ends at 60.0 s, before \"last\" ends; expected a longer duration or another window"
      ])
    let empty = WindowTimeline(faults: [], duration: .seconds(60))
    #expect(
      try Budget.parse("offline p95 < 5s after x").get().check(empty).map(\.description) == [
        "there is no fault \"x\"; expected a fault's name, but the scenario has no faults"
      ])
  }
}
