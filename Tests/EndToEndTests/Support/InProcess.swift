import Core
import Foundation
import JSON
import Reporting
import Testing

@testable import obload

/// Runs scenarios inside the test's process.
enum InProcess {
  /// Reads a scenario as `obload run` does; a mistake in it fails the test.
  static func scenario(
    _ path: String, _ changes: ScenarioFile.Changes = ScenarioFile.Changes(), environment: [String: String] = [:]
  ) throws -> Scenario {
    let file = try ScenarioFile.read(path, changes, environment: environment)
    try #require(file.diagnostics.isEmpty, "\(file.diagnostics.rendered(file: path))")
    return file.scenario
  }

  static func scenario(text: String) throws -> Scenario {
    let folder = try TemporaryFolder()
    return try scenario(try folder.write("test.json5", text))
  }

  /// Runs it and makes its report, with a wall clock that is always the same.
  static func run(_ scenario: Scenario, isVirtual: Bool = true, isDirect: Bool = false, command: String = "obload run")
    throws -> RunReport
  {
    var options = RunOptions()
    options.isDirect = isDirect
    options.isJudged = !isDirect
    options.isVirtual = isVirtual
    options.command = command
    let result = try RunCoordinator(scenario: scenario, options: options).run()
    let clock = WallClock(started: "2026-12-01T10:00:00Z", seconds: 1, cpuSeconds: 0.5, maxResidentBytes: 1 << 26)
    return RunReporter(scenario: scenario, options: options).report(result, wallClock: clock)
  }
}
