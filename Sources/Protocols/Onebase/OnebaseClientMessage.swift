import Core
import JSON

/// What a call runs.
public enum OnebaseCallKind: String, CaseIterable, Hashable, Sendable { case query, mutation, action }

/// A message from a client to a onebase server.
public enum OnebaseClientMessage: Equatable, Sendable {
  /// Who the client is; nil for anonymous. First on every connection.
  case auth(token: String?)
  /// Subscribes to a query; the same id again replaces the subscription.
  case subscribe(id: Int64, path: String, arguments: JSONValue)
  case unsubscribe(id: Int64)
  case call(requestId: Int64, kind: OnebaseCallKind, path: String, arguments: JSONValue)

  /// Appends the message as JSON text in UTF-8.
  public func encode(into bytes: inout [UInt8]) {
    switch self {
    case .auth(let token):
      bytes.append(json: #"{"type":"auth","token":"#)
      if let token { bytes.append(jsonString: token) } else { bytes.append(json: "null") }
    case .subscribe(let id, let path, let arguments):
      bytes.append(json: #"{"type":"sub","id":"#)
      bytes.append(number: id)
      bytes.append(json: #","path":"#)
      bytes.append(jsonString: path)
      bytes.append(json: #","args":"#)
      bytes.append(value: arguments)
    case .unsubscribe(let id):
      bytes.append(json: #"{"type":"unsub","id":"#)
      bytes.append(number: id)
    case .call(let requestId, let kind, let path, let arguments):
      bytes.append(json: #"{"type":"call","requestId":"#)
      bytes.append(number: requestId)
      switch kind {
      case .query: bytes.append(json: #","kind":"query","path":"#)
      case .mutation: bytes.append(json: #","kind":"mutation","path":"#)
      case .action: bytes.append(json: #","kind":"action","path":"#)
      }
      bytes.append(jsonString: path)
      bytes.append(json: #","args":"#)
      bytes.append(value: arguments)
    }
    bytes.append(json: "}")
  }

  /// The message as JSON text in UTF-8.
  public var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(128)
    encode(into: &bytes)
    return bytes
  }

  /// Reads a message; members that the protocol does not name are skipped.
  ///
  /// Missing `args` read as `{}`. Throws for anything that is no message of a client, with the reason.
  public static func decode(_ payload: [UInt8]) throws(OnebaseDecodingError) -> Self {
    try decode(payload, facts: OnebaseClassifier().facts(isText: true, payload: payload, direction: .up))
  }

  /// Reads a message whose facts are known already, without scanning it again.
  public static func decode(_ payload: [UInt8], facts: MessageFacts) throws(OnebaseDecodingError) -> Self {
    let reader = OnebaseReader(payload: payload)
    switch facts.kind {
    case .onebaseAuth:
      return .auth(token: facts.flags.contains(.hasToken) ? try reader.string(facts.credential, "token", "auth") : nil)
    case .onebaseSubscribe:
      return .subscribe(
        id: try reader.identifier(facts.id, "id", "sub"), path: try reader.string(facts.path, "path", "sub"),
        arguments: try reader.arguments(facts.arguments))
    case .onebaseUnsubscribe: return .unsubscribe(id: try reader.identifier(facts.id, "id", "unsub"))
    case .onebaseCall:
      guard let kind = OnebaseCallKind(rawValue: try reader.string(facts.name, "kind", "call")) else {
        throw .expected("a `kind` of query, mutation or action", of: "call")
      }
      return .call(
        requestId: try reader.identifier(facts.request, "requestId", "call"), kind: kind,
        path: try reader.string(facts.path, "path", "call"), arguments: try reader.arguments(facts.arguments))
    default: throw reader.reason(direction: .up)
    }
  }
}
