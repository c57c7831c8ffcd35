import Foundation
import Testing

/// A program that runs beside the test, with what it says and how it ends.
final class Program {
  struct Ended {
    var code: Int32
    var output: String
    var errors: String
    /// Output and errors, for messages of tests.
    var text: String { output + errors }
  }

  let process = Process()
  private let folder: TemporaryFolder

  /// - Parameter environment: added to the test's own.
  init(
    _ path: String, _ arguments: [String], environment: [String: String] = [:], in directory: String = Repository.root
  ) throws {
    folder = try TemporaryFolder()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: directory)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try handle("output")
    process.standardError = try handle("errors")
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  private func handle(_ name: String) throws -> FileHandle {
    let path = try folder.write(name, "")
    return try #require(FileHandle(forWritingAtPath: path))
  }

  var output: String { (try? folder.read("output")) ?? "" }
  var errors: String { (try? folder.read("errors")) ?? "" }

  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until it says so; polls, since the other process gives no other sign.
  func wait(within limit: Duration = .seconds(20), until condition: (Program) -> Bool) -> Bool {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while clock.now < end {
      if condition(self) { return true }
      if !process.isRunning { return condition(self) }
      usleep(5_000)
    }
    return false
  }

  /// Waits for its end; one that takes longer is killed, and the test fails.
  func end(within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation) -> Ended {
    let clock = ContinuousClock()
    let end = clock.now + limit
    while process.isRunning, clock.now < end { usleep(5_000) }
    if process.isRunning {
      Issue.record("still running after \(limit): \(output)\(errors)", sourceLocation: sourceLocation)
      kill(process.processIdentifier, SIGKILL)
    }
    process.waitUntilExit()
    return Ended(code: process.terminationStatus, output: output, errors: errors)
  }

  /// Runs obload to its end.
  static func obload(
    _ arguments: [String], environment: [String: String] = [:], in directory: String = Repository.root
  ) throws -> Ended {
    try Program(try Repository.program(), arguments, environment: environment, in: directory).end()
  }
}
