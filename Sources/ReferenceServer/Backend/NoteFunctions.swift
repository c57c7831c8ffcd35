import JSON
import Protocols

extension OnebaseFunction {
  /// A page of `notes:scan`.
  private static let defaultPage: Int64 = 200
  private static let largestPage: Int64 = 1000

  /// `notes:list`, `notes:scan`, `notes:add`, `notes:edit`, `notes:remove`, `notes:post`.
  static let notes: [OnebaseFunction] = [
    OnebaseFunction(path: "notes:list", kinds: [.query]) { store, call throws(FunctionFailure) in
      let (room, echo) = try call.place("room")
      return store.list(room: room, echo: echo)
    },
    OnebaseFunction(path: "notes:scan", kinds: [.query]) { store, call throws(FunctionFailure) in
      let (room, echo) = try call.place("room")
      let cursor = try call.integer("cursor", default: 0)
      let limit = min(max(try call.integer("limit", default: defaultPage), 1), largestPage)
      return SharedResult(value: store.page(room: room, echo: echo, after: cursor, limit: Int(limit)))
    },
    OnebaseFunction(path: "notes:add", kinds: [.mutation], body: add),
    // What an action is for: it may do anything, and here it runs the mutation.
    OnebaseFunction(path: "notes:post", kinds: [.action], body: add),
    OnebaseFunction(path: "notes:edit", kinds: [.mutation]) { store, call throws(FunctionFailure) in
      let id = try call.string("id")
      try store.edit(id: id, text: try call.string("text"), at: call.milliseconds)
      return SharedResult(value: .string(id))
    },
    OnebaseFunction(path: "notes:remove", kinds: [.mutation]) { store, call throws(FunctionFailure) in
      let id = try call.string("id")
      try store.remove(id: id)
      return SharedResult(value: .string(id))
    },
  ]

  private static let add: Body = { store, call throws(FunctionFailure) in
    let (room, _) = try call.place("room")
    let id = try store.add(
      room: room, text: try call.string("text"), author: call.identity?.subject, at: call.milliseconds)
    return SharedResult(value: .string(id))
  }
}
