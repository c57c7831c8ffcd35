import Core
import JSON
import Network
import ReferenceServer

/// `obload serve`: one of the reference servers on its own, until interrupted.
enum ServeCommand: Command {
  static let spec = CommandSpec(
    name: "serve", summary: "Run a reference server: onebase, palbase or echo.", arguments: ["PROTOCOL"],
    options: [
      OptionSpec("--listen", "ADDRESS", "where to listen; 127.0.0.1:4000 unless given, port 0 for any free one"),
      OptionSpec("--set", "KEY=VALUE", "an option of the server, as under target.embedded", repeatable: true),
    ],
    examples: [
      "obload serve onebase --listen 127.0.0.1:4000", "obload serve onebase --set idleTimeout=10s",
      "obload serve palbase --set limits.joins_per_second=5",
    ])

  private static let protocols = ["onebase", "palbase", "echo"]

  /// The server that is asked for, with its options.
  private enum Server {
    case onebase(OnebaseServerOptions)
    case palbase(PalbaseServerOptions)
    case echo(EchoServerOptions)

    /// The path that people connect to.
    var path: String {
      switch self {
      case .onebase(let options): options.path
      case .palbase(let options): options.path
      case .echo: "/"
      }
    }

    /// Starts it; answers where it listens and what ends it.
    func start(
      _ transport: any Transport, on address: SocketAddress
    ) throws(NetworkError) -> (SocketAddress, close: () -> Void) {
      switch self {
      case .onebase(let options):
        let server = OnebaseServer(transport: transport, options: options)
        return (try server.start(on: address), { server.close() })
      case .palbase(let options):
        let server = PalbaseServer(transport: transport, options: options)
        return (try server.start(on: address), { server.close() })
      case .echo(let options):
        let server = EchoServer(transport: transport, options: options)
        return (try server.start(on: address), { server.close() })
      }
    }
  }

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    let name = arguments.positionals[0]
    guard protocols.contains(name) else {
      let hint = Suggestion.nearest(to: name, among: protocols).map { "; did you mean \($0)?" } ?? ""
      throw UsageError(
        "there is no server for \"\(name)\": expected one of \(protocols.joined(separator: ", "))\(hint)")
    }
    let text = arguments.value("--listen") ?? "127.0.0.1:4000"
    guard let address = SocketAddress.parse(text) else {
      throw UsageError("--listen \"\(text)\": expected an address and port, such as 127.0.0.1:4000 or [::1]:4000")
    }
    let server = try server(name, arguments)
    _ = ResourcePlan.raiseDescriptorLimit()
    return serve(name, address, server)
  }

  private static func server(_ name: String, _ arguments: Arguments) throws(UsageError) -> Server {
    let diagnostics = Diagnostics()
    var value = LocatedValue(.object([]), at: .outside("--set"))
    do throws(Diagnostic) {
      for setting in arguments.all("--set") { value = try value.applying(assignment: setting, option: "--set") }
    } catch {
      throw UsageError(error.rendered(file: "--set"))
    }
    let server: Server =
      switch name {
      case "onebase": .onebase(OnebaseServerOptions.decode(value, diagnostics))
      case "palbase": .palbase(PalbaseServerOptions.decode(value, diagnostics))
      default: .echo(EchoServerOptions.decode(value, diagnostics))
      }
    if diagnostics.hasErrors { throw UsageError(diagnostics.rendered(file: "--set")) }
    return server
  }

  private static func serve(_ name: String, _ address: SocketAddress, _ server: Server) -> ExitCode {
    let loop = EventLoop(clock: .monotonic)
    let interrupt = Interrupt(loop: loop)
    interrupt.listen()
    do {
      return try loop.run {
        do throws(NetworkError) {
          let (bound, close) = try server.start(TCPTransport(loop: loop), on: address)
          Output.print("\(name) on ws://\(bound)\(server.path) until interrupted")
          await interrupt.wait()
          close()
          return .passed
        } catch {
          Output.error("obload: cannot listen on \(address): \(error)")
          return .noVerdict
        }
      }
    } catch {
      Output.error("obload: \(error)")
      return .noVerdict
    }
  }
}
