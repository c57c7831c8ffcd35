import CSys
import Core
import Testing

@testable import Network

@Test(arguments: [false, true]) func aWaitEndsAfterItsNanoseconds(_ usesTimerDescriptor: Bool) {
  let poller = EpollPoller(usesTimerDescriptor: usesTimerDescriptor)
  let before = csys_monotonic_ns()
  poller.wait(nanoseconds: 300_000)
  let waited = csys_monotonic_ns() - before
  // Rounded up to milliseconds it would be a whole one; the machine may be late, so only the lower bound is exact.
  #expect(waited >= 300_000)
  poller.wait(nanoseconds: 0)
  poller.wake()
  poller.wait(nanoseconds: nil)
}
