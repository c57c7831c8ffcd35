import JSON

/// Who a connection speaks for, as an accepted token says.
public struct OnebaseIdentity: Hashable, Sendable {
  public var subject: String
  public var email: String?

  public init(subject: String, email: String? = nil) {
    self.subject = subject
    self.email = email
  }

  /// `{"subject":…,"email":…}`, as the auth reply and `me:get` show it; without an email where there is none.
  public var json: JSONValue {
    var members: JSONObject = ["subject": .string(subject)]
    if let email { members["email"] = .string(email) }
    return .object(members)
  }
}
