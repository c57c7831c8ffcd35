import Core
import JSON
import Protocols

extension OnebaseHub {
  /// Runs a call of a connection and answers it.
  func call(
    _ slot: Int, _ request: Int64, _ kind: OnebaseCallKind, _ call: FunctionCall, argumentBytes: Int,
    _ actions: inout [HubAction]
  ) {
    counts.calls += 1
    if let refusal = backend.refusal(argumentBytes: argumentBytes) {
      return deliver([], to: Answer(slot: slot, request: request, result: refusal), &actions)
    }
    if misbehaviours.contains(.doubleCall) {
      let first = run(kind, call)
      deliver(changed(by: first.writes, at: call.now), to: nil, &actions)
    }
    let run = run(kind, call)
    let answer = Answer(slot: slot, request: request, result: run.result)
    let changed = changed(by: run.writes, at: call.now)
    if kind == .mutation {
      deliver(changed, to: answer, &actions)
    } else {
      // An action's writes are those of the mutations it ran: they show first, then it ends.
      deliver(changed, to: nil, &actions)
      deliver([], to: answer, &actions)
    }
  }

  private func run(_ kind: OnebaseCallKind, _ call: FunctionCall) -> OnebaseBackend.Run {
    guard kind == .mutation, misbehaviours.forgetsWrite() else { return backend.run(kind, call) }
    // Acknowledged by a server that nobody will ask again.
    var oblivion = OnebaseBackend(options: options)
    return OnebaseBackend.Run(result: oblivion.run(kind, call).result)
  }

  /// A call over HTTP: a status and a JSON body. Subscribers see its writes at once.
  /// - Parameter authorization: the header's value, if there is one.
  public func http(
    _ kind: OnebaseCallKind, authorization: String?, body: [UInt8], at now: Instant, into actions: inout [HubAction]
  ) -> (status: Int, body: [UInt8]) {
    counts.httpCalls += 1
    let identity: OnebaseIdentity?
    switch bearer(authorization) {
    case .anonymous: identity = nil
    case .valid(let known): identity = known
    case .refused(let error, let ended):
      guard misbehaviours.contains(.acceptAnyBearer) else {
        return (ended ? 401 : 503, Self.failure(error, ended: ended))
      }
      identity = nil
    }
    guard let request = JSONText.value(of: body[...]), let path = request["path"]?.string else {
      return (400, Self.failure("The body is no JSON object with a string `path` and an object `args`"))
    }
    let arguments = request["args"] ?? .object(JSONObject())
    guard arguments.object != nil else { return (400, Self.failure("`args` is no object")) }
    let result: SharedResult
    if let refusal = backend.refusal(argumentBytes: body.count) {
      result = refusal
    } else {
      let run = run(kind, FunctionCall(path: path, arguments: arguments, identity: identity, now: now))
      deliver(changed(by: run.writes, at: now), to: nil, &actions)
      result = run.result
    }
    // The members of a result, without the comma that goes before them.
    return (200, [UInt8(ascii: "{")] + result.members.dropFirst() + [UInt8(ascii: "}")])
  }

  private func bearer(_ authorization: String?) -> TokenBook.Verdict {
    guard let authorization else { return .anonymous }
    let words = authorization.split(separator: " ", maxSplits: 1)
    guard words.count == 2, words[0].lowercased() == "bearer" else {
      return .refused(error: "Only bearer tokens are taken", ended: true)
    }
    return tokens.verdict(for: words[1].trimmed)
  }

  /// `{"ok":false,"error":…}`, as a result has it.
  static func failure(_ error: String, ended: Bool = false) -> [UInt8] {
    var value: JSONValue = ["ok": false, "error": .string(error)]
    if ended { value["ended"] = true }
    return value.encoded()
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
