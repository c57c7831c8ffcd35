import Core
import FaultProxy
import JSON
import Network

/// `obload proxy`: fault-injecting proxies on their own, between any client and any server, until interrupted.
///
/// One loop serves all of them; more processes listen on more ports.
enum ProxyCommand: Command {
  static let spec = CommandSpec(
    name: "proxy", summary: "Run the fault proxy on its own, between any client and any server.",
    options: [
      OptionSpec("--listen", "ADDRESS", "where clients connect; :8080 is this machine alone", repeatable: true),
      OptionSpec("--upstream", "URL", "where its connections are passed on to, for each --listen", repeatable: true),
      OptionSpec("--name", "NAME", "its name in the control API, for each --listen or none", repeatable: true),
      OptionSpec("--faults", "FILE", "faults to begin with: an array, or an object with faults"),
      OptionSpec("--frames", nil, "follow WebSocket frames, so that faults on them can be added later"),
      OptionSpec("--control", "ADDRESS", "serve the control API here; Toxiproxy's clients understand it"),
      OptionSpec("--seed", "N", "what memberships and jitter are drawn from; 1 unless given"),
      OptionSpec("--quiet", nil, "do not tell of faults that begin and end, nor of connections that fail"),
    ],
    examples: [
      "obload proxy --listen :8080 --upstream ws://127.0.0.1:4000",
      "obload proxy --listen :8080 --upstream ws://127.0.0.1:4000 --faults faults.json5",
      "obload proxy --listen :8080 --upstream ws://127.0.0.1:4000 --frames --control :8474",
      "obload proxy --listen :1 --upstream tcp://db:5432 --listen :2 --upstream tcp://cache:6379",
      "obload proxy --control :8474",
    ])

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    var specifications = try specifications(arguments)
    var control: SocketAddress?
    if let text = arguments.value("--control") {
      guard let address = ListenText.parse(text) else {
        throw UsageError("--control \"\(text)\": expected \(ListenText.expected)")
      }
      control = address
    }
    if specifications.isEmpty, control == nil {
      throw UsageError("obload proxy needs --listen and --upstream, or --control to be given proxies later")
    }
    if let path = arguments.value("--faults") {
      if specifications.isEmpty { throw UsageError("--faults needs a proxy to act on: --listen and --upstream") }
      let faults = try read(path)
      for index in specifications.indices { specifications[index].faults = faults }
    }
    var options = ProxySet.Options()
    options.trackFrames = arguments.has("--frames")
    options.seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    _ = ResourcePlan.raiseDescriptorLimit()
    let service = ProxyService(
      specifications: specifications, options: options, control: control, isQuiet: arguments.has("--quiet"))
    return service.run()
  }

  static func specifications(_ arguments: Arguments) throws(UsageError) -> [ProxySet.Specification] {
    let listens = arguments.all("--listen")
    let upstreams = arguments.all("--upstream")
    let names = arguments.all("--name")
    guard listens.count == upstreams.count else {
      throw UsageError(
        "\(listens.count) --listen and \(upstreams.count) --upstream: expected as many of one as of the other")
    }
    guard names.isEmpty || names.count == listens.count else {
      throw UsageError("\(names.count) --name for \(listens.count) proxies: expected one for each, or none")
    }
    var result: [ProxySet.Specification] = []
    for index in listens.indices {
      guard let listen = ListenText.parse(listens[index]) else {
        throw UsageError("--listen \"\(listens[index])\": expected \(ListenText.expected)")
      }
      guard let upstream = UpstreamName.parse(upstreams[index]) else {
        throw UsageError("--upstream \"\(upstreams[index])\": expected \(UpstreamName.expected)")
      }
      if upstream.isSecure {
        throw UsageError(
          "--upstream \"\(upstreams[index])\": TLS is not available yet; expected the server's plain port")
      }
      let name = names.isEmpty ? (listens.count == 1 ? "proxy" : "proxy-\(index + 1)") : names[index]
      result.append(ProxySet.Specification(name: name, listen: listen, upstream: upstream))
    }
    return result
  }

  private static func read(_ path: String) throws(UsageError) -> [FaultRequest] {
    let diagnostics = Diagnostics()
    let bytes = try ScenarioFile.bytes(of: path, expected: "--faults takes a file with faults, as a scenario has them")
    var faults: [FaultRequest] = []
    if let value = LocatedJSON.read(bytes, diagnostics: diagnostics).value, !diagnostics.hasErrors {
      faults = FaultRequest.decodeList(value, diagnostics)
    } else if !diagnostics.hasErrors {
      diagnostics.error(at: nil, "the file is empty", expected: "an array of faults [ … ]")
    }
    if diagnostics.hasErrors { throw UsageError(diagnostics.rendered(file: path)) }
    if !diagnostics.isEmpty { Output.error(diagnostics.rendered(file: path)) }
    return faults
  }
}
