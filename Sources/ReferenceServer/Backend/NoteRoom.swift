import JSON

/// The notes of one room, oldest first, each as the JSON text that clients see.
struct NoteRoom {
  struct Note {
    /// Ascending within the room, from 1; part of the note's id.
    let sequence: Int64
    var json: [UInt8]
    /// What a note counts as beside its text.
    static let overhead = 64
    var bytes: Int { json.count + Self.overhead }
  }

  /// How many notes `notes:list` shows.
  static let listed = 20

  /// The room's number, part of its notes' ids.
  let number: Int
  private var notes: [Note] = []
  /// Notes before it were dropped and not yet moved out.
  private var head = 0
  private var nextSequence: Int64 = 1
  /// How many notes the caps have pushed out.
  private(set) var dropped = 0
  /// The last answer of `notes:list` and how its arguments named the room; nil after a change.
  private var list: (echo: JSONValue, result: SharedResult)?

  init(number: Int) { self.number = number }

  var count: Int { notes.count - head }

  /// Adds a note at the end and answers its id and size.
  mutating func add(text: String, author: String?, at milliseconds: Int64) -> (id: String, bytes: Int) {
    let id = "n\(number)-\(nextSequence)"
    var json: [UInt8] = []
    json.reserveCapacity(text.utf8.count + 64)
    JSONText.append(#"{"id":""#, to: &json)
    json += id.utf8
    JSONText.append(#"","text":"#, to: &json)
    JSONText.appendString(text, to: &json)
    JSONText.append(#","author":"#, to: &json)
    if let author { JSONText.appendString(author, to: &json) } else { JSONText.append("null", to: &json) }
    JSONText.append(#","at":"#, to: &json)
    JSONText.appendInteger(milliseconds, to: &json)
    json.append(UInt8(ascii: "}"))
    let note = Note(sequence: nextSequence, json: json)
    nextSequence += 1
    notes.append(note)
    list = nil
    return (id, note.bytes)
  }

  /// Drops the oldest note and answers its size; 0 if there is none.
  mutating func dropOldest() -> Int {
    guard head < notes.count else { return 0 }
    let size = notes[head].bytes
    notes[head].json = []
    head += 1
    dropped += 1
    // Moving the rest once per so many keeps the cost per note constant.
    if head >= 64 && head * 2 >= notes.count {
      notes.removeFirst(head)
      head = 0
    }
    list = nil
    return size
  }

  /// Gives a note another text; answers by how much the room grew, nil if there is no such note.
  mutating func edit(_ sequence: Int64, text: String, at milliseconds: Int64) -> Int? {
    guard let place = place(of: sequence), var value = JSONText.value(of: notes[place].json[...]) else { return nil }
    let before = notes[place].bytes
    value["text"] = .string(text)
    value["edited"] = .integer(milliseconds)
    notes[place].json = value.encoded()
    list = nil
    return notes[place].bytes - before
  }

  /// Removes a note; answers its size, nil if there is no such note.
  mutating func remove(_ sequence: Int64) -> Int? {
    guard let place = place(of: sequence) else { return nil }
    list = nil
    return notes.remove(at: place).bytes
  }

  /// `{"room":…,"notes":[…]}` with the newest notes, the newest last; encoded once per change.
  mutating func listing(echo: JSONValue) -> SharedResult {
    if let list, list.echo == echo { return list.result }
    var json: [UInt8] = []
    let from = max(head, notes.count - Self.listed)
    json.reserveCapacity(notes[from...].reduce(64) { $0 + $1.json.count + 1 })
    Self.begin(echo, &json)
    Self.append(notes[from...], to: &json)
    JSONText.append("]}", to: &json)
    let result = SharedResult(value: json)
    list = (echo, result)
    return result
  }

  /// A page of all notes, oldest first: those after `cursor`, and the cursor of the next page or null.
  func page(echo: JSONValue, after cursor: Int64, limit: Int) -> [UInt8] {
    let from = firstPlace(after: cursor)
    let to = min(notes.count, from + limit)
    var json: [UInt8] = []
    Self.begin(echo, &json)
    Self.append(notes[from..<to], to: &json)
    JSONText.append(#"],"cursor":"#, to: &json)
    if to < notes.count { JSONText.appendInteger(notes[to - 1].sequence, to: &json) } else { json += "null".utf8 }
    JSONText.append(#","dropped":"#, to: &json)
    JSONText.appendInteger(dropped, to: &json)
    json.append(UInt8(ascii: "}"))
    return json
  }

  private static func begin(_ echo: JSONValue, _ json: inout [UInt8]) {
    JSONText.append(#"{"room":"#, to: &json)
    echo.write(into: &json)
    JSONText.append(#","notes":["#, to: &json)
  }

  private static func append(_ notes: ArraySlice<Note>, to json: inout [UInt8]) {
    var isFirst = true
    for note in notes {
      if !isFirst { json.append(UInt8(ascii: ",")) }
      isFirst = false
      json += note.json
    }
  }

  private func place(of sequence: Int64) -> Int? {
    let place = firstPlace(after: sequence &- 1)
    return place < notes.count && notes[place].sequence == sequence ? place : nil
  }

  /// By halving: sequences ascend.
  private func firstPlace(after sequence: Int64) -> Int {
    var low = head
    var high = notes.count
    while low < high {
      let middle = (low + high) / 2
      if notes[middle].sequence <= sequence { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
