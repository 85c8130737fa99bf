import VitrineMath
import VitrineVision

/// The pictures of the last second or two, as their features: what a start in motion is found from.
struct InitializationWindow: Sendable {
    /// A feature in one picture.
    struct Sight: Sendable {
        var id: Int
        /// Undistorted normalized coordinates.
        var normalized: Vector2d
    }

    struct Frame: Sendable {
        /// On the camera's clock, in seconds.
        var time: Double
        /// By rising id.
        var sights: [Sight]
    }

    /// The same point in several frames.
    struct Track: Sendable {
        var id: Int
        /// Frames by their number, rising.
        var sights: [(frame: Int, normalized: Vector2d)]
    }

    private(set) var frames: [Frame] = []

    mutating func append(time: Double, features: [ObservedFeature], camera: CameraIntrinsics) {
        let sights = features.map { Sight(id: $0.id, normalized: camera.normalized($0.pixel)) }
        frames.append(
            Frame(
                time: time,
                sights: sights.filter { $0.normalized.x.isFinite && $0.normalized.y.isFinite }.sorted { $0.id < $1.id }))
    }

    mutating func drop(before time: Double) {
        if let keep = frames.firstIndex(where: { $0.time >= time }) { frames.removeFirst(keep) } else { frames.removeAll() }
    }

    mutating func removeAll() { frames.removeAll() }

    /// In seconds.
    var duration: Double { (frames.last?.time ?? 0) - (frames.first?.time ?? 0) }

    /// At most `count` frames, the newest and the oldest among them, as evenly spread over time as they come.
    func spread(_ count: Int) -> [Frame] {
        guard frames.count > count, count > 1, let first = frames.first else { return frames }
        var chosen: [Int] = []
        for k in 0..<count {
            let wanted = first.time + duration * Double(k) / Double(count - 1)
            let nearest = frames.indices.min { abs(frames[$0].time - wanted) < abs(frames[$1].time - wanted) } ?? 0
            if chosen.last != nearest { chosen.append(nearest) }
        }
        return chosen.map { frames[$0] }
    }

    /// Points that at least `sights` of the frames show: the longest tracks first, at most `limit`, then by rising id.
    static func tracks(_ frames: [Frame], sights: Int, limit: Int) -> [Track] {
        var all: [Int: Track] = [:]
        for (number, frame) in frames.enumerated() {
            for sight in frame.sights { all[sight.id, default: Track(id: sight.id, sights: [])].sights.append((number, sight.normalized)) }
        }
        let long = all.values.filter { $0.sights.count >= sights }.sorted { ($1.sights.count, $0.id) < ($0.sights.count, $1.id) }
        return long.prefix(limit).sorted { $0.id < $1.id }
    }

    /// The same features in two frames: unit rays in the cameras' frames.
    static func shared(_ a: Frame, _ b: Frame) -> [(Vector3d, Vector3d)] {
        var (result, i, j): ([(Vector3d, Vector3d)], Int, Int) = ([], 0, 0)
        while i < a.sights.count, j < b.sights.count {
            let (first, second) = (a.sights[i], b.sights[j])
            if first.id == second.id { result.append((ray(first.normalized), ray(second.normalized))) }
            if first.id <= second.id { i += 1 }
            if second.id <= first.id { j += 1 }
        }
        return result
    }

    static func ray(_ normalized: Vector2d) -> Vector3d { normalize(Vector3d(normalized.x, normalized.y, 1)) }

    /// The median distance, in normalized coordinates, that features moved between two frames; nil for fewer than `least` shared ones.
    static func flow(_ a: Frame, _ b: Frame, least: Int) -> Double? {
        var distances: [Double] = []
        var j = 0
        for sight in a.sights {
            while j < b.sights.count, b.sights[j].id < sight.id { j += 1 }
            guard j < b.sights.count else { break }
            guard b.sights[j].id == sight.id else { continue }
            let d = b.sights[j].normalized - sight.normalized
            distances.append((d * d).sum().squareRoot())
        }
        guard distances.count >= least else { return nil }
        distances.sort()
        return distances[distances.count / 2]
    }

    /// How far features moved over some frames, in normalized coordinates: the median, were there no noise. Nil for fewer than `least` features
    /// that all frames show.
    ///
    /// Each feature's mean place over the later half is held against that over the earlier half, which lies half the time before; what noise adds
    /// to the square of that is told by how the places stray from their neighbours before and after, and taken off.
    static func movement(_ frames: [Frame], least: Int) -> Double? {
        guard frames.count >= 6 else { return frames.first.flatMap { flow($0, frames[frames.count - 1], least: least) } }
        let long = tracks(frames, sights: frames.count, limit: .max)
        guard long.count >= least else { return nil }
        let half = frames.count / 2
        func median(_ squares: [Double]) -> Double { squares.sorted()[squares.count / 2] }
        var (moved, strayed): ([Double], [Double]) = ([], [])
        for track in long {
            let places = track.sights.map(\.normalized)
            let early = places.prefix(half).reduce(Vector2d.zero, +) / Double(half)
            let late = places.suffix(half).reduce(Vector2d.zero, +) / Double(half)
            moved.append(((late - early) * (late - early)).sum())
            for k in stride(from: 1, to: places.count - 1, by: 3) {
                let stray = places[k] * 2 - places[k - 1] - places[k + 1]
                strayed.append((stray * stray).sum() / 6)
            }
        }
        // A median of so many squares strays by itself.
        let noise = median(strayed) * 2 / Double(half) * (1 + 3 / Double(long.count).squareRoot())
        return 2 * max(0, median(moved) - noise).squareRoot()
    }
}
