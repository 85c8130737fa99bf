import VitrineMath

/// Returns the name that is nearest to a misspelled word: at most three edits away and at most half of its characters; nil without such a name. Of
/// equally near names, the first.
func nearestName(to word: String, in names: [String]) -> String? {
    let nearest = names.map { ($0, editDistance(word, $0)) }.min { $0.1 < $1.1 }
    guard let nearest, nearest.1 <= 3, 2 * nearest.1 <= word.count else { return nil }
    return nearest.0
}
