import Core
import Protocols
import Testing

@testable import obload

/// Every command's help, to the letter.
@Suite struct HelpTests {
  @Test func theProgramListsItsCommands() {
    #expect(
      Commands.help == """
        obload \(Version.text): load and chaos testing for realtime systems

        usage: obload COMMAND …

        commands:
          run       Run a scenario: clients, faults, budgets, clauses, verdict.
          check     Check a scenario: every mistake with line and column, and what a run needs.
          clauses   Print the clauses that runs are judged by.
          proxy     Run the fault proxy on its own, between any client and any server.
          serve     Run a reference server: onebase, palbase or echo.

        obload COMMAND --help tells more.
        Exit codes: 0 held, 1 failed, 2 usage, 3 no verdict, 130 interrupted.
        """)
  }

  @Test func run() {
    #expect(
      RunCommand.spec.help == """
        usage: obload run SCENARIO [options]

        Run a scenario: clients, faults, budgets, clauses, verdict.

        options:
          --url URL          run against this server instead of the scenario's target
          --clients N        change the fleets' sizes in proportion, to N clients in all
          --duration TIME    how long the workload lasts, such as 30s or 10m
          --seed N           the seed that everything random comes from
          --budget TEXT      one more budget (may be repeated)
          --set KEY=VALUE    change a value, such as fleets[readers].ramp=2s (may be repeated)
          --allow-host HOST  allow a target that is not this machine (may be repeated)
          --virtual          run in virtual time, over an in-memory network, with an embedded server
          --out DIR          write the report here instead of reports/SCENARIO-TIME
          --strict           let violations of a SHOULD fail the run
          --no-judge         measure only: read no frames, judge no clauses
          --direct           measure only: no proxy; for scenarios without faults and required clauses
          --loops N          event loops for clients and proxies
          --quiet            print only the verdict and what failed

        examples:
          obload run scenarios/quickstart.json5
          obload run scenarios/reconnect-storm.json5 --virtual --clients 1000 --duration 10m
          obload run first.json5 --url ws://127.0.0.1:4000/api/sync --budget 'call p99 < 50ms'
        """)
  }

  @Test func check() {
    #expect(
      CheckCommand.spec.help == """
        usage: obload check SCENARIO [options]

        Check a scenario: every mistake with line and column, and what a run needs.

        options:
          --url URL          run against this server instead of the scenario's target
          --clients N        change the fleets' sizes in proportion, to N clients in all
          --duration TIME    how long the workload lasts, such as 30s or 10m
          --seed N           the seed that everything random comes from
          --budget TEXT      one more budget (may be repeated)
          --set KEY=VALUE    change a value, such as fleets[readers].ramp=2s (may be repeated)
          --allow-host HOST  allow a target that is not this machine (may be repeated)
          --virtual          check for a run in virtual time
          --json             print the result as JSON

        examples:
          obload check scenarios/quickstart.json5
          obload check big.json5 --clients 5000 --json
        """)
  }

  @Test func serve() {
    #expect(
      ServeCommand.spec.help == """
        usage: obload serve PROTOCOL [options]

        Run a reference server: onebase, palbase or echo.

        options:
          --listen ADDRESS  where to listen; 127.0.0.1:4000 unless given, port 0 for any free one
          --set KEY=VALUE   an option of the server, as under target.embedded (may be repeated)

        examples:
          obload serve onebase --listen 127.0.0.1:4000
          obload serve onebase --set idleTimeout=10s
          obload serve palbase --set limits.joins_per_second=5
        """)
  }

  @Test func proxy() {
    #expect(
      ProxyCommand.spec.help == """
        usage: obload proxy [options]

        Run the fault proxy on its own, between any client and any server.

        options:
          --listen ADDRESS   where clients connect; :8080 is this machine alone (may be repeated)
          --upstream URL     where its connections are passed on to, for each --listen (may be repeated)
          --name NAME        its name in the control API, for each --listen or none (may be repeated)
          --faults FILE      faults to begin with: an array, or an object with faults
          --frames           follow WebSocket frames, so that faults on them can be added later
          --control ADDRESS  serve the control API here; Toxiproxy's clients understand it
          --seed N           what memberships and jitter are drawn from; 1 unless given
          --quiet            do not tell of faults that begin and end, nor of connections that fail

        examples:
          obload proxy --listen :8080 --upstream ws://127.0.0.1:4000
          obload proxy --listen :8080 --upstream ws://127.0.0.1:4000 --faults faults.json5
          obload proxy --listen :8080 --upstream ws://127.0.0.1:4000 --frames --control :8474
          obload proxy --listen :1 --upstream tcp://db:5432 --listen :2 --upstream tcp://cache:6379
          obload proxy --control :8474
        """)
  }

  @Test func nothingIsWiderThanTheReport() {
    for text in [Commands.help] + Commands.all.map({ $0.spec.help }) {
      // Examples are commands to copy, in one line each.
      let lines = text.split(separator: "\n").prefix { $0 != "examples:" }
      for line in lines { #expect(line.count <= Columns.width, "\(line)") }
    }
  }

  private func mistake(_ command: any Command.Type, _ words: String...) -> String? {
    do throws(UsageError) {
      _ = try command.run(try Arguments(words, for: command.spec))
      return nil
    } catch {
      return error.description
    }
  }

  @Test func mistakesOfServe() {
    #expect(
      mistake(ServeCommand.self, "oneabse")
        == "there is no server for \"oneabse\": expected one of onebase, palbase, echo; did you mean onebase?")
    #expect(
      mistake(ServeCommand.self, "onebase", "--listen", "here")
        == "--listen \"here\": expected an address and port, such as 127.0.0.1:4000 or [::1]:4000")
    #expect(mistake(ServeCommand.self) == "obload serve needs PROTOCOL; usage: obload serve PROTOCOL [options]")
  }

  @Test func mistakesOfRun() {
    #expect(
      mistake(RunCommand.self, "nowhere.json5")
        == "nowhere.json5: no such file; obload run takes a scenario file, such as scenarios/quickstart.json5")
    #expect(
      mistake(RunCommand.self, "x", "--clients", "0") == "--clients \"0\": expected a whole number from 1 to 1000000")
  }

  @Test func theWordsThatRunItAgainHaveWhatWasChanged() throws {
    let arguments = try Arguments(
      ["a.json5", "--virtual", "--strict", "--budget", "call p99 < 1s", "--loops", "2", "--out", "x"],
      for: RunCommand.spec)
    #expect(
      ScenarioOptions.command(arguments, seed: 7)
        == "obload run a.json5 --seed 7 --budget 'call p99 < 1s' --loops 2 --virtual --strict")
  }

  @Test func clauses() {
    #expect(
      ClausesCommand.spec.help == """
        usage: obload clauses [PROTOCOL] [options]

        Print the clauses that runs are judged by.

        options:
          --json  print the catalogue as JSON

        examples:
          obload clauses
          obload clauses phoenix
          obload clauses onebase --json
        """)
  }

  @Test func theCatalogueKeepsToTheWidth() {
    let text = ClausesCommand.text(.phoenix)
    #expect(text.hasPrefix("phoenix: 18 clauses\n  WS-C1   C MUST client"))
    #expect(text.split(separator: "\n").allSatisfy { $0.count <= Columns.width })
    #expect(ClausesCommand.text(.palbase) == "palbase: no clauses are judged yet")
  }
}
