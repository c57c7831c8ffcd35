import Core
import JSON
import Judge
import Reporting
import Testing

@testable import obload

/// The report as a person sees it: small virtual runs, to the letter.
@Suite struct ReportTextTests {
  private func report(_ more: String, embedded: String = "{}") throws -> RunReport {
    let diagnostics = Diagnostics()
    let value = LocatedJSON.read(
      """
      { name: "small", seed: 4, duration: "8s", target: { protocol: "onebase", embedded: \(embedded) },
        fleets: [
          { name: "readers", clients: 3, subscribe: [{ path: "notes:list", args: { room: "1" } }] },
          { name: "writers", clients: 1, subscribe: [{ path: "notes:list", args: { room: "1" } }],
            calls: [{ kind: "mutation", path: "notes:add", args: { room: "1", text: "{marker}" }, start: "1s", rate: "1/s" }] },
        ]\(more) }
      """, diagnostics: diagnostics
    ).value
    let scenario = Scenario.decode(try #require(value), environment: { _ in nil }, diagnostics: diagnostics)
    try #require(diagnostics.isEmpty, "\(diagnostics.rendered(file: "small"))")
    let options = RunOptions(isVirtual: true, command: "obload run small.json5 --seed 4 --virtual")
    let result = try RunCoordinator(scenario: scenario, options: options).run()
    let clock = WallClock(started: "2026-12-01T10:00:00Z", seconds: 1, cpuSeconds: 0.5, maxResidentBytes: 1 << 26)
    return RunReporter(scenario: scenario, options: options).report(result, wallClock: clock)
  }

  private func text(_ report: RunReport, isColoured: Bool = false) -> ReportText {
    ReportText(report: report, style: Style(isColoured: isColoured), directory: "reports/small")
  }

  /// The text without what every new clause changes: how many passed, and which had too little.
  private func withoutCatalogue(_ text: String) -> String {
    text.replacing(/\n  · too little to judge, and not required: OB-(.+\n)+/, with: "\n")
      .replacing(/\d+ clauses passed/, with: "N clauses passed")
  }

  @Test func aRunThatPasses() throws {
    let report = try report(
      """
      , faults: [{ at: "4s", fault: "reset", clients: "fleet:readers", name: "cut" }],
        clauses: { require: ["OB-C1", "OB-S8"] }, budgets: ["transition p99 < 250ms", "offline max < 2s"]
      """)
    #expect(
      withoutCatalogue(text(report).text) == """
        small   onebase   4 clients   8 s (virtual)   seed 4                                    PASS  exit 0

          ✓ 2 budgets held   ✓ N clauses passed

                                 count         p50         p95         p99         max  unfinished
          connect                    7      300 µs      300 µs      300 µs      300 µs           –
          auth                       7      200 µs      200 µs      200 µs      200 µs           –
          subscribe                  7      200 µs      200 µs      200 µs      200 µs           –
          call                       7      200 µs      200 µs      200 µs      200 µs           –
          call.service               7      200 µs      200 µs      200 µs      200 µs           –
          transition                 7      200 µs      200 µs      200 µs      200 µs           –
          propagation               21      200 µs      200 µs      200 µs      200 µs           –
          propagation.last           7      200 µs      200 µs      200 µs      200 µs           –
          offline                    3      559 ms      688 ms      688 ms      688 ms           –

          calls       7 intended = 7 answered + 0 late + 0 lost + 0 still out
          propagation 21 expected at other subscribers, 21 seen, 0 lost
          reconnects  3 drops → 3 back; one attempt each; the last one back after 688 ms
          backoff     attempt 1   532 ms scheduled on average   532 ms observed (349 ms – 687 ms)   3×
          herd        33 % of 3 first attempts within one 100 ms, 300 ms after the drop
          faults      cut (reset) from 4.0 s: touched 3 clients
          generator   virtual time: no lag

          reports/small
          run again: obload run small.json5 --seed 4 --virtual

        """)
  }

