/// Status codes of close frames (RFC 6455 §7.4, and the IANA registry behind it).
public enum CloseCode {
  public static let normal: UInt16 = 1000
  public static let goingAway: UInt16 = 1001
  public static let protocolError: UInt16 = 1002
  public static let unsupportedData: UInt16 = 1003
  public static let invalidPayload: UInt16 = 1007
  public static let policyViolation: UInt16 = 1008
  public static let tooBig: UInt16 = 1009
  public static let internalError: UInt16 = 1011
  public static let serviceRestart: UInt16 = 1012
  public static let tryAgainLater: UInt16 = 1013

  /// Whether a peer may send this code: registered ones that are not reserved for local use, and 3000 to 4999.
  public static func isAllowedOnWire(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}
