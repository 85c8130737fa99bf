import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Our own file of poses (JSON): cameras with their errors, and the photos that were left out.
///
/// Frame: right-handed, +Y up; a camera looks along its own −Z with +Y up in the picture. `position` and `rotation` (x, y, z, w) place the
/// camera in the world. Pixels: x right, y down, the first pixel's centre at (0.5, 0.5); `radial` is k1, k2, k3 and `tangential` p1, p2 of
/// Brown and Conrady's model, `fisheye` k1 to k4 of Kannala and Brandt's, as in `LensDistortion`, with y down.
public struct PosesFile: Codable, Equatable, Sendable {
    public struct Camera: Codable, Equatable, Sendable {
        public var name: String
        /// In the world's unit.
        public var position: [Double]
        /// x, y, z, w.
        public var rotation: [Double]
        /// Pixels.
        public var width, height: Int
        public var focal, center: [Double]
        public var radial, tangential: [Double]
        /// k1 to k4 of a fisheye lens (Kannala and Brandt); nil for other lenses.
        public var fisheye: [Double]?
        /// Photos of one group share a lens.
        public var group: Int?
        /// How many points of the model it sees, and how far they fall from where they were seen, in pixels.
        public var points: Int?
        public var meanError, medianError: Double?

        private enum CodingKeys: String, CodingKey {
            case name, position, rotation, width, height, focal, center, radial, tangential, fisheye, group, points
            case meanError = "mean_error"
            case medianError = "median_error"
        }
    }

    public struct LeftOut: Codable, Equatable, Sendable {
        public var name: String
        public var reason: String
    }

    /// Always `vitrine-poses`: readers tell the file by it.
    public var format = PosesFile.formatName
    public var version = 1
    /// `metre`, or `arbitrary` where the size of things is not known.
    public var unit: String
    public var cameras: [Camera]
    public var leftOut: [LeftOut]

    private enum CodingKeys: String, CodingKey {
        case format, version, unit, cameras
        case leftOut = "left_out"
    }

    static let formatName = "vitrine-poses"

    /// - Parameters:
    ///   - names: One a photo.
    ///   - isMetric: Whether the world's unit is a metre.
    public init(_ model: SparseModel, names: [String], isMetric: Bool) {
        var groups = [Int](repeating: 0, count: model.cameras.count)
        for (index, group) in model.groups.enumerated() { for photo in group.photos { groups[photo] = index } }
        unit = isMetric ? "metre" : "arbitrary"
        cameras = model.registered.map { photo in
            var camera = Camera(name: names[photo], camera: model.cameras[photo]!)
            camera.group = groups[photo]
            if photo < model.fits.count {
                let fit = model.fits[photo]
                (camera.points, camera.meanError, camera.medianError) = (fit.observationCount, fit.meanError, fit.medianError)
            }
            return camera
        }
        leftOut = model.leftOut.map { LeftOut(name: names[$0.photo], reason: $0.reason.rawValue) }
    }

    /// Indented, keys sorted.
    public func json() throws(CameraFileError) -> [UInt8] { try CameraJSON.encode(self) }

    /// Writes it, atomically.
    public func write(to url: URL) throws(CameraFileError) { try CameraJSON.write(try json(), to: url) }
}

extension PosesFile.Camera {
    init(name: String, camera: PosedCamera) {
        let (intrinsics, center) = (camera.intrinsics, camera.centerInWorld)
        func numbers(_ vector: some SIMD<Double>) -> [Double] { vector.indices.map { vector[$0] } }
        let q = UnitQuaternion(CameraAxes.worldFromPublicCamera(camera.cameraFromWorld).rotation)
        self.init(
            name: name, position: [center.x, center.y, center.z], rotation: [q.x, q.y, q.z, q.w], width: intrinsics.width,
            height: intrinsics.height, focal: [intrinsics.focal.x, intrinsics.focal.y], center: [intrinsics.center.x, intrinsics.center.y],
            radial: numbers(intrinsics.distortion.radial), tangential: numbers(intrinsics.distortion.tangential),
            fisheye: intrinsics.distortion.fisheye.map(numbers))
    }
}

/// From the camera frame of computer vision (y down, z forward) to the one of graphics (y up, z backward) and back: the same turn.
enum CameraAxes {
    static let turn = Matrix3d(rows: Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))

    static func worldFromPublicCamera(_ cameraFromWorld: RigidTransform) -> RigidTransform {
        let inverse = cameraFromWorld.inverse
        return RigidTransform(rotation: inverse.rotation * turn, translation: inverse.translation)
    }

    static func cameraFromWorld(worldFromPublicCamera pose: RigidTransform) -> RigidTransform {
        RigidTransform(rotation: pose.rotation * turn, translation: pose.translation).inverse
    }
}
