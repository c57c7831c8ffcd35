import Core
import JSON
import Network
import ReferenceServer

/// `obload serve`: one of the reference servers on its own, until interrupted.
enum ServeCommand: Command {
  static let spec = CommandSpec(
    name: "serve", summary: "Run a reference server: onebase or echo.", arguments: ["PROTOCOL"],
    options: [
      OptionSpec("--listen", "ADDRESS", "where to listen; 127.0.0.1:4000 unless given, port 0 for any free one"),
      OptionSpec("--set", "KEY=VALUE", "an option of the server, as under target.embedded", repeatable: true),
    ],
    examples: ["obload serve onebase --listen 127.0.0.1:4000", "obload serve onebase --set idleTimeout=10s"])

  private static let protocols = ["onebase", "echo"]

  static func run(_ arguments: Arguments) throws(UsageError) -> ExitCode {
    let name = arguments.positionals[0]
    guard protocols.contains(name) else {
      let hint = Suggestion.nearest(to: name, among: protocols).map { "; did you mean \($0)?" } ?? ""
      throw UsageError("there is no server for \"\(name)\": expected \(protocols.joined(separator: " or "))\(hint)")
    }
    let text = arguments.value("--listen") ?? "127.0.0.1:4000"
    guard let address = SocketAddress.parse(text) else {
      throw UsageError("--listen \"\(text)\": expected an address and port, such as 127.0.0.1:4000 or [::1]:4000")
    }
    let options = try options(arguments, isOnebase: name == "onebase")
    _ = ResourcePlan.raiseDescriptorLimit()
    return serve(name, address, options)
  }

  private static func options(_ arguments: Arguments, isOnebase: Bool) throws(UsageError) -> OnebaseServerOptions {
    let diagnostics = Diagnostics()
    var value = LocatedValue(.object([]), at: .outside("--set"))
    do throws(Diagnostic) {
      for setting in arguments.all("--set") { value = try value.applying(assignment: setting, option: "--set") }
    } catch {
      throw UsageError(error.rendered(file: "--set"))
    }
    if !isOnebase, value.members?.isEmpty == false { throw UsageError("the echo server has no options") }
    let options = OnebaseServerOptions.decode(value, diagnostics)
    if diagnostics.hasErrors { throw UsageError(diagnostics.rendered(file: "--set")) }
    return options
  }

  private static func serve(_ name: String, _ address: SocketAddress, _ options: OnebaseServerOptions) -> ExitCode {
    let loop = EventLoop(clock: .monotonic)
    let interrupt = Interrupt(loop: loop)
    interrupt.listen()
    do {
      return try loop.run {
        let transport = TCPTransport(loop: loop)
        do throws(NetworkError) {
          let bound: SocketAddress
          let close: () -> Void
          if name == "onebase" {
            let server = OnebaseServer(transport: transport, options: options)
            bound = try server.start(on: address)
            close = { server.close() }
          } else {
            let server = EchoServer(transport: transport)
            bound = try server.start(on: address)
            close = { server.close() }
          }
          Output.print("\(name) on ws://\(bound)\(name == "onebase" ? options.path : "/") until interrupted")
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
