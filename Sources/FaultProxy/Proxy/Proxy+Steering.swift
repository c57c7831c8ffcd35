public import Core
public import Network

/// What a person does to a running proxy as a whole, or to one of its connections.
extension Proxy {
  public var isPaused: Bool { pauser != nil }

  /// Holds everything on every connection, behind all faults, up to 256 KiB each way; new connections wait to be accepted.
  public func pause() {
    if isPaused || isClosed { return }
    // Last in the order, so that what faults let go is held too.
    let run = FaultRun(FaultEntry(ordinal: .max, name: "paused", trigger: .at(.zero, for: nil), fault: Blackhole()))
    run.begin(at: loop.now)
    pauser = run
    active.append(run)
    generation &+= 1
    listener?.pauseAccepting()
  }

  /// What was held goes on, in order.
  public func resume() {
    guard let run = pauser else { return }
    pauser = nil
    run.switchOff()
    active.removeAll { $0 === run }
    generation &+= 1
    forEachRelay { $0.released() }
    listener?.resumeAccepting()
  }

  /// Ends every connection with a FIN and stops listening; faults stay as they are.
  public func disable() {
    if !isEnabled || isClosed { return }
    isEnabled = false
    listenerClosers += 1
    listener?.close()
    endAll()
  }

  /// Ends every connection with a FIN; with an RST where something was not read.
  public func endAll() { forEachRelay { $0.end() } }

  /// Listens elsewhere and ends every connection. Where that cannot be, everything stays as it is.
  public func move(to address: SocketAddress) throws(NetworkError) {
    let new = try transport.listen(on: address) { [unowned(unsafe) self] in accepted($0) }
    listener?.close()
    listener = new
    if listenerClosers > 0 { new.close() }
    if isPaused { new.pauseAccepting() }
    endAll()
  }

  /// Listens again, on the same address.
  public func enable() throws(NetworkError) {
    if isEnabled || isClosed { return }
    if listenerClosers == 1 { try listener?.reopen() }
    isEnabled = true
    listenerClosers -= 1
  }

  /// An RST to both sides of one connection. False if it is not open.
  public func reset(_ id: ConnectionID) -> Bool {
    guard let relay = relay(id) else { return false }
    relay.abort(.reset, faults: [])
    return true
  }

  /// A FIN to both sides of one connection; with an RST where something was not read. False if it is not open.
  public func close(_ id: ConnectionID) -> Bool {
    guard let relay = relay(id) else { return false }
    relay.end()
    return true
  }
}
