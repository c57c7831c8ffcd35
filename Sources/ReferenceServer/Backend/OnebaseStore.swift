import Core
import JSON

/// The data: notes by room and counters by name, bounded; notes what each function reads and writes.
struct OnebaseStore {
  private let limits: OnebaseServerOptions.Limits
  private var rooms: [NoteRoom] = []
  private var roomNumbers: [String: Int] = [:]
  /// By number, for writes that name a note and not its room.
  private var roomNames: [String] = []
  private var counters: [String: Int64] = [:]
  /// All notes together, in bytes.
  private(set) var storedBytes = 0
  /// Since `beginRun`, without repetition, in order.
  private(set) var reads: [StoreKey] = []
  private(set) var writes: [StoreKey] = []

  init(limits: OnebaseServerOptions.Limits) { self.limits = limits }

  /// Forgets what was read and written before.
  mutating func beginRun() {
    reads.removeAll(keepingCapacity: true)
    writes.removeAll(keepingCapacity: true)
  }

  private mutating func noteRead(_ key: StoreKey) { if !reads.contains(key) { reads.append(key) } }
  private mutating func noteWrite(_ key: StoreKey) { if !writes.contains(key) { writes.append(key) } }

  // MARK: Notes

  mutating func list(room: String, echo: JSONValue) -> SharedResult {
    noteRead(StoreKey(.notes, room))
    guard let number = roomNumbers[room] else {
      var empty = NoteRoom(number: 0)
      return empty.listing(echo: echo)
    }
    return rooms[number].listing(echo: echo)
  }

  mutating func page(room: String, echo: JSONValue, after cursor: Int64, limit: Int) -> [UInt8] {
    noteRead(StoreKey(.notes, room))
    let number = roomNumbers[room]
    return (number.map { rooms[$0] } ?? NoteRoom(number: 0)).page(echo: echo, after: cursor, limit: limit)
  }

  /// Adds a note, pushing out the oldest of the room where a cap is reached; answers its id.
  mutating func add(
    room: String, text: String, author: String?, at milliseconds: Int64
  ) throws(FunctionFailure) -> String {
    try check(text)
    let number = try self.number(of: room)
    let (id, bytes) = rooms[number].add(text: text, author: author, at: milliseconds)
    storedBytes += bytes
    while rooms[number].count > 1
      && (rooms[number].count > limits.notesPerRoom || storedBytes > limits.storedBytes)
    {
      storedBytes -= rooms[number].dropOldest()
    }
    noteWrite(StoreKey(.notes, room))
    return id
  }

  mutating func edit(id: String, text: String, at milliseconds: Int64) throws(FunctionFailure) {
    try check(text)
    guard let (number, sequence) = parse(id), let growth = rooms[number].edit(sequence, text: text, at: milliseconds)
    else { throw Self.noSuchNote(id) }
    storedBytes += growth
    noteWrite(StoreKey(.notes, roomNames[number]))
  }

  mutating func remove(id: String) throws(FunctionFailure) {
    guard let (number, sequence) = parse(id), let size = rooms[number].remove(sequence) else {
      throw Self.noSuchNote(id)
    }
    storedBytes -= size
    noteWrite(StoreKey(.notes, roomNames[number]))
  }

  private func check(_ text: String) throws(FunctionFailure) {
    guard text.utf8.count > limits.noteBytes else { return }
    throw .convex(
      message: "The note is too long",
      data: [
        "code": "noteTooLong", "bytes": .integer(Int64(text.utf8.count)), "limit": .integer(Int64(limits.noteBytes)),
      ])
  }

  private mutating func number(of room: String) throws(FunctionFailure) -> Int {
    if let known = roomNumbers[room] { return known }
    guard rooms.count < limits.rooms, storedBytes < limits.storedBytes else {
      throw .convex(message: "There is no place for another room", data: ["code": "full"])
    }
    let number = rooms.count
    rooms.append(NoteRoom(number: number))
    roomNames.append(room)
    roomNumbers[room] = number
    return number
  }

  /// `n4-17`: the room's number and the note's sequence.
  private func parse(_ id: String) -> (room: Int, sequence: Int64)? {
    guard id.utf8.count < 48, id.hasPrefix("n"), let dash = id.firstIndex(of: "-"),
      let number = Int(id[id.index(after: id.startIndex)..<dash]), rooms.indices.contains(number),
      let sequence = Int64(id[id.index(after: dash)...]), sequence > 0
    else { return nil }
    return (number, sequence)
  }

  private static func noSuchNote(_ id: String) -> FunctionFailure {
    .convex(message: "There is no such note", data: ["code": "noSuchNote", "id": .string(String(id.prefix(48)))])
  }

  // MARK: Counters

  mutating func counter(_ name: String) -> Int64 {
    noteRead(StoreKey(.counters, name))
    return counters[name] ?? 0
  }

  mutating func increment(_ name: String, by step: Int64) throws(FunctionFailure) -> Int64 {
    if counters[name] == nil, counters.count >= limits.rooms {
      throw .convex(message: "There is no place for another counter", data: ["code": "full"])
    }
    // Wraps: a hostile step must not stop the server.
    let value = (counters[name] ?? 0) &+ step
    counters[name] = value
    noteWrite(StoreKey(.counters, name))
    return value
  }
}
