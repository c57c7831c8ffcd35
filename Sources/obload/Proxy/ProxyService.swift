import Core
import FaultProxy
import Network

/// Serves proxies and their control API until interrupted, and tells what happens to them.
struct ProxyService {
  var specifications: [ProxySet.Specification]
  var options: ProxySet.Options
  var control: SocketAddress?
  var isQuiet: Bool

  /// How often failures are looked at.
  private static let newsInterval = Duration.seconds(1)

  func run() -> ExitCode {
    let loop = EventLoop(clock: .monotonic)
    let interrupt = Interrupt(loop: loop)
    interrupt.listen()
    let service = self
    do {
      return try loop.run { await service.serve(on: loop, until: interrupt) }
    } catch {
      Output.error("obload: \(error)")
      return .noVerdict
    }
  }

  private func serve(on loop: EventLoop, until interrupt: Interrupt) async -> ExitCode {
    let transport = TCPTransport(loop: loop)
    let set = ProxySet(transport: transport, options: options)
    defer { set.close() }
    if !isQuiet {
      set.edges = { named, edge, entry, at in
        Output.error("\(Self.seconds(at))  \(named.name): \(entry.name) \(edge.edge == .started ? "begins" : "ends")")
      }
    }
    for specification in specifications {
      do throws(ProxySetError) {
        let named = try set.add(specification)
        Output.print("\(named.name) on \(named.listen) → \(named.upstream)")
      } catch {
        Output.error("obload: \(specification.name): \(error)")
        return .noVerdict
      }
    }
    var server: ControlServer?
    defer { server?.close() }
    if let control {
      let started = ControlServer(set, transport: transport, version: Version.text)
      server = started
      do throws(NetworkError) {
        let address = try started.listen(on: control)
        Output.print("control on http://\(address)")
        if !address.isLoopback { Output.error("warning: whoever reaches \(address) can steer these proxies") }
      } catch {
        Output.error("obload: cannot serve the control API: \(error)")
        return .noVerdict
      }
    }
    await withDiscardingTaskGroup { group in
      group.addTask(executorPreference: loop) { try? await set.run() }
      if !isQuiet { group.addTask(executorPreference: loop) { await Self.tellFailures(of: set) } }
      await interrupt.wait()
      group.cancelAll()
    }
    return .passed
  }

  /// Tells, once a second, why connections ended that were ended by neither a peer nor a fault.
  private static func tellFailures(of set: ProxySet) async {
    var told: [String: UInt64] = [:]
    while true {
      do { try await set.loop.sleep(for: newsInterval) } catch { return }
      var news: [String: UInt64] = [:]
      for named in set.proxies {
        for failure in named.proxy.statistics.failures {
          let key = "\(named.name): \(failure.name)"
          news[key] = failure.count
          let fresh = failure.count - min(failure.count, told[key] ?? 0)
          if fresh == 0 { continue }
          let reason = named.resolutionFailure.map { " (\($0))" } ?? ""
          Output.error("\(seconds(set.loop.now))  \(key)\(fresh > 1 ? " × \(fresh)" : "")\(reason)")
        }
      }
      told = news
    }
  }

  private static func seconds(_ at: Instant) -> String {
    "\(Quantity.fixed((at - .zero).inSeconds, decimals: 3)) s"
  }
}
