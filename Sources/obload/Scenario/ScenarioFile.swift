import ClientSim
import Core
import Foundation
import JSON

/// Reads a scenario from a file, with what the command line changes of it.
struct ScenarioFile {
  /// Larger files are refused.
  static let mostBytes = 16 * 1024 * 1024

  /// What the command line changes.
  struct Changes {
    var url: String?
    var clients: Int?
    var duration: String?
    var seed: UInt64?
    var budgets: [String] = []
    /// `key.path=value`, in the order given.
    var settings: [String] = []
    var allowHosts: [String] = []
  }

  /// As it was named on the command line.
  var path: String
  var scenario: Scenario
  var diagnostics: Diagnostics

  /// - Throws: `UsageError` when the file cannot be read. Mistakes inside are in `diagnostics`.
  static func read(
    _ path: String, _ changes: Changes, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(UsageError) -> ScenarioFile {
    let diagnostics = Diagnostics()
    guard let root = LocatedJSON.read(try bytes(of: path), diagnostics: diagnostics).value else {
      if !diagnostics.hasErrors { diagnostics.error(at: nil, "the file is empty", expected: "a scenario { … }") }
      return ScenarioFile(path: path, scenario: empty, diagnostics: diagnostics)
    }
    var value = root
    do throws(Diagnostic) {
      value = try apply(changes, to: value)
    } catch {
      diagnostics.add(error)
    }
    value = value.substituting(environment: environment, diagnostics: diagnostics)
    let scenario = Scenario.decode(
      value, allowHosts: changes.allowHosts, environment: { environment[$0] }, diagnostics: diagnostics)
    return ScenarioFile(path: path, scenario: scenario, diagnostics: diagnostics)
  }

  /// - `expected`: what the file should be, for who named one that is not there.
  static func bytes(
    of path: String, expected: String = "obload run takes a scenario file, such as scenarios/quickstart.json5"
  ) throws(UsageError) -> [UInt8] {
    var isDirectory: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) else {
      throw UsageError("\(path): no such file; \(expected)")
    }
    guard !isDirectory.boolValue, let data = FileManager.default.contents(atPath: path) else {
      throw UsageError("\(path): cannot be read as a file")
    }
    guard data.count <= mostBytes else {
      throw UsageError("\(path): \(data.count) bytes; such a file has at most \(mostBytes)")
    }
    return [UInt8](data)
  }

  private static func apply(_ changes: Changes, to root: LocatedValue) throws(Diagnostic) -> LocatedValue {
    var value = root
    for setting in changes.settings { value = try value.applying(assignment: setting, option: "--set") }
    if let duration = changes.duration { value = try set(value, "duration", .string(duration), "--duration") }
    if let seed = changes.seed {
      value = try set(value, "seed", .number(Double(seed), raw: String(seed)), "--seed")
    }
    if let clients = changes.clients { value = try scale(value, to: clients) }
    if let url = changes.url {
      let place = SourceLocation.outside("--url")
      if case .object(let members)? = value["target"]?.kind, let target = value["target"] {
        let kept = members.filter { $0.key != "embedded" && $0.key != "url" }
        let member = LocatedMember(key: "url", keyLocation: place, value: LocatedValue(.string(url), at: place))
        value = try value.setting(path: "target", to: LocatedValue(.object(kept + [member]), at: target.location))
      }
    }
    if !changes.budgets.isEmpty {
      let place = SourceLocation.outside("--budget")
      let added = changes.budgets.map { LocatedValue(.string($0), at: place) }
      value = try value.setting(
        path: "budgets",
        to: LocatedValue(.array((value["budgets"]?.elements ?? []) + added), at: value["budgets"]?.location ?? place))
    }
    return value
  }

  private static func set(
    _ value: LocatedValue, _ path: String, _ kind: LocatedValue.Kind, _ option: String
  ) throws(Diagnostic) -> LocatedValue {
    try value.setting(path: path, to: LocatedValue(kind, at: .outside(option)))
  }

  /// Changes the fleets' sizes in proportion, so that they add up to `total` and each keeps at least one client.
  private static func scale(_ value: LocatedValue, to total: Int) throws(Diagnostic) -> LocatedValue {
    let sizes = (value["fleets"]?.elements ?? []).map { fleet -> Int in
      if case .number(let number, _)? = fleet["clients"]?.kind, number >= 1, number < 1e9 { Int(number) } else { 1 }
    }
    guard !sizes.isEmpty else { return value }
    guard total >= sizes.count else {
      throw Diagnostic(
        at: .outside("--clients \(total)"), "fewer clients than the scenario has fleets",
        expected: "at least \(sizes.count)")
    }
    var result = value
    for (index, size) in scaled(sizes, to: total).enumerated() {
      result = try set(
        result, "fleets.\(index).clients", .number(Double(size), raw: String(size)), "--clients \(total)")
    }
    return result
  }

  /// Largest remainders, each at least one.
  static func scaled(_ sizes: [Int], to total: Int) -> [Int] {
    let sum = sizes.reduce(0, +)
    let spare = total - sizes.count
    let exact = sizes.map { Double($0) / Double(sum) * Double(total) }
    var result = exact.map { max(1, Int($0)) }
    var left = total - result.reduce(0, +)
    let byRemainder = exact.indices.sorted {
      (exact[$0] - Double(result[$0]), $1) > (exact[$1] - Double(result[$1]), $0)
    }
    var turn = 0
    while left > 0 {
      result[byRemainder[turn % result.count]] += 1
      left -= 1
      turn += 1
    }
    while left < 0, spare >= 0 {
      guard let largest = result.indices.max(by: { result[$0] < result[$1] }), result[largest] > 1 else { break }
      result[largest] -= 1
      left += 1
    }
    return result
  }

  private static var empty: Scenario {
    Scenario.decode(
      LocatedValue(.invalid, at: SourceLocation(line: 1, column: 1)), environment: { _ in nil },
      diagnostics: Diagnostics())
  }
}
