import VitrineGeometry

/// Division of a large set of photos into submaps, which are mapped separately and then merged.
package enum Submaps {
    /// Smaller groups are joined to others.
    private static let fewestPhotos = 12

    /// Divides the photos by their matches.
    ///
    /// Grows one group after the other, each from a photo at the border of the remaining ones, by the photo that has the largest share of its matches with
    /// the group: this leaves no gaps.
    /// - Parameter size: The number of photos of a group, about.
    /// - Returns: At most as many groups as photos / `size`, rounded up; each in ascending order. Photos without matches are in none.
    package static func divided(_ graph: MatchGraph, size: Int) -> [[Int]] {
        let count = graph.photoCount
        var neighbours = [[(photo: Int, matches: Int)]](repeating: [], count: count)
        for pair in graph.pairs {
            neighbours[pair.first].append((pair.second, pair.matches.count))
            neighbours[pair.second].append((pair.first, pair.matches.count))
        }
        let limit = max(1, (count + size - 1) / size)
        let target = (count + limit - 1) / limit
        var group = [Int](repeating: -1, count: count)
        var (groups, isTried): ([[Int]], [Bool]) = ([], Array(repeating: false, count: count))
        while groups.count < limit {
            let open = group.indices.filter { group[$0] < 0 && !isTried[$0] && !neighbours[$0].isEmpty }
            // Matches with photos that are in no group yet.
            let total = neighbours.map { $0.reduce(0) { $0 + (group[$1.photo] < 0 ? $1.matches : 0) } }
            guard let start = open.min(by: { (total[$0], $0) < (total[$1], $1) }) else { break }
            var (members, strength, isMember) = ([Int](), [Int](repeating: 0, count: count), [Bool](repeating: false, count: count))
            var next: Int? = start
            while let photo = next, members.count < target {
                members.append(photo)
                isMember[photo] = true
                for other in neighbours[photo] { strength[other.photo] += other.matches }
                func share(_ photo: Int) -> Double { Double(strength[photo]) / Double(max(1, total[photo])) }
                next = open.filter { !isMember[$0] && strength[$0] > 0 }.max {
                    (share($0), strength[$0], -$0) < (share($1), strength[$1], -$1)
                }
            }
            for photo in members { isTried[photo] = true }
            guard members.count >= min(fewestPhotos, target) else { continue }
            for photo in members { group[photo] = groups.count }
            groups.append(members)
        }
        // Photos left between the groups.
        var isChanged = true
        while isChanged {
            isChanged = false
            for photo in group.indices where group[photo] < 0 {
                var matches = [Int](repeating: 0, count: groups.count)
                for other in neighbours[photo] where group[other.photo] >= 0 { matches[group[other.photo]] += other.matches }
                guard let best = matches.indices.max(by: { (matches[$0], -$0) < (matches[$1], -$1) }), matches[best] > 0 else { continue }
                group[photo] = best
                isChanged = true
            }
        }
        return groups.indices.map { number in group.indices.filter { group[$0] == number } }.filter { !$0.isEmpty }
    }
}

extension MapState {
    /// The state of a model that was mapped before, to be merged with others.
    init(_ model: SparseModel, _ empty: MapState) {
        self = empty
        for photo in model.cameras.indices { poses[photo] = model.cameras[photo]?.cameraFromWorld }
        for lens in lenses.indices where !lenses[lens].isHeld && model.groups[lens].photos.contains(where: { poses[$0] != nil }) {
            // The focal length and k1: the final fit decides about further parameters, and starts without them.
            let change = model.groups[lens].intrinsics.parameters - lenses[lens].intrinsics.parameters
            let mask = BundleSystem.prefixMask(min(2, lenses[lens].intrinsics.parameterCount))
            lenses[lens].intrinsics.add(SIMD16<Double>.zero.replacing(with: change, where: mask))
            lenses[lens].isCalibrated = true
        }
        for point in model.points {
            addPoint(point.position, point.observations.map { UInt32(graph.photoStarts[Int($0.x)]) + $0.y }.sorted())
        }
    }
}

extension IncrementalMapping {
    /// Merges submaps, the largest first, then always the one with the most points in common; adjusts after each.
    ///
    /// The photos of submaps that cannot be merged are registered again, one by one.
    /// - Parameter models: Models of all photos; photos of other submaps have no camera.
    func merge(_ models: [SparseModel], empty: MapState, progress: (Double) -> Void) -> MapState? {
        var waiting = models.map { MapState($0, empty) }.filter { $0.registeredCount >= 3 }
        guard let largest = waiting.indices.max(by: { (waiting[$0].registeredCount, -$0) < (waiting[$1].registeredCount, -$1) }) else {
            return nil
        }
        var state = waiting.remove(at: largest)
        let count = waiting.count
        while !waiting.isEmpty, !isCancelled() {
            let parts = waiting
            let common = parts.map { commonPoints($0, state).count }
            let order = parts.indices.sorted { (common[$0], -$0) > (common[$1], -$1) }
            guard let joined = order.first(where: { join(parts[$0], to: &state) }) else { break }
            waiting.remove(at: joined)
            adjustGlobally(&state, rounds: 1)
            progress(Double(count - waiting.count) / Double(count))
        }
        grow(&state, allowed: Array(repeating: true, count: state.poses.count))
        return state
    }
}
