import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A recording in a foreign layout as parsed by its importer: everything but the pixels.
struct ImportedRecording {
    /// An image to read on demand.
    struct Frame {
        enum Pixels: Equatable {
            /// A file below the directory.
            case file(String)
            /// The index of a frame of the video in presentation order, starting at 0.
            case videoFrame(Int)
        }

        var time: Double
        var pixels: Pixels
        /// The position of its line, for messages.
        var location: String
        var depth: String?
        var confidence: String?
        /// The image file of the second camera.
        var second: String?
        var exposureDuration: Double?
        var camera: CameraIntrinsics?
        var worldFromCamera: RigidTransform?
    }

    /// The name of the layout: "EuRoC".
    var kind: String
    var directory: URL
    var rig: SensorRig
    var clockOrigin: Int64 = 0
    /// The inertial samples, with increasing times.
    var inertial: [InertialSample] = []
    /// The frames, with increasing times.
    var frames: [Frame] = []
    /// The depth in metres of level 1 of the depth images.
    var depthUnitsPerMetre: Float = 1000
    var video: URL?
    /// Whether to include frames that the video's edit list hides.
    var takesHiddenFrames = false
    /// Whether frames are rotated as players show them; otherwise they are as stored.
    var isVideoUpright = false
    var problems = SourceProblems()
}

/// Rows with time stamps, before the start time is known.
struct StampedRows<Value> {
    var rows: [(nanoseconds: Int64, value: Value, location: String)] = []

    mutating func add(_ nanoseconds: Int64, _ value: Value, _ location: String) { rows.append((nanoseconds, value, location)) }

    var first: Int64? { rows.map(\.nanoseconds).first }
}

extension ImportedRecording {
    /// Adds parsed rows: the earlier of the two first time stamps becomes 0. Counts unusable rows.
    mutating func take(
        inertial: StampedRows<(Vector3d, Vector3d)>, frames: StampedRows<Frame>
    ) {
        clockOrigin = [inertial.first, frames.first].compactMap { $0 }.min() ?? 0
        var gate = SensorGate(rig: rig, problems: problems)
        for row in inertial.rows {
            let sample = InertialSample(time: seconds(row.nanoseconds), angularVelocity: row.value.0, acceleration: row.value.1)
            if gate.passes(sample, location: row.location) { self.inertial.append(sample) }
        }
        var last = -Double.infinity
        for row in frames.rows {
            var frame = row.value
            frame.time = seconds(row.nanoseconds)
            frame.location = row.location
            guard frame.time > last else {
                gate.report(row.location, "an image at \(frame.time) s, not after the one before, at \(last) s")
                continue
            }
            last = frame.time
            self.frames.append(frame)
        }
        problems = gate.problems
        rig.hasInertialUnit = !self.inertial.isEmpty
    }

    private func seconds(_ nanoseconds: Int64) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(clockOrigin)
        return overflow ? .nan : Double(difference) / 1e9
    }
}