  @Test func aRunThatFails() throws {
    let report = try report(
      """
      , faults: [{ at: "4s", fault: "reset", clients: "fleet:readers", name: "cut" }],
        clauses: { require: ["OB-S8", "OB-C12"] }, budgets: ["call p99 < 1us", "offline max < 2s", "detection p99 < 1s"]
      """, embedded: #"{ misbehave: ["splitTransition"] }"#)
    #expect(
      withoutCatalogue(text(report).text) == """
        small   onebase   4 clients   8 s (virtual)   seed 4                                    FAIL  exit 1

          ✗ budget  call p99 < 1us                                                       200 µs  (7 samples)
          ✗ clause  OB-S8 A mutation's result and the updates that include its writes arrive in one   7 of 7
                    transition.
                    worst: writers-0, connection 0.4, at 1.994 s: the first value that shows a mutation came
                    0 s after its result, in a message of its own → events.jsonl:5
          ? budget  detection p99 < 1s                                                               no data
          ? clause  OB-C12 After any other auth failure it comes with a token again on the     not-exercised
                    next connection.
          ✓ 1 budget held   ✓ N clauses passed

                                 count         p50         p95         p99         max  unfinished
          connect                    7      300 µs      300 µs      300 µs      300 µs           –
          auth                       7      200 µs      200 µs      200 µs      200 µs           –
          subscribe                  7      200 µs      200 µs      200 µs      200 µs           –
          call                       7      200 µs      200 µs      200 µs      200 µs           –
          call.service               7      200 µs      200 µs      200 µs      200 µs           –
          propagation               21      200 µs      200 µs      200 µs      200 µs           –
          propagation.last           7      200 µs      200 µs      200 µs      200 µs           –
          offline                    3      559 ms      688 ms      688 ms      688 ms           –

          calls       7 intended = 7 answered + 0 late + 0 lost + 0 still out
          propagation 21 expected at other subscribers, 21 seen, 0 lost
          reconnects  3 drops → 3 back; one attempt each; the last one back after 688 ms
          backoff     attempt 1   532 ms scheduled on average   532 ms observed (349 ms – 687 ms)   3×
          herd        33 % of 3 first attempts within one 100 ms, 300 ms after the drop
          faults      cut (reset) from 4.0 s: touched 3 clients
          generator   virtual time: no lag

          reports/small
          run again: obload run small.json5 --seed 4 --virtual

        """)
  }

  @Test func quietSaysTheVerdictAndWhatFailed() throws {
    let report = try report(#", budgets: ["call p99 < 1us"]"#)
    #expect(
      text(report).verdict == """
        small   onebase   4 clients   8 s (virtual)   seed 4                                    FAIL  exit 1
          ✗ budget  call p99 < 1us                                                       200 µs  (7 samples)

        """)
  }

  @Test func colourIsForTerminalsOnly() throws {
    let report = try report("")
    #expect(!text(report).text.contains("\u{1B}"))
    #expect(text(report, isColoured: true).text.contains("\u{1B}[32mPASS  exit 0\u{1B}[0m"))
  }

  @Test func everythingFitsTheWidth() throws {
    let report = try report(
      """
      , faults: [{ at: "4s", fault: "reset", name: "a-fault-with-a-name-that-goes-on-and-on-and-on-and-on-for-ever-a" }],
        clauses: { require: ["OB-S2", "OB-S8", "OB-C3", "OB-C11", "OB-C12", "OB-C13"] },
        budgets: ["detection p99 < 1s after a-fault-with-a-name-that-goes-on-and-on-and-on-and-on-for-ever-a"]
      """, embedded: #"{ misbehave: ["splitTransition", "doubleResult", "noPong"] }"#)
    for line in text(report).text.split(separator: "\n") { #expect(line.count <= Columns.width, "\(line)") }
  }

  @Test func aCommandIsBrokenBetweenItsWordsSoThatItCanBePasted() {
    let words = "run again: obload run a.json5 --set 'clauses.require=[\"OB-C1\", \"OB-C2\"]'"
    #expect(ReportText.command(words) == [words])
    let long = "run again: obload run \(String(repeating: "x", count: 60)) --budget 'transition p99 < 250ms'"
    #expect(
      ReportText.command(long) == [
        "run again: obload run \(String(repeating: "x", count: 60)) --budget \\", "    'transition p99 < 250ms'",
      ])
  }

  @Test func durationsReadAsPeopleWriteThem() {
    #expect(ReportText.text(.seconds(45)) == "45 s")
    #expect(ReportText.text(.seconds(90)) == "90 s")
    #expect(ReportText.text(.seconds(240)) == "4 min")
    #expect(ReportText.text(.milliseconds(1500)) == "1.50 s")
  }
}
