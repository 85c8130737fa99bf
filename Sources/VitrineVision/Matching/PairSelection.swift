/// Selects the pairs of photos to match.
struct PairSelection {
    let options: PhotoMatcher.Options
    let ordering: PhotoOrdering

    /// Returns the pairs in ascending order of (first, second).
    func pairs(_ photos: [PreparedFeatures], parallel: Parallel) -> [(first: Int, second: Int)] {
        let count = photos.count
        let isFew = count <= max(2, options.exhaustiveCount)
        if ordering == .unordered, isFew { return Self.all(count) }
        let neighbours = ordering == .sequential ? options.sequentialNeighbours : 3
        let alike = ordering == .sequential ? options.loopCandidates : options.similarPhotos
        // With so few photos all pairs are selected anyway.
        if count <= 2 * neighbours + 1 { return Self.all(count) }

        var isChosen = [Bool](repeating: false, count: count * count)
        func choose(_ a: Int, _ b: Int) { isChosen[min(a, b) * count + max(a, b)] = true }
        for first in 0..<count {
            for second in (first + 1)..<max(first + 1, min(count, first + neighbours + 1)) { choose(first, second) }
        }
        let similarity = PhotoSimilarity(photos, parallel: parallel)
        let candidates = parallel.map(count) { photo in
            // A photo's neighbours are selected already and would fill the list.
            similarity.nearest(to: photo, count: alike + 2 * neighbours).filter { abs($0 - photo) > neighbours }.prefix(alike)
        }
        for photo in 0..<count { for other in candidates[photo] { choose(photo, other) } }
        return Self.all(count).filter { isChosen[$0.first * count + $0.second] }
    }

    private static func all(_ count: Int) -> [(first: Int, second: Int)] {
        var pairs: [(first: Int, second: Int)] = []
        for first in 0..<count { for second in (first + 1)..<max(first + 1, count) { pairs.append((first, second)) } }
        return pairs
    }
}
