import ClientSim
import Core

/// How a scenario is run, beside what it says itself.
struct RunOptions {
  var isVirtual = false
  var isJudged = true
  var isStrict = false
  /// Clients dial the target themselves: no proxy, so no faults and nothing to judge.
  var isDirect = false
  /// Event loops for clients and proxies; nil: as many as there are processors to spare.
  var loops: Int?
  /// The words that run it again.
  var command = ""
}

/// What all loops of a run share; everything in it is safe to use from any of them.
struct RunShared: Sendable {
  var propagation: PropagationTable
  /// Tells this run's markers from those of another on a server that keeps its data.
  var runTag: UInt32
  /// What clients say in their upgrade requests.
  var authority: String
  var target: String
}
