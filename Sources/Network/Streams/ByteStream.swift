import Core

/// Who is told what happens on a stream. Called on the stream's loop, never from inside a call to the stream.
public protocol ByteStreamHandler: AnyObject {
  /// There is something to read: bytes, the end, or an error. Read until `.wouldBlock`, else nothing more is told until
  /// something new arrives.
  func readable(_ stream: ByteStream)
  /// There is room again after a write that took less than it was given.
  func writable(_ stream: ByteStream)
  /// The peer has sent its FIN (nil) or the connection is gone (an error, `.reset` as a rule). Told at once, even while
  /// reading is paused and before the bytes that came first have been read.
  func hungUp(_ stream: ByteStream, _ error: NetworkError?)
}

extension ByteStreamHandler {
  public func hungUp(_ stream: ByteStream, _ error: NetworkError?) {}
}

/// What a read gave.
public enum ReadResult: Equatable, Sendable {
  /// So many bytes, at least one, at the start of the buffer.
  case bytes(Int)
  /// Nothing now; the handler is told when there is.
  case wouldBlock
  /// The peer has finished sending.
  case end
}

/// What is known of the peer, whether or not the bytes before it have been read.
public enum PeerState: Sendable {
  /// Nothing said against it.
  case present
  /// Its FIN has come: it sends no more, and may still read.
  case finished
  /// The connection is gone: an RST or a timeout of the system.
  case gone
}

/// A connected, ordered stream of bytes in both directions, as TCP has it. Subclasses: `TCPStream`, `MemoryStream`.
///
/// Dropping the last reference closes it. Its handler is a reference that counts: a handler that holds its stream closes
/// it in the end.
/// @unchecked: confined to its loop.
open class ByteStream: @unchecked Sendable {
  public let loop: EventLoop
  public let local: SocketAddress
  public let peer: SocketAddress
  /// Held until the stream is closed. One that is set late is told of what has arrived before.
  ///
  /// Not weak: an object that a weak reference has ever seen pays for it with every retain and release, and handlers are
  /// what every message goes through.
  public var handler: (any ByteStreamHandler)? {
    get { held }
    set {
      held = isClosed ? nil : newValue
      if held != nil { handlerChanged() }
    }
  }
  @exclusivity(unchecked) private var held: (any ByteStreamHandler)?

  public init(loop: EventLoop, local: SocketAddress, peer: SocketAddress) {
    self.loop = loop
    self.local = local
    self.peer = peer
  }

  /// Whether this side has closed or reset it.
  open var isClosed: Bool { preconditionFailure("a subclass answers") }
  open var peerGone: PeerState { preconditionFailure("a subclass answers") }
  open var isReadingPaused: Bool { preconditionFailure("a subclass answers") }

  /// Reads what is there, at most the buffer's size. After an RST the bytes that came before it are read first, then
  /// `.reset` is thrown. Throws `.closed` after `close` or `reset`.
  open func read(into buffer: UnsafeMutableRawBufferPointer) throws(NetworkError) -> ReadResult {
    preconditionFailure("a subclass reads")
  }

  /// Writes as much as there is room for and answers how much that was. If it is less than given, the handler's
  /// `writable` is called once there is room. Throws `.closed` after `close`, `reset` or `shutdownWrite`, `.reset` when
  /// the connection is gone.
  open func write(_ bytes: UnsafeRawBufferPointer) throws(NetworkError) -> Int {
    preconditionFailure("a subclass writes")
  }

  /// Stops the handler's `readable` calls; the peer's end is still told.
  open func pauseReading() { preconditionFailure("a subclass pauses") }
  /// Takes them up again; `readable` is called soon if something has arrived.
  open func resumeReading() { preconditionFailure("a subclass resumes") }
  /// Sends a FIN after what was written: this side writes no more and may still read.
  open func shutdownWrite() { preconditionFailure("a subclass shuts down") }
  /// Ends the stream with a FIN; as on Linux, with an RST if bytes have arrived that nobody read.
  open func close() { preconditionFailure("a subclass closes") }
  /// Ends the stream with an RST.
  open func reset() { preconditionFailure("a subclass resets") }

  /// Moves what is there to read into an empty pipe, without copying it through the program; otherwise as `read`. Nil
  /// where this stream, or this system, cannot.
  open func fill(_ pipe: SplicePipe) throws(NetworkError) -> ReadResult? { nil }
  /// Writes what a pipe holds, as far as there is room, and answers how much that was; otherwise as `write`. Only for
  /// streams of the kind that filled it.
  open func drain(_ pipe: SplicePipe) throws(NetworkError) -> Int { 0 }
  /// Whether `fill` and `drain` work here.
  open var splices: Bool { false }
  /// The stream is closed: nobody is told of anything any more. Subclasses call it with every close.
  final func forgetHandler() { held = nil }

  /// A handler was set: subclasses tell it what is there to read.
  open func handlerChanged() {}
}

extension ByteStream {
  /// `write` for arrays.
  public func write(_ bytes: some Collection<UInt8>) throws(NetworkError) -> Int {
    let written = bytes.withContiguousStorageIfAvailable { buffer in
      Result { () throws(NetworkError) in try write(UnsafeRawBufferPointer(buffer)) }
    }
    if let written { return try written.get() }
    return try write(Array(bytes))
  }
}
