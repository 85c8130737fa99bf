import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Somebody else's recording, as its importer found it: everything but the pixels.
struct ImportedRecording {
    /// A picture that is read when its turn comes.
    struct Picture {
        enum Pixels: Equatable {
            /// A file below the directory.
            case file(String)
            /// A frame of the video, counted from 0 in the order in which they are shown.
            case videoFrame(Int)
        }

        var time: Double
        var pixels: Pixels
        /// Where its line stands, for messages.
        var place: String
        var depth: String?
        var confidence: String?
        var exposureDuration: Double?
        var camera: CameraIntrinsics?
        var worldFromCamera: RigidTransform?
    }

    /// Of the layout, for people: "EuRoC".
    var kind: String
    var directory: URL
    var rig: SensorRig
    var clockOrigin: Int64 = 0
    /// Rising times.
    var inertial: [InertialSample] = []
    /// Rising times.
    var pictures: [Picture] = []
    /// Of the depth pictures' numbers.
    var depthUnitsPerMetre: Float = 1000
    var video: URL?
    /// Whether frames count that the video's own list of cuts hides.
    var takesHiddenFrames = false
    var problems = SourceProblems()
}

/// Rows with time stamps, before it is known when the recording begins.
struct StampedRows<Value> {
    var rows: [(nanoseconds: Int64, value: Value, place: String)] = []

    mutating func add(_ nanoseconds: Int64, _ value: Value, _ place: String) { rows.append((nanoseconds, value, place)) }

    var first: Int64? { rows.map(\.nanoseconds).first }
}

extension ImportedRecording {
    /// Takes over what was read: the earlier of the two first time stamps becomes 0. What can't be used is counted.
    mutating func take(
        inertial: StampedRows<(Vector3d, Vector3d)>, pictures: StampedRows<Picture>
    ) {
        clockOrigin = [inertial.first, pictures.first].compactMap { $0 }.min() ?? 0
        var gate = SensorGate(rig: rig, problems: problems)
        for row in inertial.rows {
            let sample = InertialSample(time: seconds(row.nanoseconds), angularVelocity: row.value.0, acceleration: row.value.1)
            if gate.passes(sample, place: row.place) { self.inertial.append(sample) }
        }
        var last = -Double.infinity
        for row in pictures.rows {
            var picture = row.value
            picture.time = seconds(row.nanoseconds)
            picture.place = row.place
            guard picture.time > last else {
                gate.report(row.place, "a picture at \(picture.time) s, not after the one before, at \(last) s")
                continue
            }
            last = picture.time
            self.pictures.append(picture)
        }
        problems = gate.problems
        rig.hasInertialUnit = !self.inertial.isEmpty
    }

    private func seconds(_ nanoseconds: Int64) -> Double {
        let (difference, overflow) = nanoseconds.subtractingReportingOverflow(clockOrigin)
        return overflow ? .nan : Double(difference) / 1e9
    }
}
