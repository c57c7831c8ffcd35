import Core
import Testing

@Suite struct QuantityTests {
  @Test(arguments: [
    ("250ms", Duration.milliseconds(250)), ("90s", .seconds(90)), ("4m", .seconds(240)), ("4min", .seconds(240)),
    ("1h", .seconds(3600)), ("50us", .microseconds(50)), ("50µs", .microseconds(50)), ("50\u{3BC}s", .microseconds(50)),
    ("100ns", .nanoseconds(100)), ("1.5s", .milliseconds(1500)), ("0s", .zero), ("1.5 s", .milliseconds(1500)),
  ]) func durationsHaveUnits(text: String, duration: Duration) {
    #expect(Quantity.duration(text) == duration)
  }

  @Test(arguments: ["", "250", "ms", "-1s", "1 fortnight", "1e400s", "nans", "1..5s", "1s ", "99999999999999h", "٣s"])
  func whatIsNoDurationIsRefused(text: String) {
    #expect(Quantity.duration(text) == nil)
  }

  @Test func ratesSharesAndSizesHaveUnits() {
    #expect(Quantity.rate("0.5/s") == 0.5)
    #expect(Quantity.rate("30/m") == 0.5)
    #expect(Quantity.rate("1800/h") == 0.5)
    #expect(Quantity.rate("5") == nil && Quantity.rate("-5/s") == nil && Quantity.rate("5/d") == nil)
    #expect(Quantity.share("30%") == 0.3 && Quantity.share("0%") == 0 && Quantity.share("100%") == 1)
    #expect(Quantity.share("101%") == nil && Quantity.share("-1%") == nil && Quantity.share("0.3") == nil)
    #expect(Quantity.size("512B") == 512 && Quantity.size("64KiB") == 65_536 && Quantity.size("1.5MB") == 1_500_000)
    #expect(Quantity.size("1TB") == nil && Quantity.size("99999999999GiB") == nil && Quantity.size("-1B") == nil)
  }

  @Test(arguments: [
    (Duration.zero, "0 s"), (.nanoseconds(7), "7.00 ns"), (.nanoseconds(999), "999 ns"),
    (.nanoseconds(1000), "1.00 µs"),
    (.microseconds(41), "41.0 µs"), (.microseconds(4100), "4.10 ms"), (.milliseconds(612), "612 ms"),
    (.microseconds(999_600), "1.00 s"), (.milliseconds(1900), "1.90 s"), (.seconds(119), "119 s"),
    (.seconds(150), "2.50 min"), (.milliseconds(-250), "-250 ms"),
  ]) func durationsArePrintedWithThreeDigits(duration: Duration, text: String) {
    #expect(Quantity.text(duration) == text)
  }

  @Test func decimalsAreExactAndRounded() {
    #expect(Quantity.fixed(1.005, decimals: 1) == "1.0")
    #expect(Quantity.fixed(0.049, decimals: 1) == "0.0")
    #expect(Quantity.fixed(9.96, decimals: 1) == "10.0")
    #expect(Quantity.fixed(-0.04, decimals: 1) == "0.0")
    #expect(Quantity.fixed(-1.26, decimals: 1) == "-1.3")
    #expect(Quantity.fixed(3.06, decimals: 2) == "3.06")
    #expect(Quantity.fixed(.infinity, decimals: 2) == "inf")
    #expect(Quantity.fixed(1e300, decimals: 2) == "1e+300")
  }
}
