import Core
import Glibc

@main
struct Main {
  static func main() {
    // A reader of our output that goes away must not end a run.
    signal(SIGPIPE, SIG_IGN)
    exit(Commands.run(Array(CommandLine.arguments.dropFirst())).rawValue)
  }
}
