import ClientSim
import Core
import Foundation
import Judge
import Metrics
import Protocols
import Reporting

/// Makes the report of a run, and its files.
struct RunReporter {
  var scenario: Scenario
  var options: RunOptions

  func report(_ result: RunCoordinator.Result, wallClock: WallClock) -> RunReport {
    var wallClock = wallClock
    let metrics = result.record.metrics
    let lag = metrics.histogram(.loopLag)
    let budgets = scenario.budgets.map { GeneratorCheck.doubt($0.evaluate(metrics), of: $0, lag: lag) }
    let generator = GeneratorCheck.check(lag)
    wallClock.lagP99 = generator.lagP99
    wallClock.lagMax = generator.lagMax
    return RunReport(
      description: RunDescription(
        scenario: scenario.name, protocolName: scenario.target.protocolName.rawValue,
        target: scenario.target.description,
        seed: scenario.seed, clients: scenario.clients, duration: scenario.duration, isVirtual: options.isVirtual,
        command: options.command),
      record: result.record, budgets: budgets, clauses: scenario.clauses.lines(result.record.judge?.findings ?? []),
      generator: generator, environment: Machine.environment, wallClock: wallClock, beforehand: result.reasons)
  }

  /// A folder that could not be made or a file that could not be written.
  struct FileError: Error, CustomStringConvertible {
    var description: String
  }

  /// Writes `summary.json`, `junit.xml` and `events.jsonl`; each whole or not at all, and without the secrets.
  static func write(_ report: RunReport, hiding secrets: Secrets, to directory: String) throws(FileError) {
    try makeFolder(directory)
    let files: [(String, [UInt8])] = [
      ("summary.json", Array(SummaryJSON.text(report).utf8)), ("junit.xml", Array(JUnitXML.text(report).utf8)),
      ("events.jsonl", report.record.events.jsonLines),
    ]
    for (name, bytes) in files {
      do {
        try Data(secrets.hidden(bytes)).write(to: URL(fileURLWithPath: directory + "/" + name), options: .atomic)
      } catch {
        throw FileError(
          description:
            "\(directory)/\(name) cannot be written: \(reason(error)); make room or name another folder with --out")
      }
    }
  }

  /// Makes the folder and those it is in; Foundation would not say why it cannot.
  private static func makeFolder(_ path: String) throws(FileError) {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += (made.isEmpty || made.hasSuffix("/") ? "" : "/") + part
      if mkdir(made, 0o777) == 0 || errno == EEXIST || errno == EISDIR { continue }
      let reason = String(cString: strerror(errno)).lowercased()
      throw FileError(description: "\(path) cannot be made: \(reason); name another folder with --out")
    }
  }

  /// What the system said, where Foundation knows it.
  private static func reason(_ error: any Error) -> String {
    let error = error as NSError
    let inner = error.userInfo[NSUnderlyingErrorKey].flatMap { $0 as? NSError }
    for one in [inner, error].compactMap({ $0 }) where one.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(truncatingIfNeeded: one.code))).lowercased()
    }
    return error.localizedDescription
  }

  /// A folder under `reports/` that is not there yet.
  static func freshDirectory(for scenario: String, at time: String) -> String {
    let base = "reports/\(scenario)-\(time)"
    var directory = base
    var number = 2
    while FileManager.default.fileExists(atPath: directory) {
      directory = "\(base)-\(number)"
      number += 1
    }
    return directory
  }
}
