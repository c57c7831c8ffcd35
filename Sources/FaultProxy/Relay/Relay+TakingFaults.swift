import Core

/// Which faults are on for a connection: taken in on its way, when the proxy's have changed.
extension Relay {
  @inline(__always)
  func takeFaultsInIfChanged() { if generation != proxy.generation { takeFaultsIn() } }

  func takeFaultsIn() {
    generation = proxy.generation
    let seed = proxy.configuration.seed
    faults = []
    var hits = proxy.active.filter { $0.entry.hits(subject, seed: seed) }
    let watching = takeOwnTimes(&hits)
    for run in hits { faults.formUnion(run.entry.faultSet) }
    up.take(hits, watching: watching)
    if state == .over { return }
    down.take(hits, watching: watching)
  }

  /// A fault has ended: what it held goes on.
  func released() {
    if state == .over { return }
    if up.isFaulted || down.isFaulted || !own.isEmpty { takeFaultsInAndResume() }
    endSilence()
    guard state == .hanging, holder?.isOn != true else { return }
    let (decision, run) = proxy.decide(subject, attempt: attempt)
    if let run, run !== holder { proxy.touch(run, subject) }
    begin(decision, by: run)
  }

  func takeFaultsInAndResume() {
    takeFaultsIn()
    if state != .over { up.resumeAfterRelease() }
    if state != .over { down.resumeAfterRelease() }
  }
}
