/// What is wrong with an HTTP message from a peer. Sizes are bytes.
public enum HTTPError: Error, Hashable, Sendable, CustomStringConvertible {
  // Heads
  case headTooLarge(limit: Int)
  case tooManyFields(limit: Int)
  case bareLineFeed
  case bareCarriageReturn
  case malformedRequestLine(String)
  case malformedStatusLine(String)
  case unsupportedVersion(String)
  case malformedFieldName(String)
  case whitespaceBeforeColon(String)
  case missingColon(String)
  case foldedField
  case illegalByte(UInt8, field: String)
  case truncatedHead(received: Int)
  case tooManyInterimAnswers(limit: Int)
  // Bodies
  case malformedContentLength(String)
  case conflictingContentLengths([String])
  case contentLengthWithTransferEncoding
  case unsupportedTransferEncoding(String)
  case bodyTooLarge(limit: Int)
  case malformedChunkSize(String)
  case malformedChunkEnd
  case trailersTooLarge(limit: Int)
  case truncatedBody(received: Int)

  public var description: String {
    switch self {
    case .headTooLarge(let limit): "HTTP head: no empty line within \(limit) bytes"
    case .tooManyFields(let limit): "HTTP head: more than \(limit) header fields"
    case .bareLineFeed: "HTTP: a line feed without a carriage return before it; lines end with CR LF"
    case .bareCarriageReturn: "HTTP: a carriage return without a line feed after it; lines end with CR LF"
    case .malformedRequestLine(let line): "HTTP request line \(line): expected METHOD TARGET HTTP/1.1"
    case .malformedStatusLine(let line): "HTTP status line \(line): expected HTTP/1.1 STATUS REASON"
    case .unsupportedVersion(let version): "HTTP version \(version): expected HTTP/1.1 or HTTP/1.0"
    case .malformedFieldName(let name): "HTTP header name \(name): expected letters, digits or !#$%&'*+-.^_`|~"
    case .whitespaceBeforeColon(let name): "HTTP header \(name): white space before the colon"
    case .missingColon(let line): "HTTP header line \(line): expected NAME: VALUE"
    case .foldedField: "HTTP head: a header line begins with white space; folded fields are refused (RFC 9112 §5.2)"
    case .illegalByte(let byte, let field): "HTTP header \(field): byte \(byte) may not stand in a value"
    case .truncatedHead(let received): "HTTP head: the stream ended after \(received) bytes of it"
    case .tooManyInterimAnswers(let limit): "HTTP: more than \(limit) interim answers (1xx) before the one that counts"
    case .malformedContentLength(let value): "Content-Length \(value): expected decimal digits"
    case .conflictingContentLengths(let values):
      "Content-Length given as \(values.joined(separator: " and ")): expected one value"
    case .contentLengthWithTransferEncoding: "both Content-Length and Transfer-Encoding: expected one of them"
    case .unsupportedTransferEncoding(let value): "Transfer-Encoding \(value): expected chunked"
    case .bodyTooLarge(let limit): "HTTP body: larger than the limit of \(limit) bytes"
    case .malformedChunkSize(let line): "HTTP chunk size \(line): expected hexadecimal digits and CR LF"
    case .malformedChunkEnd: "HTTP chunk: expected CR LF after its data"
    case .trailersTooLarge(let limit): "HTTP trailers: larger than \(limit) bytes"
    case .truncatedBody(let received): "HTTP body: the stream ended after \(received) bytes of it, before its end"
    }
  }
}
