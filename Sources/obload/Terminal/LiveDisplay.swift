import ClientSim
import Core

/// What a person sees while a run lasts, on standard error: on a terminal a few lines drawn again each second, elsewhere
/// one plain line every ten seconds.
///
/// @unchecked: used by one task at a time: the run's progress task, and the command once the run is over.
final class LiveDisplay: @unchecked Sendable {
  /// How often a plain line is printed, in calls of `show`.
  static let plainEvery = 10

  private let isTerminal: Bool
  private var shown = 0
  private var drawnLines = 0
  /// What each fleet had when it was last looked at.
  private var last: (elapsed: Duration, messages: [UInt64]) = (.zero, [])

  init(isTerminal: Bool) { self.isTerminal = isTerminal }

  func show(_ progress: RunProgress) {
    shown += 1
    let rates = self.rates(progress)
    if isTerminal {
      let lines = Self.lines(progress, rates: rates, width: min(Columns.width, Output.errorColumns ?? .max))
      clear()
      Output.error(lines.joined(separator: "\n"))
      drawnLines = lines.count
    } else if shown % Self.plainEvery == 0 {
      Output.error(Self.plain(progress, rates: rates))
    }
  }

  /// Takes the lines away again.
  func clear() {
    guard drawnLines > 0 else { return }
    Output.error("\u{1B}[\(drawnLines)A\u{1B}[J", terminator: "")
    drawnLines = 0
  }

  /// Messages a second of each fleet since the last look.
  private func rates(_ progress: RunProgress) -> [Double] {
    let seconds = (progress.elapsed - last.elapsed).inSeconds
    let rates = progress.fleets.enumerated().map { index, fleet in
      let before = last.messages.indices.contains(index) ? last.messages[index] : 0
      return seconds > 0 ? Double(fleet.messages &- before) / seconds : 0
    }
    last = (progress.elapsed, progress.fleets.map(\.messages))
    return rates
  }

  /// - Parameter width: of the terminal; a line that it broke could not be taken away again.
  static func lines(_ progress: RunProgress, rates: [Double], width: Int = Columns.width) -> [String] {
    let fault = progress.activeFaults.isEmpty ? "no fault" : "fault: " + progress.activeFaults.joined(separator: ", ")
    let head = "\(progress.name)   \(left(progress))   \(fault)\(latency(progress, before: "   "))"
    let names = max(12, progress.fleets.map(\.name.count).max() ?? 0)
    let rows = progress.fleets.enumerated().map { index, fleet in
      var text = "  " + Columns.left(fleet.name, names) + count(fleet.connected, "connected")
      text += count(fleet.reconnecting, "reconnecting") + count(Int(rates[index]), "messages/s")
      if let p99 = progress.recentP99[index] { text += "   calls p99 \(Quantity.text(p99))" }
      if fleet.errors > 0 { text += "   \(Columns.plural(fleet.errors, "error"))" }
      return text
    }
    return ([head] + rows).map { Columns.clipped($0, width) }
  }

  private static func count(_ number: Int, _ what: String) -> String {
    Columns.right(Columns.number(number), 9) + " " + what
  }

  static func plain(_ progress: RunProgress, rates: [Double]) -> String {
    let connected = progress.fleets.reduce(0) { $0 + $1.connected }
    let clients = progress.fleets.reduce(0) { $0 + $1.clients }
    let faults = progress.activeFaults.isEmpty ? "" : ", fault: \(progress.activeFaults.joined(separator: ", "))"
    return "\(Quantity.text(progress.elapsed)): \(Columns.number(connected)) of \(Columns.number(clients)) connected, "
      + "\(Columns.number(Int(rates.reduce(0, +)))) messages/s\(latency(progress, before: ", "))\(faults)"
  }

  private static func left(_ progress: RunProgress) -> String {
    let left = progress.duration - progress.elapsed
    return left > .zero ? "\(Int(left.inSeconds.rounded(.up))) s left" : "settling"
  }

  private static func latency(_ progress: RunProgress, before: String) -> String {
    if let p99 = progress.transitionP99 { return "\(before)transition p99 \(p99)" }
    if let p99 = progress.callP99 { return "\(before)call p99 \(p99)" }
    return ""
  }
}
