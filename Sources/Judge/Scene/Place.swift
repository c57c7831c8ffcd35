import Core

/// Where an observation belongs: indices into the scene's tables, so that nothing is looked up twice.
public struct Place: Hashable, Sendable {
  /// Index of the connection's state; -1 where there is none.
  public var connection: Int
  /// Index of the client's state; -1 where the client is not known.
  public var client: Int
  /// Who has the place now; places are used again.
  public var owner: ConnectionID

  public init(connection: Int = -1, client: Int = -1, owner: ConnectionID = ConnectionID(rawValue: .max)) {
    self.connection = connection
    self.client = client
    self.owner = owner
  }

  public static let nowhere = Place()

  public var hasConnection: Bool { connection >= 0 }
  public var hasClient: Bool { client >= 0 }
}

/// What a clause remembers per connection, indexed by place; a place that is used again begins anew.
struct PerConnection<State: Sendable>: Sendable {
  private var entries: [(owner: UInt64, state: State)] = []
  private let fresh: State
  private static var nobody: UInt64 { .max }

  init(_ fresh: State) { self.fresh = fresh }

  /// The state of the connection at `place`.
  subscript(_ place: Place) -> State {
    @inline(__always)
    mutating _read {
      prepare(place)
      yield entries[place.connection].state
    }
    @inline(__always)
    _modify {
      prepare(place)
      yield &entries[place.connection].state
    }
  }

  @inline(__always)
  private mutating func prepare(_ place: Place) {
    if place.connection < entries.count, entries[place.connection].owner == place.owner.rawValue { return }
    while entries.count <= place.connection { entries.append((Self.nobody, fresh)) }
    entries[place.connection] = (place.owner.rawValue, fresh)
  }

  /// Frees what the connection's state holds.
  mutating func forget(_ place: Place) {
    if place.connection < entries.count { entries[place.connection] = (Self.nobody, fresh) }
  }
}

/// What a clause remembers per client, indexed by place.
struct PerClient<State: Sendable>: Sendable {
  private var entries: [State] = []
  private let fresh: State

  init(_ fresh: State) { self.fresh = fresh }

  subscript(_ place: Place) -> State {
    @inline(__always)
    mutating _read {
      grow(place)
      yield entries[place.client]
    }
    @inline(__always)
    _modify {
      grow(place)
      yield &entries[place.client]
    }
  }

  var count: Int { entries.count }
  /// Every client that was asked for, in the order the clients were first seen.
  var places: [Place] { entries.indices.map { Place(client: $0) } }

  @inline(__always)
  private mutating func grow(_ place: Place) {
    while entries.count <= place.client { entries.append(fresh) }
  }
}
