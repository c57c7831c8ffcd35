import Core
import JSON

/// What the control API says of proxies, faults and connections.
enum ProxyJSON {
  static func proxy(_ named: NamedProxy) -> JSONValue {
    let proxy = named.proxy
    let counts = proxy.statistics
    return [
      "name": .string(named.name), "listen": .string("\(named.listen)"), "upstream": .string("\(named.upstream)"),
      "upstreamAddress": proxy.upstream.map { .string("\($0)") } ?? .null, "enabled": .bool(proxy.isEnabled),
      "paused": .bool(proxy.isPaused), "frames": .bool(proxy.tracks), "faults": faults(named),
      "connections": ["open": .integer(Int64(counts.open)), "accepted": number(counts.accepted)],
      "up": ["bytes": number(counts.bytesUp), "messages": number(counts.messagesUp)],
      "down": ["bytes": number(counts.bytesDown), "messages": number(counts.messagesDown)],
      "violations": number(counts.violations),
      "failures": .array(counts.failures.map { ["reason": .string($0.name), "count": number($0.count)] }),
    ]
  }

  static func faults(_ named: NamedProxy) -> JSONValue {
    .array(named.proxy.faultStates.map { fault(named, $0) })
  }

  static func fault(_ named: NamedProxy, _ state: FaultState) -> JSONValue {
    let done = state.application
    return [
      "name": .string(state.entry.name), "fault": .string(state.entry.kind),
      "state": .string(state.isOn ? "on" : state.isOver ? "over" : "waiting"),
      "definition": named.written(state.entry.name) ?? .null, "applications": number(done.applications),
      "connections": .integer(Int64(RangeList.count(done.connections))),
      "spanSeconds": done.span.map { .number($0.inSeconds) } ?? .null,
    ]
  }

  static func connection(_ state: ConnectionState, now: Instant) -> JSONValue {
    [
      "id": number(state.id.ordinal), "peer": .string("\(state.peer)"), "phase": .string(state.phase.rawValue),
      "ageSeconds": .number((now - state.opened).inSeconds), "faults": .array(state.faults.map { .string($0) }),
      "up": way(state.up), "down": way(state.down),
    ]
  }

  private static func way(_ way: ConnectionState.Way) -> JSONValue {
    [
      "bytesIn": number(way.bytesIn), "bytesOut": number(way.bytesOut), "heldBytes": .integer(Int64(way.heldBytes)),
      "frames": number(way.frames), "messages": number(way.messages), "ended": .bool(way.isEnded),
    ]
  }

  static func number(_ value: UInt64) -> JSONValue { .integer(Int64(clamping: value)) }
}
