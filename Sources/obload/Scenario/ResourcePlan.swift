import ClientSim
import Core
import Glibc

/// What a run needs of the machine, worked out before it starts: descriptors, ports, memory.
struct ResourcePlan {
  /// Descriptors that are not connections: loops, files, standard streams, listeners.
  static let reservedDescriptors = 64
  /// What Linux gives by default: ports 32,768 to 60,999.
  static let portsPerSource = ClientDial.clientsPerSource
  /// Estimates of resident memory per client, beyond the sockets: docs/performance.md has the measured ones.
  static let bytesPerClient = 8 * 1024
  static let bytesPerRelay = 4 * 1024
  static let bytesPerServerConnection = 4 * 1024
  static let baseBytes = 40 * 1024 * 1024

  var clients: Int
  var isEmbedded: Bool
  var isVirtual: Bool
  var isDirect = false
  var loops: Int
  /// The process's limit on open descriptors, once raised as far as it goes.
  var descriptorLimit: Int
  /// Memory that can be had without swapping, in bytes; nil where the system does not say.
  var availableMemory: Int?

  /// A client's own socket, the proxy's two unless clients dial directly, and the server's if that is in this process too.
  var descriptorsPerClient: Int { isVirtual ? 0 : 1 + (isDirect ? 0 : 2) + (isEmbedded ? 1 : 0) }
  var descriptors: Int { Self.reservedDescriptors + clients * descriptorsPerClient }
  var mostClients: Int {
    descriptorsPerClient == 0 ? .max : max(0, (descriptorLimit - Self.reservedDescriptors) / descriptorsPerClient)
  }

  /// Source addresses the clients dial from, 127.0.0.2 on, so that no one of them runs out of ports to a listener.
  var clientSources: Int { max(1, (clients + Self.portsPerSource - 1) / Self.portsPerSource) }

  var memory: Int {
    Self.baseBytes + clients
      * (Self.bytesPerClient + (isDirect ? 0 : Self.bytesPerRelay) + (isEmbedded ? Self.bytesPerServerConnection : 0))
  }

  /// Why the run cannot start on this machine, with the arithmetic and the mend; empty when it can.
  var problems: [String] {
    var problems: [String] = []
    if descriptors > descriptorLimit {
      problems.append(
        "\(clients) clients need \(descriptors) descriptors (\(clients) × \(descriptorsPerClient)"
          + " + \(Self.reservedDescriptors)) and this process may have \(descriptorLimit):"
          + " run at most \(mostClients) clients, raise the limit (ulimit -Hn), or use --virtual")
    }
    // The proxy dials the target, embedded or not, from one address of this machine.
    if !isVirtual, clients > Self.portsPerSource {
      problems.append(
        "\(clients) clients need \(clients) ports towards the target and one address has about \(Self.portsPerSource):"
          + " run at most \(Self.portsPerSource) clients here")
    }
    if let availableMemory, memory > availableMemory {
      problems.append(
        "\(clients) clients need about \(memory / 1_048_576) MiB of memory and \(availableMemory / 1_048_576) MiB are to be"
          + " had: run fewer clients, or elsewhere")
    }
    return problems
  }

  /// Lines for `obload check`.
  var lines: [String] {
    if isVirtual { return ["virtual: one loop, no descriptors or ports; about \(memory / 1_048_576) MiB of memory"] }
    return [
      "descriptors  \(descriptors) of \(descriptorLimit)  (\(clients) × \(descriptorsPerClient)"
        + " + \(Self.reservedDescriptors))",
      "ports        \(clients) towards the proxy, from \(clientSources) source address\(clientSources == 1 ? "" : "es");"
        + " \(clients) from the proxy on (about \(Self.portsPerSource) to be had)",
      "memory       about \(memory / 1_048_576) MiB"
        + (availableMemory.map { " of \($0 / 1_048_576) MiB to be had" } ?? ""),
      "loops        \(loops)",
    ]
  }

  /// Raises the soft limit on descriptors to the hard one; answers what is then allowed.
  static func raiseDescriptorLimit() -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return 1024 }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(resource, &limit)
      _ = getrlimit(resource, &limit)
    }
    return limit.rlim_cur > 1 << 30 ? 1 << 30 : Int(limit.rlim_cur)
  }
}
