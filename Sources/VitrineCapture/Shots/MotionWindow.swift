import VitrineAR
import VitrineMath
import VitrineVision

/// The last frames, whose poses determine the motion blur of the middle one.
///
/// The motion during an exposure differs from that since the previous frame: a hand trembles at several Hz. The object's image positions are
/// therefore interpolated between two frames before and two after the exposure (a polynomial of degree 4), which delays the result by two frames.
struct MotionWindow: Sendable {
    /// A frame and its measurements.
    struct Entry: Sendable {
        let frame: ARFrame
        var measurements: FrameMeasurements
        /// The distance of the surroundings in metres.
        let distance: Double
    }

    private static let reach = 2
    /// The longest gap between two frames in seconds that is interpolated.
    private static let longestGap = 0.5
    /// The size of the box that a shot must show sharply, relative to the detected one, whose sides may lie a tenth of its size inside of the object.
    private static let boxScale = 1.2
    private var entries: [Entry] = []

    /// Removes all frames.
    mutating func reset() { entries = [] }

    /// Adds a frame with a tracked camera.
    ///
    /// - Parameters:
    ///   - box: The object's box; nil for the point ahead of the camera at the distance of the surroundings.
    ///   - assumedExposure: The exposure duration in seconds of frames without one.
    /// - Returns: The second last frame before this one, with its blur; nil until frames before and after it are known.
    mutating func add(_ entry: Entry, box: OrientedBox?, assumedExposure: Double) -> Entry? {
        if let last = entries.last {
            let gap = entry.frame.timestamp - last.frame.timestamp
            if gap <= 0 || gap > Self.longestGap { reset() }
        }
        entries.append(entry)
        if entries.count > 2 * Self.reach + 1 { entries.removeFirst() }
        guard entries.count >= Self.reach + 2 else { return nil }
        var middle = entries[entries.count - 1 - Self.reach]
        let camera = middle.frame.camera.posed
        let exposure = middle.frame.camera.exposureDuration ?? assumedExposure
        let ahead = [CameraView(camera)].map { $0.eye + $0.forward * middle.distance }
        middle.measurements.blur = blur(of: middle.frame, box?.corners ?? ahead, exposure)
        middle.measurements.shotBlur = blur(of: middle.frame, box?.scaled(by: Self.boxScale).corners ?? ahead, exposure)
        return middle
    }

    /// The longest motion of points during the exposure of a frame, pixels of an image 1,280 pixels wide or less.
    private func blur(of frame: ARFrame, _ points: [Vector3d], _ exposure: Double) -> Double {
        let cameras = entries.map(\.frame.camera.posed)
        let times = entries.map { $0.frame.timestamp - frame.timestamp }
        let weights = zip(Self.weights(times, at: exposure / 2), Self.weights(times, at: -exposure / 2)).map { $0 - $1 }
        let lens = frame.camera.posed.intrinsics
        var longest = 0.0
        for point in points {
            let positions = cameras.map { $0.cameraFromWorld * point }
            guard positions.allSatisfy({ $0.z > 0.01 }) else { continue }
            let motion = zip(positions, weights).reduce(Vector2d.zero) { $0 + Vector2d($1.0.x, $1.0.y) / $1.0.z * $1.1 }
            longest = max(longest, length(motion * lens.focal))
        }
        return longest / max(1, Double(lens.width) / 1280)
    }

    /// The weights of values at some times in their interpolating polynomial (Lagrange) at another time.
    private static func weights(_ times: [Double], at time: Double) -> [Double] {
        times.indices.map { index in
            times.indices.reduce(1.0) { product, other in
                other == index ? product : product * (time - times[other]) / (times[index] - times[other])
            }
        }
    }
}
