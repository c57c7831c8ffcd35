import Core
import JSON
import Protocols

/// The state of one channel: its entries, in an order that depends on nothing but what happened, and their version.
struct RoomState {
  struct Entry {
    var key: String
    /// JSON text.
    var value: [UInt8]
    var life: PalbaseLife
    /// The number of the connection that wrote it, and the user it spoke for.
    var writer: UInt64
    var subject: String

    /// What it counts for: key and value.
    var bytes: Int { key.utf8.count + value.count }

    /// An ephemeral entry is its connection's; a durable one outlives that, and is its user's.
    func isOwn(of connection: UInt64, subject: String) -> Bool {
      life == .ephemeral ? writer == connection : self.subject.utf8.elementsEqual(subject.utf8)
    }
  }

  private(set) var entries: [Entry] = []
  /// By the bytes of the key: strings compare by what they look like.
  private var index: [[UInt8]: Int] = [:]
  private(set) var bytes = 0
  /// Grows by one with each change.
  private(set) var version: Int64 = 0

  subscript(key: String) -> Entry? { index[Array(key.utf8)].map { entries[$0] } }

  mutating func set(_ entry: Entry) {
    version += 1
    let key = Array(entry.key.utf8)
    if let place = index[key] {
      bytes += entry.bytes - entries[place].bytes
      entries[place] = entry
    } else {
      bytes += entry.bytes
      index[key] = entries.count
      entries.append(entry)
    }
  }

  /// Removes an entry; the last one takes its place.
  mutating func remove(_ key: String) -> Entry? {
    guard let place = index.removeValue(forKey: Array(key.utf8)) else { return nil }
    version += 1
    let removed = entries[place]
    bytes -= removed.bytes
    let last = entries.removeLast()
    if place < entries.count {
      entries[place] = last
      index[Array(last.key.utf8)] = place
    }
    return removed
  }

  /// The keys of a connection's ephemeral entries.
  func ephemeralKeys(of connection: UInt64) -> [String] {
    entries.compactMap { $0.life == .ephemeral && $0.writer == connection ? $0.key : nil }
  }

  /// Whether the state holds anything that is the member's own.
  func hasOwn(of connection: UInt64, subject: String) -> Bool {
    entries.contains { $0.isOwn(of: connection, subject: subject) }
  }

  /// Appends the payload of the whole state, as a member sees it; nil for one who owns nothing.
  func write(for member: (connection: UInt64, subject: String)?, into out: inout [UInt8]) {
    PalbaseServerMessage.writeState(version: version, into: &out) { out in
      for (place, entry) in entries.enumerated() {
        if place > 0 { out.append(UInt8(ascii: ",")) }
        JSONText.appendString(entry.key, to: &out)
        out.append(UInt8(ascii: ":"))
        let isOwn = member.map { entry.isOwn(of: $0.connection, subject: $0.subject) } ?? false
        PalbaseEntry.write(value: entry.value, life: entry.life, isOwn: isOwn, into: &out)
      }
    }
  }
}
