import Core

/// A call that was sent and waits for its answer.
struct OutstandingCall {
  let number: Int64
  let request: CallRequest
  let sent: Instant
}

/// The calls of one connection that are not answered, in the order they were sent.
struct CallTable {
  /// More are not sent; they wait in the outbox, which has a limit too.
  static let most = 10_000

  private var calls: [OutstandingCall] = []
  private var lastRequest: Int64 = 0

  var count: Int { calls.count }
  var hasRoom: Bool { calls.count < Self.most }

  /// A requestId that was not used yet.
  mutating func nextRequest() -> Int64 {
    lastRequest += 1
    return lastRequest
  }

  mutating func add(_ call: OutstandingCall) { calls.append(call) }

  /// Takes out the call with this requestId, if there is one.
  mutating func take(_ number: Int64) -> OutstandingCall? {
    // Answers come in order as a rule, and numbers ascend.
    if calls.first?.number == number { return calls.removeFirst() }
    var low = 0
    var high = calls.count
    while low < high {
      let middle = (low + high) / 2
      if calls[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low < calls.count && calls[low].number == number ? calls.remove(at: low) : nil
  }

  mutating func takeAll() -> [OutstandingCall] {
    let all = calls
    calls = []
    return all
  }

  /// Requests are numbered from 1 again, as after a restart.
  mutating func startOver() { lastRequest = 0 }
}
