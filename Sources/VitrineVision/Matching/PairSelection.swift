/// Which pairs of photos are worth comparing.
struct PairSelection {
    let options: PhotoMatcher.Options
    let ordering: PhotoOrdering

    /// Rising by (first, second).
    func pairs(_ photos: [PreparedFeatures]) -> [(first: Int, second: Int)] {
        var pairs: [(first: Int, second: Int)] = []
        for first in photos.indices {
            for second in (first + 1)..<max(first + 1, photos.count) { pairs.append((first, second)) }
        }
        return pairs
    }
}
