import Core
import JSON
import Protocols

/// One function that clients can subscribe to or call, and how it may be called.
struct OnebaseFunction: Sendable {
  typealias Body = @Sendable (inout OnebaseStore, FunctionCall) throws(FunctionFailure) -> SharedResult

  let path: String
  let kinds: [OnebaseCallKind]
  /// Whether it is there only after the simulated deploy.
  var isLate = false
  let body: Body

  /// `notes:list`, …: the function of that path.
  static func named(_ path: String) -> OnebaseFunction? { table[path] }

  private static let table: [String: OnebaseFunction] = {
    var table: [String: OnebaseFunction] = [:]
    for function in notes + counters + others { table[function.path] = function }
    return table
  }()
}

/// What a function is called with.
struct FunctionCall {
  var path: String
  var arguments: JSONValue
  var identity: OnebaseIdentity?
  var now: Instant

  /// Milliseconds since the run's epoch; what notes are stamped with.
  var milliseconds: Int64 { now.nanoseconds / 1_000_000 }

  /// The named place of `notes` and `counter` functions: a string, a number or nothing; and how the arguments put it.
  func place(_ key: String) throws(FunctionFailure) -> (name: String, echo: JSONValue) {
    guard let value = arguments[key], !value.isNull else { return ("", .null) }
    if let text = value.string { return (text, value) }
    if let number = value.integer { return ("\(number)", .integer(number)) }
    throw invalid("`\(key)` is neither a string nor a whole number")
  }

  func string(_ key: String) throws(FunctionFailure) -> String {
    guard let text = arguments[key]?.string else { throw invalid("a string `\(key)` is missing") }
    return text
  }

  func integer(_ key: String, default preset: Int64) throws(FunctionFailure) -> Int64 {
    guard let value = arguments[key], !value.isNull else { return preset }
    guard let number = value.integer else { throw invalid("`\(key)` is no whole number") }
    return number
  }

  /// As validators of arguments do it: no ConvexError.
  private func invalid(_ what: String) -> FunctionFailure { .other("Arguments of \(path) are wrong: \(what)") }
}
