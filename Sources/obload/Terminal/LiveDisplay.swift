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
  private var last: (elapsed: Duration, messages: UInt64) = (.zero, 0)

  init(isTerminal: Bool) { self.isTerminal = isTerminal }

  func show(_ progress: RunProgress) {
    shown += 1
    let rate = self.rate(progress)
    if isTerminal {
      let lines = Self.lines(progress, rate: rate)
      clear()
      Output.error(lines.joined(separator: "\n"))
      drawnLines = lines.count
    } else if shown % Self.plainEvery == 0 {
      Output.error(Self.plain(progress, rate: rate))
    }
  }

  /// Takes the lines away again.
  func clear() {
    guard drawnLines > 0 else { return }
    Output.error("\u{1B}[\(drawnLines)A\u{1B}[J", terminator: "")
    drawnLines = 0
  }

  private func rate(_ progress: RunProgress) -> Double {
    let seconds = (progress.elapsed - last.elapsed).inSeconds
    let messages = Double(progress.messages &- last.messages)
    last = (progress.elapsed, progress.messages)
    return seconds > 0 ? messages / seconds : 0
  }

  static func lines(_ progress: RunProgress, rate: Double) -> [String] {
    let fault = progress.activeFaults.isEmpty ? "no fault" : "fault: " + progress.activeFaults.joined(separator: ", ")
    let head =
      "\(progress.name)   \(left(progress))   \(fault)   \(Columns.number(Int(rate))) messages/s\(latency(progress))"
    return
      ([head]
      + progress.fleets.map { fleet in
        "  " + Columns.left(fleet.name, 16) + Columns.right(Columns.number(fleet.connected), 8) + " connected"
          + Columns.right(Columns.number(fleet.reconnecting), 8) + " reconnecting"
          + Columns.right(Columns.number(fleet.errors), 8) + " errors"
      }).map { Columns.clipped($0) }
  }

  static func plain(_ progress: RunProgress, rate: Double) -> String {
    let connected = progress.fleets.reduce(0) { $0 + $1.connected }
    let clients = progress.fleets.reduce(0) { $0 + $1.clients }
    let faults = progress.activeFaults.isEmpty ? "" : ", fault \(progress.activeFaults.joined(separator: " "))"
    return "\(Quantity.text(progress.elapsed)): \(connected) of \(clients) connected, "
      + "\(Columns.number(Int(rate))) messages/s\(latency(progress))\(faults)"
  }

  private static func left(_ progress: RunProgress) -> String {
    let left = progress.duration - progress.elapsed
    return left > .zero ? "\(Int(left.inSeconds.rounded(.up))) s left" : "settling"
  }

  private static func latency(_ progress: RunProgress) -> String {
    if let p99 = progress.transitionP99 { return ", transition p99 \(p99)" }
    if let p99 = progress.callP99 { return ", call p99 \(p99)" }
    return ""
  }
}
