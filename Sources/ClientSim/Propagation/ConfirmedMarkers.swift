import Core

/// The mutations that the server confirmed, per subscription that is to show them: what the audit looks for.
///
/// Of each subscription the newest 4,096 of this loop are remembered, and 262,144 in all; older ones are not looked for.
struct ConfirmedMarkers {
  static let mostPerKey = 4_096
  static let mostInAll = 262_144

  private struct Ring {
    var markers: [Marker] = []
    var next = 0
  }

  private var rings: [UInt64: Ring] = [:]
  private var total = 0
  /// Confirmed and not remembered any more.
  private(set) var forgotten = 0

  mutating func add(_ marker: Marker, key: UInt64) {
    var ring = rings.removeValue(forKey: key) ?? Ring()
    if ring.markers.count < Self.mostPerKey, total < Self.mostInAll {
      ring.markers.append(marker)
      total += 1
    } else if ring.markers.isEmpty {
      forgotten += 1
    } else {
      ring.markers[ring.next] = marker
      ring.next = (ring.next + 1) % ring.markers.count
      forgotten += 1
    }
    rings[key] = ring
  }

  /// In no order that means anything, but always the same one.
  func markers(key: UInt64) -> [Marker] { rings[key]?.markers ?? [] }
}
