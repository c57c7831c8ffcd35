// swift-tools-version: 6.2
import PackageDescription

// The arrows of docs/architecture.md: a target may import what stands in its list and nothing else.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

func library(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: "\(name)Tests", dependencies: dependencies, swiftSettings: settings)
}

let package = Package(
  name: "obload",
  products: [.executable(name: "obload", targets: ["obload"])],
  targets: [
    .target(name: "CSys"),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    library("Core", []),
    library("JSON", ["Core"]),
    library("WebSocket", ["Core"]),
    library("Network", ["Core", "WebSocket", "CSys", "CCurl"]),
    library("Protocols", ["Core", "JSON"]),
    library("Metrics", ["Core"]),
    library("Judge", ["Core", "JSON", "Protocols"]),
    library("FaultProxy", ["Core", "JSON", "WebSocket", "Network", "Protocols"]),
    library("ReferenceServer", ["Core", "JSON", "WebSocket", "Network", "Protocols"]),
    library("ClientSim", ["Core", "JSON", "WebSocket", "Network", "Protocols", "Metrics"]),
    library("Reporting", ["Core", "JSON", "Metrics", "Judge"]),
    .executableTarget(
      name: "obload",
      dependencies: [
        "CSys", "Core", "JSON", "WebSocket", "Network", "Protocols", "Metrics", "Judge", "FaultProxy",
        "ReferenceServer", "ClientSim", "Reporting",
      ],
      swiftSettings: settings),
    library("TestSupport", ["Core", "Network"]),

    tests("Core", ["Core"]),
    tests("JSON", ["JSON", "Core"]),
    tests("WebSocket", ["WebSocket", "Core"]),
    tests("Network", ["Network", "WebSocket", "Core", "CSys", "TestSupport"]),
    tests("Protocols", ["Protocols", "JSON", "Core"]),
    tests("Metrics", ["Metrics", "Core"]),
    tests("Judge", ["Judge", "Protocols", "JSON", "Core"]),
    tests("FaultProxy", ["FaultProxy", "Protocols", "Network", "WebSocket", "JSON", "Core", "TestSupport"]),
    tests("ReferenceServer", ["ReferenceServer", "Protocols", "Network", "WebSocket", "JSON", "Core", "TestSupport"]),
    tests("ClientSim", ["ClientSim", "Protocols", "Metrics", "Network", "WebSocket", "JSON", "Core", "TestSupport"]),
    tests("Reporting", ["Reporting", "Metrics", "Judge", "JSON", "Core"]),
    tests(
      "Obload",
      [
        "obload", "Core", "JSON", "Metrics", "Judge", "FaultProxy", "ClientSim", "Reporting", "Network", "Protocols",
        "ReferenceServer", "TestSupport",
      ]),
    tests(
      "EndToEnd",
      [
        "obload", "Core", "JSON", "Metrics", "Judge", "FaultProxy", "ClientSim", "Reporting", "Network", "WebSocket",
        "ReferenceServer", "TestSupport",
      ]),
  ]
)
