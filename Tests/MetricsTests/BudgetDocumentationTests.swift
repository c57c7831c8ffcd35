import Metrics
import Testing

import class Foundation.FileManager

@Suite struct BudgetDocumentationTests {
  private func page() throws -> String {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let data = try #require(FileManager.default.contents(atPath: "/\(root)/docs/budgets.md"))
    return String(decoding: data, as: UTF8.self)
  }

  @Test func everySubjectIsDocumentedWithItsWords() throws {
    let page = try page()
    for subject in BudgetSubject.catalogue {
      // Alternative spellings with a blank are documented by their pattern.
      let isAlternative = subject.phrase.hasPrefix("backoff ") || subject.phrase == "broadcast last"
      #expect(isAlternative || page.contains("`\(subject.phrase)`"), "\(subject.phrase)")
    }
    for metric in Metric.all { #expect(page.contains(metric.meaning), "\(metric)") }
  }

  @Test func everyExampleParses() throws {
    let page = try page()
    let examples = page.split(separator: "## Examples\n```\n").last?.split(separator: "\n```").first ?? ""
    let lines = examples.split(separator: "\n").map { $0.split(separator: "    ").first ?? "" }
    #expect(lines.count > 10)
    for line in lines { #expect(throws: Never.self) { try Budget.parse(String(line)).get() } }
  }
}
