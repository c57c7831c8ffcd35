import JSON

/// Why a function gave no value.
enum FunctionFailure: Error, Equatable {
  /// A ConvexError: meant for the user, with data.
  case convex(message: String, data: JSONValue)
  /// The server itself refused to run it, and says why to everyone (a limit, or the wrong kind of call).
  case refused(String)
  /// Anything else; only shown in dev mode.
  case other(String)
}
