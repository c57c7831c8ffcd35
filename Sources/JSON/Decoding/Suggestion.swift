/// Finds what a misspelt word was probably meant to be.
public enum Suggestion {
  /// Words longer than this are not compared, since the cost grows with the square of their length.
  private static let longest = 64

  /// The candidate nearest to `word` by Damerau-Levenshtein distance (capitals count for nothing), if it is at most 2
  /// or a third of the word's length away and shares something with it; the first of equals.
  public static func nearest(to word: String, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased())
    guard !wanted.isEmpty, wanted.count <= longest else { return nil }
    let limit = min(max(2, wanted.count / 3), wanted.count - 1)
    var best: (distance: Int, word: String)?
    for candidate in candidates where candidate != word {
      let letters = Array(candidate.lowercased())
      guard letters.count <= longest, abs(letters.count - wanted.count) <= limit else { continue }
      let distance = distance(wanted, letters)
      guard distance <= limit, distance < letters.count || distance == 0 else { continue }
      if best.map({ distance < $0.distance }) ?? true { best = (distance, candidate) }
    }
    return best?.word
  }

  /// Insertions, deletions, replacements and swaps of neighbours that lead from one to the other.
  static func distance(_ a: [Character], _ b: [Character]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var before: [Int] = []
    var previous = Array(0...b.count)
    for i in 1...a.count {
      var row = [i] + [Int](repeating: 0, count: b.count)
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        row[j] = min(previous[j] + 1, row[j - 1] + 1, previous[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], before[j - 2] + 1) }
      }
      before = previous
      previous = row
    }
    return previous[b.count]
  }
}
