import Core
import Network

/// The end of a run: no more work, and everything wanted comes back.
extension FleetRunner {
  /// How long no message may have come for a fleet to count as quiet.
  public static let quietPeriod = Duration.milliseconds(500)
  private static let settleStep = Duration.milliseconds(50)

  /// Stops the workload, and waits until everything wanted is live, nothing is unanswered and no message has come for a
  /// while; for `limit` at most. False if that did not come about, or the task was cancelled. Faults are off by then.
  public func settle(within limit: Duration) async -> Bool {
    isSettling = true
    for client in clients { client.stopWorkload() }
    let began = loop.now
    while true {
      let now = loop.now
      // What was before counts: a run that ends in quiet need not wait for it again.
      if now - lastMessage >= Self.quietPeriod, clients.allSatisfy({ $0.isStopped || $0.condition.isSettled }) {
        return true
      }
      if now - began >= limit { return false }
      do throws(CancellationError) {
        try await loop.sleep(for: min(Self.settleStep, limit - (now - began)))
      } catch { return false }
    }
  }

  /// Clients that lack something they want, or wait for an answer; for the report of a run that did not settle.
  public var unsettled: Int { clients.count { !$0.isStopped && !$0.condition.isSettled } }
}

extension SessionCondition {
  var isSettled: Bool { isLive && unanswered == 0 }
}
