import JSON
import Protocols

extension OnebaseFunction {
  /// `counter:get`, `counter:increment`, `counter:checked`.
  static let counters: [OnebaseFunction] = [
    OnebaseFunction(path: "counter:get", kinds: [.query]) { store, call throws(FunctionFailure) in
      let (name, echo) = try call.place("name")
      return SharedResult(value: ["name": echo, "value": .integer(store.counter(name))])
    },
    OnebaseFunction(path: "counter:increment", kinds: [.mutation]) { store, call throws(FunctionFailure) in
      let (name, echo) = try call.place("name")
      let value = try store.increment(name, by: try call.integer("by", default: 1))
      return SharedResult(value: ["name": echo, "value": .integer(value)])
    },
    // Fails with the data and recovers with it, as a schema's check does.
    OnebaseFunction(path: "counter:checked", kinds: [.query]) { store, call throws(FunctionFailure) in
      let (name, echo) = try call.place("name")
      let value = store.counter(name)
      guard value >= 0 else { throw .other("The counter \(name) is below zero: \(value)") }
      return SharedResult(value: ["name": echo, "value": .integer(value)])
    },
  ]

  /// `me:get`, `echo:value`, `errors:convex`, `errors:plain`, `late:greet`.
  static let others: [OnebaseFunction] = [
    OnebaseFunction(path: "me:get", kinds: [.query]) { _, call throws(FunctionFailure) in
      SharedResult(value: call.identity?.json ?? .null)
    },
    OnebaseFunction(path: "echo:value", kinds: [.query, .mutation, .action]) { _, call throws(FunctionFailure) in
      SharedResult(value: call.arguments)
    },
    OnebaseFunction(path: "errors:convex", kinds: [.query, .mutation, .action]) { _, call throws(FunctionFailure) in
      throw .convex(message: "Refused on purpose", data: ["code": "refused", "args": call.arguments])
    },
    OnebaseFunction(path: "errors:plain", kinds: [.query, .mutation, .action]) { _, _ throws(FunctionFailure) in
      throw .other("Uncaught TypeError: broken on purpose")
    },
    OnebaseFunction(path: "late:greet", kinds: [.query], isLate: true) { _, call throws(FunctionFailure) in
      SharedResult(value: .string("Hello, \(call.identity?.subject ?? "stranger")"))
    },
  ]
}
