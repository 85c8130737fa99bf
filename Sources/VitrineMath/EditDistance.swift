/// Returns the number of elements to insert, remove or replace to turn `a` into `b` (Levenshtein 1966). Time: O(`a.count` · `b.count`).
package func editDistance<Elements: Collection>(_ a: Elements, _ b: Elements) -> Int where Elements.Element: Equatable {
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
