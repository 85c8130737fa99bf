// The truth of a simulated capture, for scripts/quality/capture.sh: cameras, surface, the blur of each shot, and the session at each frame.
import Foundation
import Vitrine
import VitrineCapture
import VitrineSimulation
import VitrineVision

/// The true pose, box and motion of each shot.
struct Truth {
    let source: SimulatedSource
    /// The object in the room.
    let object: BoundingBox

    private struct File: Encodable {
        // The names of the data sets' cameras.json.
        // swift-format-ignore: AlwaysUseLowerCamelCase
        struct Camera: Encodable {
            var image: String
            var width, height: Int
            var K, R: [[Double]]
            var t, distortion: [Double]
        }
        var cameras: [Camera]
    }

    private var corners: [Vector3d] {
        let (low, high) = (object.minimum, object.maximum)
        return (0..<8).map { Vector3d(Vector3($0 & 1 == 0 ? low.x : high.x, $0 & 2 == 0 ? low.y : high.y, $0 & 4 == 0 ? low.z : high.z)) }
    }

    private func pixels(at time: Double) -> [Vector2d] {
        let cameraFromWorld = source.worldFromCamera(at: time).inverse
        return corners.map { source.rig.camera.project(cameraFromWorld * $0) }
    }

    /// Returns the number of pixels by which the fastest corner of the object moves during an exposure.
    func blur(at time: Double) -> Double {
        let half = source.settings.exposure / 2
        return zip(pixels(at: time - half), pixels(at: time + half)).map { length($0 - $1) }.max() ?? 0
    }

    /// Returns the object's size and position in the image, as in the session's thresholds: the longer side of its rectangle relative to the
    /// image's shorter side, and the distance of its centre from the image's centre in halves of the image.
    func framing(at time: Double) -> (size: Double, offset: Double) {
        let all = pixels(at: time)
        let (low, high) = (all.reduce(all[0]) { pointwiseMin($0, $1) }, all.reduce(all[0]) { pointwiseMax($0, $1) })
        let lens = source.rig.camera
        let image = Vector2d(Double(lens.width), Double(lens.height))
        let center = lens.project(source.worldFromCamera(at: time).inverse * Vector3d(object.center))
        let offset = (center - image / 2) / (image / 2)
        return ((high - low).max() / image.min(), max(abs(offset.x), abs(offset.y)))
    }

    /// Writes `cameras.json` (K, R, t) and `truth.obj`.
    ///
    /// - Parameters:
    ///   - model: The model, with its origin in the middle of its base.
    ///   - photos: The file names of the photos and the times at which they were taken.
    @MainActor func write(_ model: Node, to folder: URL, photos: [(name: String, time: Double)]) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        func rows(_ m: Matrix3d) -> [[Double]] { (0..<3).map { [m.x[$0], m.y[$0], m.z[$0]] } }
        let lens = source.rig.camera
        let (radial, tangential) = (lens.distortion.radial, lens.distortion.tangential)
        let cameras = photos.map { photo in
            let pose = source.worldFromCamera(at: photo.time).inverse
            return File.Camera(
                image: photo.name, width: lens.width, height: lens.height,
                K: [[lens.focal.x, 0, lens.center.x], [0, lens.focal.y, lens.center.y], [0, 0, 1]], R: rows(pose.rotation),
                t: [pose.translation.x, pose.translation.y, pose.translation.z],
                distortion: [radial.x, radial.y, tangential.x, tangential.y, radial.z])
        }
        try JSONEncoder().encode(File(cameras: cameras)).write(to: folder.appendingPathComponent("cameras.json"))
        let scene = Scene(name: "truth")
        let stand = Node(name: "stand")
        stand.position = Vector3(object.center.x, object.minimum.y, object.center.z)
        stand.addChildNode(model)
        scene.rootNode.addChildNode(stand)
        _ = try ModelFile.write(scene, to: folder.appendingPathComponent("truth.obj"))
    }

    /// Returns one JSON line with figures of the capture.
    @MainActor func report(_ session: ObjectCaptureSession, state: String) -> String {
        let blurs = session.shots.map { blur(at: $0.timestamp) }
        let errors = session.shots.map {
            length(Vector3d($0.camera.transform.translation) - source.worldFromCamera(at: $0.timestamp).translation)
        }
        var figures: [String: Any] = [
            "state": state, "shots": session.numberOfShotsTaken, "blur": blurs, "pose_errors": errors, "directions": session.dial.fraction,
            "heights": CaptureDial.Height.allCases.map { session.dial.fraction(at: $0) },
        ]
        if let box = session.boundingBox { figures["box"] = [box.bounds.size.x, box.bounds.size.y, box.bounds.size.z].map(Double.init) }
        figures["object"] = [object.size.x, object.size.y, object.size.z].map(Double.init)
        let data = try? JSONSerialization.data(withJSONObject: figures, options: [.sortedKeys])
        return data.map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

/// Writes a line of JSON for each frame: the session's results and the ground truth.
@MainActor final class SessionLog {
    private let truth: Truth
    private let file: FileHandle
    private var last = -Double.infinity

    init(truth: Truth, folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appendingPathComponent("session.jsonl")
        guard FileManager.default.createFile(atPath: url.path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
        (self.truth, file) = (truth, try FileHandle(forWritingTo: url))
    }

    func add(_ session: ObjectCaptureSession) {
        guard let frame = session.currentFrame, frame.timestamp > last else { return }
        last = frame.timestamp
        let framing = truth.framing(at: last)
        var line: [String: Any] = [
            "time": last, "state": "\(session.state)", "tracking": "\(session.cameraTracking)", "shots": session.numberOfShotsTaken,
            "feedback": session.feedback.map(\.rawValue).sorted(), "covered": session.dial.fraction, "pass": session.userCompletedScanPass,
            "size": framing.size, "offset": framing.offset, "blur": truth.blur(at: last),
        ]
        if let isFlippable = session.isObjectFlippable { line["flippable"] = isFlippable }
        if let direction = session.outOfFieldOfViewDirection { line["direction"] = [direction.x, direction.y].map(Double.init) }
        if let box = session.boundingBox, session.cameraTracking == .normal {
            // In the room, by the present pose.
            let room = truth.source.worldFromCamera(at: last) * frame.camera.posed.cameraFromWorld
            let center = room * Vector3d(box.orientation.rotate(box.bounds.center))
            let axes = [Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, 1)].map { room.rotation * Vector3d(box.orientation.rotate($0)) }
            let size = box.bounds.size
            line["box"] = [
                "center": [center.x, center.y, center.z], "axes": axes.map { [$0.x, $0.y, $0.z] },
                "size": [size.x, size.y, size.z].map(Double.init),
            ]
        }
        guard let data = try? JSONSerialization.data(withJSONObject: line, options: [.sortedKeys]) else { return }
        try? file.write(contentsOf: data + Data("\n".utf8))
    }
}
