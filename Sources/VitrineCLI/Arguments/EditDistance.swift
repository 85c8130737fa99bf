/// The number of characters to insert, remove or replace to get from `a` to `b` (Levenshtein 1966).
func editDistance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let substitution = diagonal + (a[i] == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(substitution, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}

/// The most similar name: at most three edits, and at most half of the characters of `word`. The first of equals.
func nearestName(to word: String, in names: [String]) -> String? {
    let nearest = names.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= 3, 2 * nearest.1 <= word.count else { return nil }
    return nearest.0
}
