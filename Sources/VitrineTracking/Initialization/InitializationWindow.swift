import VitrineMath
import VitrineVision

/// The features of the frames of the last seconds, for initialization.
struct InitializationWindow: Sendable {
    struct Frame: Sendable {
        /// Seconds on the camera's clock.
        var time: Double
        /// The observations, ordered by ascending identifier.
        var observations: [NormalizedObservation]
        /// The exposure of each observation's row, as a share of the readout time: −0.5…0.5.
        var shares: [Float] = []
        /// The measured depth of each observation; nil if unknown. Empty if none was measured.
        var depths: [MeasuredDepth?] = []

        /// The measured depth of an observation; nil if unknown.
        func depth(_ index: Int) -> MeasuredDepth? { index < depths.count ? depths[index] : nil }

        /// The observations as if all rows were exposed with the middle one, without the camera's translation in between.
        ///
        /// - Parameter turn: The rotation vector of the camera, on its axes, during the readout.
        func observationsOfMiddleRow(_ turn: Vector3d) -> [NormalizedObservation] {
            guard turn != .zero, shares.count == observations.count else { return observations }
            return zip(observations, shares).map { observation, share in
                let ray = Matrix3d.rotation(turn * Double(share)) * Vector3d(observation.normalized.x, observation.normalized.y, 1)
                guard ray.z > 0.05 else { return observation }
                return NormalizedObservation(id: observation.id, normalized: Vector2d(ray.x, ray.y) / ray.z)
            }
        }
    }

    /// The observations of one point in several frames.
    struct Track: Sendable {
        var id: Int
        /// The observations, ordered by ascending frame index.
        var observations: [(frame: Int, normalized: Vector2d)]
        /// The depth in the frame of the first observation; nil if it was not measured.
        var depth: MeasuredDepth?
    }

    private(set) var frames: [Frame] = []

    mutating func append(time: Double, features: [ObservedFeature], camera: CameraIntrinsics) {
        let height = Double(max(camera.height, 1))
        let observations = features.map {
            (
                NormalizedObservation(id: $0.id, normalized: camera.normalized($0.pixel)),
                Float(min(max($0.pixel.y / height, 0), 1) - 0.5), $0.depth
            )
        }.filter { $0.0.normalized.x.isFinite && $0.0.normalized.y.isFinite }.sorted { $0.0.id < $1.0.id }
        frames.append(
            Frame(time: time, observations: observations.map(\.0), shares: observations.map(\.1), depths: observations.map(\.2)))
    }

    /// The frames as if all rows were exposed with the middle one, by the gyroscope.
    /// - Parameter bias: The gyroscope's, rad/s.
    func framesOfMiddleRows(_ inertial: InertialBuffer, _ rig: SensorRig, bias: Vector3d) -> [Frame] {
        guard rig.readoutTime != 0 else { return frames }
        return frames.map { frame in
            var moved = frame
            moved.observations = frame.observationsOfMiddleRow(rig.readoutTurn(inertial, at: frame.time, bias: bias))
            return moved
        }
    }

    mutating func moveToMiddleRows(_ inertial: InertialBuffer, _ rig: SensorRig, bias: Vector3d) {
        frames = framesOfMiddleRows(inertial, rig, bias: bias)
    }

    mutating func drop(before time: Double) {
        if let keep = frames.firstIndex(where: { $0.time >= time }) { frames.removeFirst(keep) } else { frames.removeAll() }
    }

    /// The duration of the window in seconds.
    var duration: Double { (frames.last?.time ?? 0) - (frames.first?.time ?? 0) }

    /// Selects at most `count` frames, including the first and the last, evenly spread over time.
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

    /// The tracks with at least `minimumLength` observations: the longest `limit` of them, by ascending identifier.
    static func tracks(_ frames: [Frame], minimumLength: Int, limit: Int) -> [Track] {
        var all: [Int: Track] = [:]
        for (number, frame) in frames.enumerated() {
            for (index, observation) in frame.observations.enumerated() {
                let start = Track(id: observation.id, observations: [], depth: frame.depth(index))
                all[observation.id, default: start].observations.append((number, observation.normalized))
            }
        }
        let long = all.values.filter { $0.observations.count >= minimumLength }.sorted {
            ($1.observations.count, $0.id) < ($0.observations.count, $1.id)
        }
        return long.prefix(limit).sorted { $0.id < $1.id }
    }

    /// The features common to two frames, as unit rays in the cameras' frames.
    static func shared(_ a: Frame, _ b: Frame) -> [(Vector3d, Vector3d)] {
        var (result, i, j): ([(Vector3d, Vector3d)], Int, Int) = ([], 0, 0)
        while i < a.observations.count, j < b.observations.count {
            let (first, second) = (a.observations[i], b.observations[j])
            if first.id == second.id { result.append((first.ray, second.ray)) }
            if first.id <= second.id { i += 1 }
            if second.id <= first.id { j += 1 }
        }
        return result
    }

    /// The median image motion between two frames in normalized coordinates; nil for fewer than `minimumCount` common features.
    static func flow(_ a: Frame, _ b: Frame, minimumCount: Int) -> Double? {
        var distances: [Double] = []
        var j = 0
        for observation in a.observations {
            while j < b.observations.count, b.observations[j].id < observation.id { j += 1 }
            guard j < b.observations.count else { break }
            guard b.observations[j].id == observation.id else { continue }
            let d = b.observations[j].normalized - observation.normalized
            distances.append((d * d).sum().squareRoot())
        }
        guard distances.count >= minimumCount else { return nil }
        distances.sort()
        return distances[distances.count / 2]
    }

    /// The median image motion over several frames in normalized coordinates, corrected for noise. nil for fewer than `minimumCount` features
    /// common to all frames.
    ///
    /// Compares each feature's mean position over the later half of the frames with that over the earlier half. The contribution of noise to the
    /// squared distance is estimated from second differences and subtracted.
    static func movement(_ frames: [Frame], minimumCount: Int) -> Double? {
        guard frames.count >= 6 else { return frames.first.flatMap { flow($0, frames[frames.count - 1], minimumCount: minimumCount) } }
        let long = tracks(frames, minimumLength: frames.count, limit: .max)
        guard long.count >= minimumCount else { return nil }
        let half = frames.count / 2
        func median(_ squares: [Double]) -> Double { squares.sorted()[squares.count / 2] }
        var (moved, deviations): ([Double], [Double]) = ([], [])
        for track in long {
            let positions = track.observations.map(\.normalized)
            let early = positions.prefix(half).reduce(Vector2d.zero, +) / Double(half)
            let late = positions.suffix(half).reduce(Vector2d.zero, +) / Double(half)
            moved.append(((late - early) * (late - early)).sum())
            for k in stride(from: 1, to: positions.count - 1, by: 3) {
                let deviation = positions[k] * 2 - positions[k - 1] - positions[k + 1]
                deviations.append((deviation * deviation).sum() / 6)
            }
        }
        // Margin for the sampling error of the median.
        let noise = median(deviations) * 2 / Double(half) * (1 + 3 / Double(long.count).squareRoot())
        return 2 * max(0, median(moved) - noise).squareRoot()
    }
}
