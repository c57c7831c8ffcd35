import Core
import JSON
import Protocols

/// The functions over the data: runs queries, mutations and actions and says what each read and wrote. Pure: ids come
/// from counters and time is passed in, so the same calls give the same data.
struct OnebaseBackend {
  /// A run's outcome and what it touched.
  struct Run {
    var result: SharedResult
    var reads: [StoreKey] = []
    var writes: [StoreKey] = []
  }

  private var store: OnebaseStore
  private let devMode: Bool
  private let argumentBytes: Int
  /// Whether the deploy has happened that adds the late function.
  private(set) var isDeployed = false
  /// How often a query ran, for a subscription or a call.
  private(set) var queryRuns = 0

  init(options: OnebaseServerOptions) {
    store = OnebaseStore(limits: options.limits)
    devMode = options.devMode
    argumentBytes = options.limits.argumentBytes
  }

  var storedBytes: Int { store.storedBytes }

  /// From now on the late function is there.
  mutating func deploy() { isDeployed = true }

  /// Runs a function. A mutation that fails has written nothing.
  mutating func run(_ kind: OnebaseCallKind, _ call: FunctionCall) -> Run {
    store.beginRun()
    if kind == .query { queryRuns &+= 1 }
    do throws(FunctionFailure) {
      let function = try find(kind, call.path)
      let result = try function.body(&store, call)
      return Run(result: result, reads: store.reads, writes: store.writes)
    } catch {
      // The reads of a failed run count: it may recover when what it read changes.
      return Run(result: failed(error), reads: store.reads)
    }
  }

  /// A failure as clients see it.
  func failed(_ failure: FunctionFailure) -> SharedResult { SharedResult(failure, devMode: devMode) }

  /// The failure of arguments that are too large, nil for others. `bytes` is their size as JSON text.
  func refusal(argumentBytes bytes: Int) -> SharedResult? {
    guard bytes > argumentBytes else { return nil }
    return failed(.refused("Arguments are too large: \(bytes) bytes, at most \(argumentBytes)"))
  }

  private func find(_ kind: OnebaseCallKind, _ path: String) throws(FunctionFailure) -> OnebaseFunction {
    guard let function = OnebaseFunction.named(path), !function.isLate || isDeployed else {
      throw .other("Could not find public function for '\(path.prefix(80))'")
    }
    guard function.kinds.contains(kind) else {
      throw .refused("'\(path)' is no \(kind.rawValue), it is a \(function.kinds[0].rawValue)")
    }
    return function
  }
}
