import Core
import Foundation
import Glibc
import Reporting

/// What a run can tell of the machine it is on: processors, memory, times.
enum Machine {
  /// Processors that this process may use.
  static var processors: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// CPU time of the whole process so far, in seconds.
  static var cpuSeconds: Double {
    var usage = rusage()
    getrusage(Self.selfUsage, &usage)
    func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// The most memory the process has had resident, in bytes: `VmHWM`, since `getrusage` counts what a parent had before
  /// it started this program.
  static var maxResidentBytes: Int { kibibytes("VmHWM:", in: "/proc/self/status") ?? 0 }

  private static let selfUsage = __rusage_who_t(RUSAGE_SELF.rawValue)

  /// Memory that can be had without swapping, in bytes, as Linux estimates it; nil where it does not say.
  static var availableMemory: Int? { kibibytes("MemAvailable:", in: "/proc/meminfo") }

  /// The value of a line such as `VmHWM:  1024 kB`, in bytes.
  private static func kibibytes(_ name: String, in file: String) -> Int? {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { return nil }
    let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
    return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
  }

  /// Now, for file names (`2026-12-01T10-00-00`) and for reports (`2026-12-01T10:00:00Z`), in UTC.
  static func time() -> (file: String, report: String) {
    let formatter = ISO8601DateFormatter()
    let report = formatter.string(from: Date())
    return (report.replacing(":", with: "-").replacing("Z", with: ""), report)
  }

  /// What the summary says of the environment: the same for every run on this machine.
  static var environment: [HeaderField] {
    var name = utsname()
    uname(&name)
    func text<T>(_ value: T) -> String {
      withUnsafeBytes(of: value) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
    return [
      HeaderField("obload", Version.text), HeaderField("system", text(name.sysname) + " " + text(name.release)),
      HeaderField("architecture", text(name.machine)), HeaderField("processors", String(processors)),
    ]
  }
}

/// Which obload this is.
enum Version {
  static let text = "0.1.0"
}
