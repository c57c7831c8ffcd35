import Core
import WebSocket

/// Where frames and messages of one direction stop until faults have decided about them.
final class FrameGate {
  /// So many bytes of waiting messages are held before the source is read no further.
  static let holdLimit = 1024 * 1024

  /// What becomes of the bytes of the frame the stream stands in.
  enum Fate {
    case pass
    case drop
    /// They are part of a message that is being gathered.
    case hold
  }

  struct Filter {
    var run: FaultRun
    var activation: Int
    var filter: FrameFilter
    /// Not the fault's own filter, but what waits for the message that it begins behind.
    var trigger: OwnTime?
    var hasTouched = false
  }

  var filters: [Filter] = []
  var fate = Fate.pass
  /// What becomes of the data message that has begun and not ended; nil between messages.
  var messageFate: Fate?
  /// Which fault drops the present frame.
  var droppers: FaultSet = []
  /// The frame the stream stood in when the gate came: it has begun to pass, so it passes.
  var skipsFrame: Bool
  /// The bytes of a header that is not complete, or of a control frame.
  var partial: [UInt8] = []
  /// The frames of a message that is being gathered.
  var held: [UInt8] = []
  /// What may go on.
  var out: [UInt8] = []
  /// Faults that begin behind the present frame.
  var fired: [OwnTime] = []
  /// Messages that go on at a time of their own, the earliest first, those of one time as they came.
  private var waiting: [WaitingMessage] = []
  private var gatherings: [Gathering] = []
  private var waitingBytes = 0
  /// An end of the direction, behind the messages that wait.
  var mark: Segment.Mark?

  init(skipsFrame: Bool, isWithinMessage: Bool) {
    self.skipsFrame = skipsFrame
    messageFate = isWithinMessage ? .pass : nil
  }

  var wantsMessages: Bool { filters.contains { $0.filter.wantsMessages } }
  /// Whether it can go without losing anything.
  var isIdle: Bool { filters.isEmpty && partial.isEmpty && held.isEmpty && fate != .drop && !hasWaiting && mark == nil }

  // MARK: Messages that wait

  var hasWaiting: Bool { !waiting.isEmpty || !gatherings.isEmpty }
  /// Whether what has gone on ends between two messages, so that another may go on.
  var isAtBoundary: Bool { !skipsFrame && messageFate != .pass }
  /// Whether so much waits that the source is not read. Within a message that passes it is, or its end would never come.
  var isFull: Bool { waitingBytes >= Self.holdLimit && isAtBoundary }

  /// When the next of them goes on; nil if nothing waits, or nothing can go on before a message that passes has ended.
  var nextDue: Instant? {
    guard hasWaiting, isAtBoundary else { return nil }
    var next = waiting.first?.due ?? .distantFuture
    for gathering in gatherings { next = min(next, gathering.deadline) }
    return next
  }

  func wait(_ message: GateMessage, until due: Instant, _ filter: Filter) {
    waitingBytes += message.size
    // As a rule it comes last.
    let place = (waiting.lastIndex { $0.due <= due } ?? -1) + 1
    waiting.insert(
      WaitingMessage(message: message, due: due, run: filter.run, activation: filter.activation), at: place)
  }

  /// Adds to what the filter's fault gathers; when all have come they are due now.
  func gather(_ message: GateMessage, count: Int, until deadline: Instant, _ filter: Filter, _ now: Instant) {
    waitingBytes += message.size
    if let place = gatherings.firstIndex(where: { $0.run === filter.run }) {
      gatherings[place].messages.append(message)
      if gatherings[place].messages.count >= count { release(place, now) }
    } else {
      gatherings.append(
        Gathering(
          run: filter.run, activation: filter.activation, filter: filter.filter, deadline: deadline,
          messages: [message]))
      if count <= 1 { release(gatherings.count - 1, now) }
    }
  }

  private func release(_ place: Int, _ now: Instant, inOrder: Bool = false) {
    let gathering = gatherings.remove(at: place)
    var order = Array(gathering.messages.indices)
    let drawn = inOrder ? order : gathering.filter.order(order.count)
    // A filter that leaves one out or names it twice is not followed.
    if drawn.sorted() == order { order = drawn }
    let behind = waiting.firstIndex { $0.due > now } ?? waiting.count
    waiting.insert(
      contentsOf: order.map {
        WaitingMessage(
          message: gathering.messages[$0], due: now, run: gathering.run, activation: gathering.activation)
      }, at: behind)
  }

  /// The next message whose time has come.
  func popDue(_ now: Instant) -> GateMessage? {
    while let place = gatherings.firstIndex(where: { $0.deadline <= now }) { release(place, now) }
    guard let first = waiting.first, first.due <= now else { return nil }
    waiting.removeFirst()
    waitingBytes -= first.message.size
    return first.message
  }

  /// What faults hold that are not on any more is due now, in the order it came.
  func letGo(of isOn: (FaultRun, Int) -> Bool, _ now: Instant) {
    guard hasWaiting else { return }
    for index in gatherings.indices.reversed() where !isOn(gatherings[index].run, gatherings[index].activation) {
      release(index, now, inOrder: true)
    }
    let ended = waiting.filter { !isOn($0.run, $0.activation) }
    guard !ended.isEmpty else { return }
    waiting.removeAll { !isOn($0.run, $0.activation) }
    let inOrder = ended.sorted { $0.message.number < $1.message.number }
    let behind = waiting.firstIndex { $0.due > now } ?? waiting.count
    waiting.insert(
      contentsOf: inOrder.map {
        var freed = $0
        freed.due = now
        return freed
      }, at: behind)
  }

  func forgetWaiting() {
    waiting = []
    gatherings = []
    waitingBytes = 0
    mark = nil
  }
}

/// A message that goes on at a time of its own.
struct WaitingMessage {
  var message: GateMessage
  var due: Instant
  var run: FaultRun
  var activation: Int
}

/// Messages that wait for each other.
struct Gathering {
  var run: FaultRun
  var activation: Int
  var filter: FrameFilter
  var deadline: Instant
  var messages: [GateMessage]
}

/// A data message that faults decide about, and what they have made of it so far.
struct GateMessage {
  /// As it came.
  let original: WireMessage
  let arrival: Instant
  /// Counts the direction's messages, for their order.
  let number: UInt64
  /// Its frames as they came; empty when they no longer fit.
  var frames: [UInt8]
  /// As it goes on.
  var message: WireMessage
  var isEdited = false
  var copies = 0
  var faults: FaultSet = []
  /// The judge has been told that it came in.
  var isTold = false
  /// Faults up to this place in the timeline have decided.
  var decided = -1

  init(_ message: WireMessage, frames: [UInt8], arrival: Instant, number: UInt64) {
    original = message
    self.message = message
    self.frames = frames
    self.arrival = arrival
    self.number = number
  }

  /// What it takes while it waits, roughly; small messages more than their bytes.
  var size: Int { 512 + frames.count + original.payload.count + message.payload.count }
}
