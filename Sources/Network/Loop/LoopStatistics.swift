/// What an event loop has done since it was made.
public struct LoopStatistics: Sendable {
  public var jobs = 0
  public var timersFired = 0
  public var turns = 0
  /// Jobs and works that came from other threads.
  public var foreignJobs = 0
  public var foreignWorks = 0
}
