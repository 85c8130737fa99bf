import VitrineVision

/// Detects the overlapping photos of a growing set by verified matches of a small version of each.
package final class PhotoOverlap {
    private var photos: [(features: FeatureSet, guess: CameraGuess)] = []
    /// The group of each photo: the index of one of its members.
    private var groups: [Int] = []

    /// Photos are compared with this many latest ones, and with all others only if none of these overlaps.
    private static let neighbours = 4
    private static let matcher = PhotoMatcher(
        {
            var options = PhotoMatcher.Options()
            options.dropsStillBackground = false
            return options
        }())
    private static let detector = FeatureDetector(
        {
            var options = FeatureDetector.Options()
            (options.maximumCount, options.maximumSide, options.doublingSide) = (1_200, 800, 0)
            return options
        }())

    package init() {}

    /// Adds a photo.
    ///
    /// - Returns: Whether it overlaps with an earlier one; true for the first.
    package func add(_ photo: PhotoMeasure) -> Bool {
        let index = photos.count
        let size = photo.gray
        photos.append((Self.detector.detect(in: size), CameraGuess(width: size.width, height: size.height)))
        groups.append(index)
        guard index > 0 else { return true }
        let latest = Array((max(0, index - Self.neighbours)..<index).reversed())
        let found = latest.filter { overlaps($0, index) }
        let linked = found.isEmpty ? (0..<latest[latest.count - 1]).filter { overlaps($0, index) } : found
        for other in linked { join(groups[other], groups[index]) }
        return !linked.isEmpty
    }

    /// The indices of the photos outside of the largest group of overlapping ones.
    package var separate: [Int] {
        var sizes: [Int: Int] = [:]
        for group in groups { sizes[group, default: 0] += 1 }
        // Of equal groups, the first.
        let largest = sizes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        return groups.indices.filter { groups[$0] != largest }
    }

    private func overlaps(_ first: Int, _ second: Int) -> Bool {
        let pair = [photos[first], photos[second]]
        let graph = try? Self.matcher.match(features: pair.map(\.features), guesses: pair.map(\.guess))
        return graph.map { !$0.pairs.isEmpty } ?? false
    }

    private func join(_ kept: Int, _ merged: Int) {
        for index in groups.indices where groups[index] == merged { groups[index] = kept }
    }
}
