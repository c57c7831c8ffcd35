import CSys
import Core

/// A pipe of the system through which bytes pass from one TCP stream to another without being copied into the program.
///
/// @unchecked: confined to its loop.
public final class SplicePipe: @unchecked Sendable {
  /// Asked of the system; it may grant less.
  static let size = 256 * 1024

  private let readEnd: Int32
  private let writeEnd: Int32
  /// Bytes in it.
  public private(set) var count = 0

  init?() {
    var ends: (Int32, Int32) = (-1, -1)
    let result = withUnsafeMutablePointer(to: &ends) { pointer in
      pointer.withMemoryRebound(to: Int32.self, capacity: 2) { csys_pipe_create($0, Int32(Self.size)) }
    }
    if result < 0 { return nil }
    (readEnd, writeEnd) = ends
  }

  deinit {
    _ = csys_close(readEnd)
    _ = csys_close(writeEnd)
  }

  /// How many bytes came, 0 at the end, or a negated errno.
  func fill(from descriptor: Int32) -> Int {
    let moved = csys_splice(descriptor, writeEnd, Self.size)
    if moved > 0 { count += moved }
    return moved
  }

  func drain(to descriptor: Int32) -> Int {
    let moved = csys_splice(readEnd, descriptor, count)
    if moved > 0 { count -= moved }
    return moved
  }
}

/// A loop's pipes: a few serve many connections, since one is needed only while bytes are on their way.
///
/// @unchecked: confined to its loop.
public final class PipePool: @unchecked Sendable {
  /// So many may be out at once; who gets none reads and writes.
  public static let most = 64
  /// So many are kept for later.
  private static let kept = 8

  private var idle: [SplicePipe] = []
  /// Pipes lent and not given back.
  public private(set) var lent = 0
  /// How often one was lent.
  public private(set) var fills = 0
  /// The system has no such thing.
  private var isExhausted = false

  init() {}

  /// An empty pipe; nil where there is none to be had.
  public func borrow() -> SplicePipe? {
    if lent >= Self.most || isExhausted { return nil }
    guard let pipe = idle.popLast() ?? SplicePipe() else { return nil }
    lent += 1
    fills &+= 1
    return pipe
  }

  /// One that still holds bytes is thrown away with them.
  public func giveBack(_ pipe: SplicePipe) {
    lent -= 1
    if pipe.count == 0, idle.count < Self.kept { idle.append(pipe) }
  }

  /// The system cannot splice these streams: nobody need try again.
  public func giveUp() {
    isExhausted = true
    idle = []
  }
}
