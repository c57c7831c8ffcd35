import JSON
import Testing

struct DiagnosticsTests {
  @Test func areShownInTheOrderOfTheFile() {
    let diagnostics = Diagnostics()
    diagnostics.warning(at: place(2, 1), "late", suggestion: "x")
    diagnostics.error(at: place(1, 9), "early", expected: "y")
    diagnostics.error(at: place(1, 9), "after it")
    diagnostics.error(at: nil, "the whole file")
    diagnostics.error(at: place(1, 9), "early", expected: "y")
    #expect(
      diagnostics.rendered(file: "f") == """
        f: the whole file
        f:1:9: early; expected y
        f:1:9: after it
        f:2:1: warning: late; did you mean "x"?
        """)
  }

  @Test func onlyErrorsCountAsErrors() {
    let diagnostics = Diagnostics()
    #expect(diagnostics.isEmpty)
    diagnostics.warning(at: nil, "hm")
    #expect(!diagnostics.hasErrors)
    diagnostics.error(at: nil, "no")
    #expect(diagnostics.hasErrors)
    #expect(diagnostics.count == 2)
  }

  @Test func haveAFormForMachines() {
    let diagnostics = Diagnostics()
    diagnostics.error(at: place(3, 4), "wrong", expected: "right", suggestion: "rihgt")
    diagnostics.warning(at: .outside("--set a=1"), "odd")
    let expected: JSONValue = [
      [
        "file": "f", "line": nil, "column": nil, "origin": "--set a=1", "severity": "warning", "message": "odd",
        "expected": nil, "suggestion": nil,
      ],
      [
        "file": "f", "line": 3, "column": 4, "origin": nil, "severity": "error", "message": "wrong",
        "expected": "right", "suggestion": "rihgt",
      ],
    ]
    #expect(diagnostics.json(file: "f") == expected)
  }

  @Test func areCapped() {
    let diagnostics = Diagnostics()
    for line in 1...1500 { diagnostics.error(at: place(line, 1), "no") }
    #expect(diagnostics.count == Diagnostics.most)
    #expect(diagnostics.rendered(file: "f").hasSuffix("f: and 500 more"))
  }

  private func place(_ line: Int, _ column: Int) -> JSON.SourceLocation {
    JSON.SourceLocation(line: line, column: column)
  }
}
