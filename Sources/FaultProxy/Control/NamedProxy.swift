import Core
public import JSON
public import Network

/// One proxy of a set: its name, where it leads, and its faults as they were written.
///
/// @unchecked: confined to its set's loop.
public final class NamedProxy: @unchecked Sendable {
  public let name: String
  public let proxy: Proxy
  public private(set) var upstream: UpstreamName
  /// What each fault was written as, by its name; asked by name, never iterated.
  private var written: [String: JSONValue] = [:]
  /// Those that came as toxics of Toxiproxy, by name; asked by name, never iterated.
  private var toxics: [String: Toxic] = [:]
  /// When the upstream's name is to be looked up next; nil for a host that needs none.
  var resolveAt: Instant?
  /// Why it could not be resolved, last.
  public internal(set) var resolutionFailure: NetworkError?

  init(name: String, upstream: UpstreamName, proxy: Proxy) {
    self.name = name
    self.upstream = upstream
    self.proxy = proxy
    lead(to: upstream)
  }

  /// Where it listens.
  public var listen: SocketAddress { proxy.address ?? proxy.configuration.listen }

  /// Leads new connections elsewhere; open ones stay.
  func lead(to upstream: UpstreamName) {
    self.upstream = upstream
    resolutionFailure = nil
    proxy.upstream = upstream.address
    resolveAt = upstream.address == nil ? proxy.loop.now : nil
  }

  // MARK: Faults

  /// Adds faults, all or none. Answers their names.
  @discardableResult
  public func add(_ requests: [FaultRequest]) throws(FaultEditError) -> [String] {
    try put(requests, after: [])
  }

  /// These in place of all there are, as one change. Those of the same name keep their members.
  @discardableResult
  public func replaceAll(with requests: [FaultRequest]) throws(FaultEditError) -> [String] {
    try put(requests, after: [.clear])
  }

  private func put(_ requests: [FaultRequest], after edits: [FaultEdit]) throws(FaultEditError) -> [String] {
    var edits = edits
    var names: [String] = []
    for (index, request) in requests.enumerated() {
      var entry = request.entry
      if !request.isNamed { entry.name = "\(entry.kind)#\(proxy.nextFaultOrdinal + index)" }
      names.append(entry.name)
      edits.append(.add(entry))
    }
    try proxy.edit(edits)
    for (name, request) in zip(names, requests) {
      written[name] = request.written
      toxics[name] = nil
    }
    forgetGone()
    return names
  }

  /// Other options, target or trigger for one; without a name it keeps its own. Answers its name.
  @discardableResult
  public func change(_ name: String, to request: FaultRequest) throws(FaultEditError) -> String {
    var entry = request.entry
    if !request.isNamed { entry.name = name }
    try proxy.edit([.change(name: name, entry)])
    written[entry.name] = request.written
    toxics[entry.name] = nil
    forgetGone()
    return entry.name
  }

  public func removeFault(_ name: String) throws(FaultEditError) {
    try proxy.edit([.remove(name: name)])
    forgetGone()
  }

  public func clear() {
    // Clearing cannot fail.
    try? proxy.edit([.clear])
    forgetGone()
  }

  private func forgetGone() {
    var kept: [String: JSONValue] = [:]
    var keptToxics: [String: Toxic] = [:]
    for state in proxy.faultStates {
      kept[state.entry.name] = written[state.entry.name]
      keptToxics[state.entry.name] = toxics[state.entry.name]
    }
    written = kept
    toxics = keptToxics
  }

  /// A fault of this name as it was written.
  public func written(_ name: String) -> JSONValue? { written[name] }

  // MARK: Toxics

  /// The toxics there are, in the order they were added.
  var allToxics: [Toxic] { proxy.faultStates.compactMap { toxics[$0.entry.name] } }
  func toxic(_ name: String) -> Toxic? { toxics[name] }

  func add(_ toxic: Toxic) throws(FaultEditError) {
    try proxy.edit([.add(toxic.entry)])
    toxics[toxic.name] = toxic
    written[toxic.name] = toxic.written
  }

  func change(_ toxic: Toxic) throws(FaultEditError) {
    try proxy.edit([.change(name: toxic.name, toxic.entry)])
    toxics[toxic.name] = toxic
    written[toxic.name] = toxic.written
  }

  func removeToxics() throws(FaultEditError) {
    try proxy.edit(allToxics.map { .remove(name: $0.name) })
    forgetGone()
  }
}
