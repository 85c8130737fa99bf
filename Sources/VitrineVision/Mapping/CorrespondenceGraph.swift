import VitrineMath

/// The features of all photos under consecutive numbers, with their matches.
struct CorrespondenceGraph: Sendable {
    /// The start of each photo's features; those of photo i are `photoStarts[i]..<photoStarts[i + 1]`.
    let photoStarts: [Int]
    let photoOfFeature: [Int32]
    let pixels: [Vector2d]
    /// The matched features of feature i: `partners[partnerStarts[i]..<partnerStarts[i + 1]]`, in ascending order.
    let partnerStarts: [Int32]
    let partners: [UInt32]
    /// The matched photos of each photo and the numbers of matches, in ascending order of photos.
    let pairs: [[(photo: Int, matches: Int)]]

    init(_ graph: MatchGraph, _ photos: [MapperPhoto]) throws(MappingError) {
        guard graph.photoCount == photos.count else {
            throw .invalidInput("\(photos.count) photos for matches among \(graph.photoCount)")
        }
        var starts = [0]
        var (owners, pixels): ([Int32], [Vector2d]) = ([], [])
        for (index, photo) in photos.enumerated() {
            let guess = photo.guess.intrinsics
            let isFinite = guess.isFinite
            guard guess.width > 0, guess.height > 0, isFinite, guess.focal.x > 0, guess.focal.y > 0 else {
                throw .invalidInput("photo \(index) has no size or focal length")
            }
            starts.append(starts.last! + photo.positions.count)
            owners.append(contentsOf: repeatElement(Int32(index), count: photo.positions.count))
            pixels.append(contentsOf: photo.positions.map { Vector2d(Double($0.x), Double($0.y)) })
        }
        guard pixels.count < Int(Int32.max) / 2 else { throw .invalidInput("more than a billion features") }

        var counts = [Int32](repeating: 0, count: pixels.count + 1)
        var links: [SIMD2<UInt32>] = []
        var pairs = [[(photo: Int, matches: Int)]](repeating: [], count: photos.count)
        for pair in graph.pairs {
            guard pair.first >= 0, pair.first < pair.second, pair.second < photos.count else {
                throw .invalidInput("a pair of photos \(pair.first) and \(pair.second)")
            }
            var used = 0
            for match in pair.matches {
                guard Int(match.x) < photos[pair.first].positions.count, Int(match.y) < photos[pair.second].positions.count else {
                    throw .invalidInput("a match of photos \(pair.first) and \(pair.second) names a feature that is not there")
                }
                let (a, b) = (starts[pair.first] + Int(match.x), starts[pair.second] + Int(match.y))
                guard pixels[a].x.isFinite, pixels[a].y.isFinite, pixels[b].x.isFinite, pixels[b].y.isFinite else { continue }
                links.append(SIMD2(UInt32(a), UInt32(b)))
                counts[a + 1] += 1
                counts[b + 1] += 1
                used += 1
            }
            pairs[pair.first].append((pair.second, used))
            pairs[pair.second].append((pair.first, used))
        }
        for index in 1..<counts.count { counts[index] += counts[index - 1] }
        var ends = counts
        var partners = [UInt32](repeating: 0, count: 2 * links.count)
        for link in links {
            partners[Int(ends[Int(link.x)])] = link.y
            ends[Int(link.x)] += 1
            partners[Int(ends[Int(link.y)])] = link.x
            ends[Int(link.y)] += 1
        }
        for feature in 0..<pixels.count where counts[feature + 1] - counts[feature] > 1 {
            partners[Int(counts[feature])..<Int(counts[feature + 1])].sort()
        }
        (photoStarts, photoOfFeature, self.pixels) = (starts, owners, pixels)
        (partnerStarts, self.partners) = (counts, partners)
        self.pairs = pairs.map { $0.sorted { $0.photo < $1.photo } }
    }

    @inline(__always) func partnerRange(_ feature: Int) -> Range<Int> { Int(partnerStarts[feature])..<Int(partnerStarts[feature + 1]) }
    @inline(__always) func features(of photo: Int) -> Range<Int> { photoStarts[photo]..<photoStarts[photo + 1] }
    @inline(__always) func photo(of feature: Int) -> Int { Int(photoOfFeature[feature]) }
}
