import Core
import JSON
import Network
import Protocols

/// What an audit found, for the report.
public struct AuditSummary: Hashable, Sendable {
  /// Different subscriptions that were asked for, and how many could not be answered.
  public var subscriptions = 0
  public var failed = 0
  /// Live subscriptions of clients that were compared, and how many of them showed something else than a fresh query.
  public var compared = 0
  public var different = 0
  /// Confirmed markers that were looked for, were not there, and were there more than once.
  public var confirmed = 0
  public var missing = 0
  public var repeated = 0
  /// Confirmed markers too old to be remembered.
  public var forgotten = 0

  public init() {}
}

/// One audit of one loop's clients: each distinct live subscription is asked for afresh, by a client that has it.
///
/// @unchecked: confined to its fleet runner's loop.
final class Auditor: @unchecked Sendable {
  /// Queries under way at once.
  static let most = 64
  /// Pages of one scan.
  static let mostPages = 10_000

  struct Subject {
    var key: UInt64
    var path: String
    var arguments: String
    /// Who asks.
    var client: ClientRunner
    var scan: AuditPlan?
    /// Everyone who shows it, with the hash of what they show.
    var shown: [(client: ClientID, hash: UInt64?)] = []
    var fresh: UInt64?
    /// How often each marker of this run was in the fresh value, or in all pages of the scan.
    var counts: [UInt64: Int] = [:]
    var repeated: [Marker] = []
    /// Arguments of the scan, without a cursor.
    var scanArguments: [UInt8] = []
    var pages = 0
    var isScanning = false
    var isScanned = false
  }

  private(set) var subjects: [Subject] = []
  private var next = 0
  private var underWay = 0
  private let runTag: UInt32
  private let done: Waiter

  init(_ subjects: [Subject], runTag: UInt32, loop: EventLoop) {
    self.subjects = subjects
    self.runTag = runTag
    done = Waiter(loop: loop, label: "audit")
  }

  /// Asks for all, for `limit` at most.
  func run(within limit: Duration) async throws(CancellationError) {
    let timer = CallbackTimer { [done] in done.signal() }
    done.loop.arm(timer, at: done.loop.now + limit)
    defer { done.loop.disarm(timer) }
    start()
    if underWay > 0 { try await done.wait() }
  }

  private func start() {
    while underWay < Self.most, next < subjects.count {
      let index = next
      next += 1
      underWay += 1
      ask(index, subjects[index].path, Array(subjects[index].arguments.utf8))
    }
  }

  private func ask(_ index: Int, _ path: String, _ arguments: [UInt8]) {
    subjects[index].client.command(.audit(AuditQuery(id: index, path: path, arguments: arguments)))
  }

  func answered(_ index: Int, _ value: [UInt8]?) {
    guard subjects.indices.contains(index) else { return }
    if !subjects[index].isScanning {
      subjects[index].fresh = value.map { SharedValue.canonicalHash(of: $0) }
      if let value, subjects[index].scan != nil {
        // The same query's own value may hold a marker twice as well.
        count(value, index)
        subjects[index].counts = [:]
        subjects[index].isScanning = true
        return scan(index, cursor: nil)
      }
      if let value { count(value, index) }
      return finished()
    }
    guard let value else { return finished() }
    count(value, index)
    subjects[index].pages += 1
    if subjects[index].scan?.paged == true, let cursor = Self.cursor(of: value) {
      if subjects[index].pages < Self.mostPages { return scan(index, cursor: cursor) }
      return finished()
    }
    subjects[index].isScanned = true
    finished()
  }

  private func scan(_ index: Int, cursor: [UInt8]?) {
    var arguments = subjects[index].scanArguments
    if let cursor {
      arguments.removeLast()
      if arguments.count > 1 { arguments.append(0x2C) }
      arguments.append(json: #""cursor":"#)
      arguments.append(contentsOf: cursor)
      arguments.append(0x7D)
    }
    ask(index, subjects[index].scan?.path ?? "", arguments)
  }

  private func finished() {
    underWay -= 1
    start()
    if underWay == 0 { done.signal() }
  }

  private func count(_ value: [UInt8], _ index: Int) {
    for marker in Marker.all(in: value) where marker.run == runTag {
      let times = (subjects[index].counts[marker.key] ?? 0) + 1
      subjects[index].counts[marker.key] = times
      if times == 2 { subjects[index].repeated.append(marker) }
    }
  }

  /// The raw `cursor` of a page; nil where there is none or it is null.
  static func cursor(of value: [UInt8]) -> [UInt8]? {
    var found: [UInt8]?
    _ = value.withUnsafeBytes { bytes in
      TopLevelScanner.scanObject(bytes) { member in
        if JSONText.equals(bytes[member.key], "cursor"), member.kind != .null { found = [UInt8](bytes[member.value]) }
      }
    }
    return found
  }
}
