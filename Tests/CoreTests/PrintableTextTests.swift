import Core
import Testing

@Suite struct PrintableTextTests {
  @Test func controlCharactersAreShownAndNotObeyed() {
    #expect(
      PrintableText.of("a\u{1B}[2Jb\n\r\t\u{0}\u{7F}\u{9B}") == "a\\u{1b}[2Jb\\u{a}\\u{d}\\u{9}\\u{0}\\u{7f}\\u{9b}")
    #expect(PrintableText.of("x\u{202E}y\u{2066}z") == "x\\u{202e}y\\u{2066}z")
  }

  @Test func everythingElseStaysAsItIs() {
    #expect(PrintableText.of("Größe 12 µs – 日本 🙂 \\u{1b}") == "Größe 12 µs – 日本 🙂 \\u{1b}")
  }
}
