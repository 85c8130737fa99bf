import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The JSON companion of a photo that a capture session took: `NAME.json` beside `NAME.jpg`.
///
/// It passes the sensors' measurements to a reconstruction: intrinsics, gravity, the camera's pose and with it the scale, the pass, the box. The
/// pose is a tracker's estimate, accurate to a few millimetres and a fraction of a degree: it is an initial camera, not a known one.
package struct ShotRecord: Codable, Equatable, Sendable {
    /// A box in the world of the camera's pose.
    package struct Box: Codable, Equatable, Sendable {
        package var center: [Double]
        /// The rotation from the box's axes to the world's, as a quaternion x, y, z, w.
        package var rotation: [Double]
        /// The lengths of the edges.
        package var size: [Double]
    }

    /// The name of the format, always `vitrine-shot`, by which readers recognize the file.
    package var format = ShotRecord.formatName
    package var version = 1
    /// The photo's file name with its intrinsics and pose, as in a poses file: +Y up, the camera looks along its −Z with +Y up in the image.
    package var camera: PosesFile.Camera
    /// The unit of lengths: `metre`, or `arbitrary` if the tracker does not know the scale.
    package var unit: String
    /// The unit direction of gravity in the camera's frame (x right, y up, z back); nil if it was not measured.
    package var gravity: [Double]?
    /// The time in seconds on the capture's clock.
    package var time: Double
    /// The exposure duration in seconds; nil if unknown.
    package var exposureDuration: Double?
    /// The sharpness of the photo, 0…1, as `Sharpness` measures it.
    package var sharpness: Double
    /// Identifies the capture session.
    package var session: UUID
    /// The identifier of the scan pass: the shots at one height, between two flips.
    package var pass: UUID
    /// Identifies the object's pose: the same for all passes between two flips.
    package var objectPose: UUID
    /// The box of the object; nil if an area was captured.
    package var box: Box?
    /// Whether the user requested the shot.
    package var isManual: Bool

    /// Whether the tracker knew the scale.
    package var isMetric: Bool { unit == "metre" }

    package static let formatName = "vitrine-shot"
    /// The most bytes of such a file.
    package static let maximumBytes = 1 << 20

    package init(
        camera: PosesFile.Camera, unit: String, gravity: [Double]?, time: Double, exposureDuration: Double?, sharpness: Double,
        session: UUID,
        pass: UUID, objectPose: UUID, box: Box?, isManual: Bool
    ) {
        (self.camera, self.unit, self.gravity, self.time) = (camera, unit, gravity, time)
        (self.exposureDuration, self.sharpness, self.session) = (exposureDuration, sharpness, session)
        (self.pass, self.objectPose, self.box, self.isManual) = (pass, objectPose, box, isManual)
    }

    package func json() throws(CameraFileError) -> [UInt8] { try CameraJSON.encode(self) }

    /// Reads and checks a companion.
    ///
    /// - Throws: `CameraFileError` for another kind of JSON, and for numbers that are not a camera.
    package static func read(_ url: URL) throws(CameraFileError) -> ShotRecord {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileBytes.read(url, limit: maximumBytes)
        } catch {
            throw CameraFileError(error)
        }
        let record = try CameraJSON.decode(ShotRecord.self, bytes, file: url.path)
        guard record.format == formatName, record.version == 1 else {
            throw CameraFileError(file: url.path, location: "version", reason: "is not version 1 of a shot")
        }
        _ = try record.posedCamera(file: url.path)
        let check = CameraCheck(file: url.path, location: "")
        if let gravity = record.gravity { _ = try check.vector3(gravity, "gravity") }
        if let box = record.box {
            _ = try check.vector3(box.center, "box/center")
            let size = try check.vector3(box.size, "box/size")
            let rotation = try check.vector(box.rotation, count: 4, "box/rotation")
            guard size.min() >= 0, CameraCheck.rotation(quaternion: SIMD4(rotation[0], rotation[1], rotation[2], rotation[3])) != nil else {
                throw CameraFileError(file: url.path, location: "box", reason: "is not a box")
            }
        }
        guard record.time.isFinite else { throw CameraFileError(file: url.path, location: "time", reason: "is not finite") }
        return record
    }

    /// The camera, in the tracker's world.
    package func posedCamera(file: String) throws(CameraFileError) -> PosedCamera {
        try KnownCameras.camera(camera, CameraCheck(file: file, location: "camera"))
    }

    /// The unit vector of gravity in the camera's frame (x right, y up, z back); nil if it was not measured.
    package var gravityDirection: Vector3? {
        guard let gravity, gravity.count == 3 else { return nil }
        let vector = Vector3(Float(gravity[0]), Float(gravity[1]), Float(gravity[2]))
        return length(vector) > 1e-6 ? normalize(vector) : nil
    }

    /// The box in the tracker's world; nil if an area was captured.
    package var orientedBox: OrientedBox? {
        guard let box, box.center.count == 3, box.rotation.count == 4, box.size.count == 3,
            let axes = CameraCheck.rotation(quaternion: SIMD4(box.rotation[0], box.rotation[1], box.rotation[2], box.rotation[3]))
        else { return nil }
        return OrientedBox(
            center: Vector3d(box.center[0], box.center[1], box.center[2]), axes: axes,
            halfExtents: Vector3d(box.size[0], box.size[1], box.size[2]) / 2)
    }
}

extension ShotRecord.Box {
    package init(_ box: OrientedBox) {
        let (c, q, s) = (box.center, box.axes.quaternion, box.size)
        self.init(center: [c.x, c.y, c.z], rotation: [q.x, q.y, q.z, q.w], size: [s.x, s.y, s.z])
    }
}
