import JSON
import Testing

@testable import ReferenceServer

@Suite struct OptionsTests {
  private func decode(_ text: String) -> (options: OnebaseServerOptions, mistakes: [String]) {
    let (value, diagnostics) = LocatedJSON.read(text)
    let options = OnebaseServerOptions.decode(
      value ?? LocatedValue(.object([]), at: SourceLocation(line: 1, column: 1)), diagnostics)
    return (options, diagnostics.all.map { $0.rendered(file: "s") })
  }

  @Test func anEmptySectionGivesTheProtocolsOwnTimings() {
    let (options, mistakes) = decode("{}")
    #expect(options == OnebaseServerOptions())
    #expect(options.idleTimeout == .seconds(120))
    #expect(options.path == "/api/sync")
    #expect(mistakes.isEmpty)
  }

  @Test func everyOptionIsRead() {
    let (options, mistakes) = decode(
      """
      { path: "/sync", idleTimeout: "90s", delay: "5ms", freezeAt: "10s", freezeFor: "2s", deployAt: "1m",
        devMode: true, tokenConventions: false, misbehave: ["noPong", "splitTransition"],
        tokens: { t: { subject: "m1", email: "a@b" } },
        limits: { notesPerRoom: 10, storedBytes: "1MiB", noteBytes: "1KiB", rooms: 5, subscriptions: 6,
                  argumentBytes: "2KiB", messageBytes: "4KiB", delayedMessages: 7 } }
      """)
    #expect(mistakes.isEmpty)
    #expect(options.idleTimeout == .seconds(90))
    #expect(options.delay == .milliseconds(5))
    #expect(options.freezeAt == .seconds(10))
    #expect(options.freezeFor == .seconds(2))
    #expect(options.deployAt == .seconds(60))
    #expect(options.misbehave == [.noPong, .splitTransition])
    #expect(options.tokens == ["t": OnebaseIdentity(subject: "m1", email: "a@b")])
    #expect(options.limits.storedBytes == 1 << 20)
    #expect(options.limits.delayedMessages == 7)
    #expect(decode("{ idleTimeout: false }").options.idleTimeout == nil)
  }

  @Test func mistakesNameTheirPlace() {
    let (_, mistakes) = decode(
      """
      { idleTimeout: 120,
        misbehave: ["noPongs", 5],
        freezeAt: "1s",
        path: "sync",
        tokens: { t: { email: "x" } },
        devmode: true }
      """)
    #expect(mistakes.count == 7)
    #expect(mistakes.contains { $0.hasPrefix("s:2:15: ") && $0.contains(#"did you mean "noPong"?"#) })
    #expect(mistakes.contains { $0.hasPrefix("s:3:") && $0.contains("freezeFor") })
    #expect(mistakes.contains { $0.contains("devMode") })
  }
}
