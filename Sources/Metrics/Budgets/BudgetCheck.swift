import Core

extension Budget {
  /// What does not fit the scenario: a window of a fault that is not in it or has no such window, or a form that this
  /// version cannot answer. Empty when the budget can be evaluated.
  public func check(_ timeline: WindowTimeline) -> [BudgetError] {
    var problems: [BudgetError] = []
    if let problem = windowProblem(timeline) { problems.append(problem) }
    if let sentence = notAvailableYet { problems.append(BudgetError(sentence, offset: 0, kind: .notAvailableYet)) }
    return problems
  }

  private func windowProblem(_ timeline: WindowTimeline) -> BudgetError? {
    guard let (name, offset, isAfter) = window.fault else { return nil }
    guard let ordinal = timeline.ordinal(ofFault: name) else {
      let names = timeline.faults.map(\.name)
      let shown = names.prefix(8).map { "\"\($0)\"" }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
      return BudgetError(
        "there is no fault \"\(name)\"", offset: offset,
        expected: names.isEmpty ? "a fault's name, but the scenario has no faults" : "one of \(shown)",
        suggestion: Suggestion.nearest(to: name, among: names))
    }
    let fault = timeline.faults[ordinal]
    if !isAfter, fault.length == nil {
      return BudgetError(
        "\"\(name)\" acts at one moment, so nothing happens during it", offset: offset,
        suggestion: "after \(name)")
    }
    let start = isAfter ? fault.end : fault.at
    if start >= Instant.zero + timeline.duration {
      return BudgetError(
        "the run ends at \(Quantity.text(timeline.duration)), before \(isAfter ? "\"\(name)\" ends" : "\"\(name)\" begins")",
        offset: offset, expected: "a longer duration or another window")
    }
    return nil
  }

  /// The window in the timeline; nil if it has none of that name.
  func window(in timeline: WindowTimeline) -> Window? {
    switch window {
    case .whole: .whole
    case .steady: .steady
    case .during(let name, _): timeline.ordinal(ofFault: name).map { .during($0) }
    case .after(let name, _): timeline.ordinal(ofFault: name).map { .after($0) }
    }
  }
}

extension BudgetWindow {
  fileprivate var fault: (name: String, offset: Int, isAfter: Bool)? {
    switch self {
    case .whole, .steady: nil
    case .during(let name, let offset): (name, offset, false)
    case .after(let name, let offset): (name, offset, true)
    }
  }
}
