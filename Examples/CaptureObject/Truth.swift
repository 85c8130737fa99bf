// The truth of a simulated capture, for scripts/quality/capture.sh: cameras, surface, and the blur of each shot.
import Foundation
import Vitrine
import VitrineCapture
import VitrineSamples
import VitrineSimulation
import VitrineVision

/// The true pose, box and motion of each shot.
struct Truth {
    let source: SimulatedSource
    /// The object in the room: a box around the owl.
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

    /// Pixels that the fastest corner of the object moves during an exposure.
    func blur(at time: Double) -> Double {
        let half = source.settings.exposure / 2
        let (low, high) = (object.minimum, object.maximum)
        let corners = (0..<8).map {
            Vector3d(Vector3($0 & 1 == 0 ? low.x : high.x, $0 & 2 == 0 ? low.y : high.y, $0 & 4 == 0 ? low.z : high.z))
        }
        func pixels(_ time: Double) -> [Vector2d] {
            let cameraFromWorld = source.worldFromCamera(at: time).inverse
            return corners.map { source.rig.camera.project(cameraFromWorld * $0) }
        }
        return zip(pixels(time - half), pixels(time + half)).map { length($0 - $1) }.max() ?? 0
    }

    /// Writes `cameras.json` (K, R, t) and `truth.obj`.
    ///
    /// - Parameter photos: File names and the times at which they were taken.
    @MainActor func write(to folder: URL, photos: [(name: String, time: Double)]) throws {
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
        let scene = try SampleOwl.scene()
        scene.rootNode.childNodes[0].position = Vector3(object.center.x, object.minimum.y, object.center.z)
        _ = try ModelFile.write(scene, to: folder.appendingPathComponent("truth.obj"))
    }

    /// One JSON line with figures of the capture.
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
