import Core
import Testing

@Suite struct MarkerTests {
  private let marker = Marker(run: 0xDEAD_BEEF, client: ClientID(17), sequence: 255, sent: .seconds(1.5))

  private func all(_ text: String) -> [Marker] { Marker.all(in: Array(text.utf8)) }

  @Test func aMarkerIsFoundAgainAsItWasWritten() {
    #expect(marker.description == "ob~deadbeef~11~ff~59682f00~")
    #expect(all(marker.description) == [marker])
  }

  @Test func theLimitsOfItsFieldsSurvive() {
    for sent in [Instant.zero, .distantFuture, Instant(nanoseconds: -1), Instant(nanoseconds: .min)] {
      let extreme = Marker(run: .max, client: ClientID(.max), sequence: .max, sent: sent)
      #expect(all(extreme.description) == [extreme])
    }
    let least = Marker(run: 0, client: ClientID(0), sequence: 0, sent: .zero)
    #expect(all(least.description) == [least])
  }

  @Test func markersAreFoundWhateverSurroundsThem() {
    var other = marker
    other.sequence = 3
    #expect(all("{\"text\":\"é \(marker) and\\n\(other)\"}") == [marker, other])
    #expect(all("\(marker)\(other)") == [marker, other])
    #expect(all("blob~\(marker)~ob~ob~\(other)ob~") == [marker, other])
  }

  @Test(arguments: [
    "", "ob", "ob~", "~", "b~", "ob~~~~~", "ob~1~2~3~4", "ob~1~2~3~", "ob~1~2~3~4~".uppercased(), "ob~1~2~g~4~",
    "ob~100000000~2~3~4~", "ob~1~100000000~3~4~", "ob~1~2~100000000~4~", "ob~1~2~3~10000000000000000~",
    "ob~00000000000000001~2~3~4~", "ob~ffffffffffffffffffffffffffffffff", "ob~-1~2~3~4~", "ob~1 ~2~3~4~",
  ]) func whatIsNoMarkerIsNotTakenForOne(text: String) {
    #expect(all(text).isEmpty)
  }

  @Test func randomBytesNeitherCrashNorLoop() {
    var random = SeededRandom(seed: 1, purpose: .test)
    let alphabet = Array("ob~0123456789abcdef\"\\ ".utf8)
    for _ in 0..<300 {
      let bytes = (0..<200).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }
      for found in Marker.all(in: bytes) { #expect(all(found.description) == [found]) }
    }
  }

  @Test func aScanStopsWhenToldTo() {
    var seen = 0
    Array("\(marker)\(marker)\(marker)".utf8).withUnsafeBytes { bytes in
      Marker.forEach(in: bytes) { _ in
        seen += 1
        return seen < 2
      }
    }
    #expect(seen == 2)
  }

  @Test func keysOfDifferentMarkersDiffer() {
    var other = marker
    other.sequence += 1
    #expect(marker.key != other.key)
    #expect(marker.key == 17 << 32 | 255)
  }
}
