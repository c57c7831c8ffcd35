import Foundation
import Testing

/// Where things are that whole runs need: the repository, the built program, Python.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().path

  static func scenario(_ name: String) -> String { "\(root)/scenarios/\(name).json5" }

  static let shippedScenarios = [
    "dead-heartbeat", "idle", "offline-outbox", "quickstart", "reconnect-storm", "server-restart", "slow-network",
  ]

  /// The program that was built with these tests: it lies beside them.
  static func program() throws -> String {
    let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    let beside = [tests.appendingPathComponent("obload").path, "\(root)/.build/debug/obload"]
    let found = beside.first { FileManager.default.isExecutableFile(atPath: $0) }
    return try #require(found, "obload is not built beside its tests; run swift build --build-tests")
  }

  /// The Python of the tests' peers.
  static func python() throws -> String {
    let named = ProcessInfo.processInfo.environment["OBLOAD_PYTHON"] ?? ".venv/bin/python"
    let path = named.hasPrefix("/") ? named : "\(root)/\(named)"
    let isThere = FileManager.default.isExecutableFile(atPath: path)
    try #require(isThere, "\(path) is missing, and the peers are written in Python: run make setup-tests once")
    return path
  }
}

/// A folder that goes when the test is over.
final class TemporaryFolder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "/obload-tests-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func write(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")), as: UTF8.self)
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: "\(path)/\(name)") }
}
