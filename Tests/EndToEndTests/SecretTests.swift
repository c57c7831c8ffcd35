import JSON
import Testing

@testable import obload

/// A credential is used on the wire and stands nowhere else, whatever the server does with it.
@Suite struct SecretTests {
  static let tokens = ["s3cr3t-0123456789abcdef", #"q"u\o<t>&ed-s3cr3t"#]

  private func expectHidden(_ token: String, _ ended: Program.Ended, _ report: Report) {
    let everything = ended.output + ended.errors + report.everything
    #expect(!everything.contains(token))
    // Nor as JSON and XML write it, nor a telling part of it.
    #expect(!everything.contains("0123456789"))
    #expect(!everything.contains("ed-s3cr3t"))
    #expect(!everything.contains("s3cr3t-0"))
  }

  @Test(arguments: tokens)
  func aServerThatSaysItInEveryPlaceDoesNotGetItIntoTheReport(token: String) throws {
    let server = try BadServer(.tellsToken)
    defer { server.stop() }
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "bad.json5", BadTargetTests.scenario.replacing("api/sync\"", with: "api/sync\", token: { env: \"OB_TOKEN\" }"))
    let ended = try Program.obload(
      ["run", path, "--url", server.url, "--out", folder.path, "--set", #"clauses.require=["OB-S3", "OB-S7"]"#],
      environment: ["OB_TOKEN": token])
    let report = try Report(folder.path)
    #expect([1, 3].contains(ended.code), "\(ended.text)")
    #expect(report.errors["auth failed"] ?? 0 >= 4, "\(report.errors)")
    expectHidden(token, ended, report)
  }

  @Test(arguments: tokens)
  func neitherAFailedAuthNorAViolationOfItsClauseShowsIt(token: String) throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "secret.json5",
      """
      { name: "secret", duration: "5s", target: { protocol: "onebase", embedded: {}, token: { env: "OB_TOKEN" } },
        fleets: [{ name: "a", clients: 3, behave: ["subs-before-auth"],
          subscribe: [{ path: "notes:list", args: { room: "1" } }] }],
        clauses: { require: ["OB-C1"] } }
      """)
    let ended = try Program.obload(
      ["run", path, "--virtual", "--out", folder.path], environment: ["OB_TOKEN": token])
    let report = try Report(folder.path)
    #expect(ended.code == 1, "\(ended.text)")
    #expect(report.clause("OB-C1")?["verdict"]?.string == "fail")
    #expect(report.errors["auth ended"] == 3)
    #expect(report.everything.contains("redacted"))
    expectHidden(token, ended, report)
  }

  @Test func aTokenThatIsMissingIsAMistakeThatNamesTheVariableOnly() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write(
      "bad.json5", BadTargetTests.scenario.replacing("api/sync\"", with: "api/sync\", token: { env: \"OB_NO_TOKEN\" }"))
    let ended = try Program.obload(["run", path, "--out", folder.path])
    #expect(ended.code == 2)
    #expect(ended.errors.contains("the environment has no OB_NO_TOKEN"))
  }

  @Test func aCredentialIsFoundWholeOrCutAndNothingElseIs() {
    let secrets = Secrets(["connections-abcdef"])
    #expect(secrets.hidden("a connections-abcdef b") == "a …redacted… b")
    #expect(secrets.hidden(#"{"text":"connections-ab"}"#) == #"{"text":"…redacted…"}"#)
    #expect(secrets.hidden(#"{"connections":1}"#) == #"{"connections":1}"#)
    #expect(Secrets([]).hidden("x") == "x")
    #expect(Secrets(["", "a"]).hidden("banana") == "banana")
  }
}
