import Core
import Network
import WebSocket

/// A set's figures as Prometheus reads them (text format 0.0.4).
enum ProxyMetrics {
  static func response(_ set: ProxySet) -> HTTPResponse {
    HTTPResponse(
      status: 200, headers: HTTPHeaders([HeaderField("Content-Type", "text/plain; version=0.0.4; charset=utf-8")]),
      body: Array(text(set).utf8))
  }

  private typealias Sample = (labels: [(String, String)], value: Double)

  static func text(_ set: ProxySet) -> String {
    var out = ""
    func family(_ name: String, _ type: String, _ help: String, _ samples: [Sample]) {
      out += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for sample in samples {
        let labels = sample.labels.map { "\($0.0)=\"\(escaped($0.1))\"" }.joined(separator: ",")
        out += "\(name){\(labels)} \(number(sample.value))\n"
      }
    }
    let all = set.proxies.map { (named: $0, counts: $0.proxy.statistics, faults: $0.proxy.faultStates) }
    func each(_ value: (NamedProxy, ProxyStatistics) -> Double) -> [Sample] {
      all.map { ([("proxy", $0.named.name)], value($0.named, $0.counts)) }
    }
    func ways(_ up: KeyPath<ProxyStatistics, UInt64>, _ down: KeyPath<ProxyStatistics, UInt64>) -> [Sample] {
      all.flatMap { one in
        [("up", up), ("down", down)].map { way, path in
          ([("proxy", one.named.name), ("direction", way)], Double(one.counts[keyPath: path]))
        }
      }
    }
    func faults(_ value: (FaultState) -> Double) -> [Sample] {
      all.flatMap { one in
        one.faults.map { state in
          (
            [("proxy", one.named.name), ("fault", state.entry.name), ("kind", state.entry.kind)],
            value(state)
          )
        }
      }
    }
    family(
      "obload_proxy_enabled", "gauge", "1 while the proxy is enabled.",
      each { named, _ in named.proxy.isEnabled ? 1 : 0 })
    family(
      "obload_proxy_paused", "gauge", "1 while everything is held.", each { named, _ in named.proxy.isPaused ? 1 : 0 })
    family("obload_proxy_connections_open", "gauge", "Connections open now.", each { Double($1.open) })
    family("obload_proxy_connections_total", "counter", "Connections accepted.", each { Double($1.accepted) })
    family(
      "obload_proxy_bytes_total", "counter", "Bytes read, up from clients, down from the upstream.",
      ways(\.bytesUp, \.bytesDown))
    family(
      "obload_proxy_messages_total", "counter", "Whole WebSocket messages seen, where frames are followed.",
      ways(\.messagesUp, \.messagesDown))
    family(
      "obload_proxy_violations_total", "counter", "Directions whose bytes were no valid HTTP or WebSocket.",
      each { Double($1.violations) })
    family(
      "obload_proxy_failures_total", "counter", "Connections ended by neither a peer nor a fault, by reason.",
      all.flatMap { one in
        one.counts.failures.map { ([("proxy", one.named.name), ("reason", $0.name)], Double($0.count)) }
      })
    family("obload_proxy_fault_on", "gauge", "1 while the fault is on.", faults { $0.isOn ? 1 : 0 })
    family(
      "obload_proxy_fault_applications_total", "counter", "Bytes, frames, messages or connections the fault acted on.",
      faults { Double($0.application.applications) })
    family(
      "obload_proxy_fault_connections", "gauge", "Connections the fault has touched.",
      faults { Double(RangeList.count($0.application.connections)) })
    return out
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }

  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { "\($0)" } ?? "\(value)"
  }
}
