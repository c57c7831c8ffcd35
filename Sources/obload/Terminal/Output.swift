import Foundation
import Glibc

/// Text to standard output and standard error.
enum Output {
  static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
  static var isErrorTerminal: Bool { isatty(STDERR_FILENO) == 1 }

  /// How wide the terminal behind standard error is; nil when it does not say.
  static var errorColumns: Int? {
    var size = winsize()
    guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }

  static func print(_ text: String, terminator: String = "\n") { write(text + terminator, to: STDOUT_FILENO) }
  static func error(_ text: String, terminator: String = "\n") { write(text + terminator, to: STDERR_FILENO) }

  /// A reader that has gone away is no reason to fail.
  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count <= 0 {
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        return
      }
      bytes = bytes.dropFirst(count)
    }
  }
}
