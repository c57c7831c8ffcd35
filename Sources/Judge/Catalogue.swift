import Protocols

/// Which clauses a protocol is judged by.
extension Judge {
  static func clauseTypes(for protocol: ProtocolName) -> [any Clause.Type] {
    switch `protocol` {
    case .onebase: OnebaseClauses.all
    case .echo, .palbase: []
    case .websocket: WebSocketClauses.all
    case .phoenix: WebSocketClauses.all + WebSocketClauses.phoenix
    }
  }
}
