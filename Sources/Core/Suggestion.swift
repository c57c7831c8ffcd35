/// Finds what was probably meant by a misspelt word.
public enum Suggestion {
  /// Longer words get no suggestion: they are no slip of a key, and the work grows with the square of the length.
  static let longestWord = 64

  /// The candidate nearest to `word`, letter case aside, if it is near enough to be a slip: one edit for a short
  /// word, three at most for a long one. Of equally near ones the first.
  public static func nearest(to word: some StringProtocol, among candidates: some Sequence<String>) -> String? {
    let wanted = Array(word.lowercased().unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= longestWord else { return nil }
    let limit = min(3, (wanted.count + 2) / 3)
    var best: (candidate: String, distance: Int)?
    for candidate in candidates {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard abs(other.count - wanted.count) <= limit, other.count <= longestWord else { continue }
      let distance = distance(wanted, other)
      // A word all of whose letters would have to change is not near.
      guard distance <= limit, distance < max(wanted.count, other.count) else { continue }
      if best == nil || distance < (best?.distance ?? 0) { best = (candidate, distance) }
    }
    return best?.candidate
  }

  /// How many letters must be inserted, dropped, replaced or swapped with their neighbour (Damerau–Levenshtein, each
  /// place edited once) to make one word of the other.
  static func distance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
    var beforeLast = [Int](repeating: 0, count: b.count + 1)
    var last = Array(0...b.count)
    var current = last
    for i in 1...a.count {
      current[0] = i
      for j in 1...b.count {
        let cost = a[i - 1] == b[j - 1] ? 0 : 1
        current[j] = min(last[j] + 1, current[j - 1] + 1, last[j - 1] + cost)
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          current[j] = min(current[j], beforeLast[j - 2] + 1)
        }
      }
      (beforeLast, last, current) = (last, current, beforeLast)
    }
    return last[b.count]
  }
}
