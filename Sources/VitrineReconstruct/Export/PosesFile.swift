import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// This package's poses file (JSON): cameras with their errors, and the photos that were not used.
///
/// Frame: right-handed, +Y up; a camera looks along its own −Z with +Y up in the image. `position` and `rotation` (x, y, z, w) place the
/// camera in the world. Pixels: x right, y down, the first pixel's centre at (0.5, 0.5); `radial` is k1, k2, k3 and `tangential` p1, p2 of
/// Brown and Conrady's model, `fisheye` k1 to k4 of Kannala and Brandt's, as in `LensDistortion`, with y down.
package struct PosesFile: Codable, Equatable, Sendable {
    /// Brown and Conrady's coefficients (0 for other lenses), and those of other projections under their keys.
    package struct Distortion: Codable, Equatable, Sendable {
        private var numbers: [String: [Double]]

        private static let others = LensDistortion.Projection.allCases.filter { $0.posesKey != nil }

        init(_ distortion: LensDistortion) {
            func list(_ vector: some SIMD<Double>) -> [Double] { vector.indices.map { vector[$0] } }
            numbers = ["radial": list(distortion.radial), "tangential": list(distortion.tangential)]
            if let key = distortion.projection.posesKey { numbers[key] = distortion.coefficients }
        }

        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: NamedKey.self)
            numbers = [:]
            for key in ["radial", "tangential"] { numbers[key] = try values.decode([Double].self, forKey: NamedKey(key)) }
            for key in Self.others.compactMap(\.posesKey) {
                numbers[key] = try values.decodeIfPresent([Double].self, forKey: NamedKey(key))
            }
        }

        package func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: NamedKey.self)
            for (key, list) in numbers { try values.encode(list, forKey: NamedKey(key)) }
        }

        func lens(_ check: CameraCheck) throws(CameraFileError) -> LensDistortion {
            let tangential = try check.vector(numbers["tangential"] ?? [], count: 2, "tangential")
            let radial = try check.vector3(numbers["radial"] ?? [], "radial")
            for projection in Self.others {
                guard let key = projection.posesKey, let list = numbers[key] else { continue }
                return LensDistortion(
                    projection, coefficients: try check.vector(list, count: projection.coefficientNames.count, key))
            }
            return .brownConrady(radial: radial, tangential: Vector2d(tangential[0], tangential[1]))
        }
    }

    package struct Camera: Equatable, Sendable {
        package var name: String
        /// The position in the world's unit.
        package var position: [Double]
        /// The rotation as a quaternion x, y, z, w.
        package var rotation: [Double]
        /// The size of the photo in pixels.
        package var width, height: Int
        package var focal, center: [Double]
        package var distortion: Distortion
        /// The number of the photo's group; photos of one group share a lens.
        package var group: Int?
        /// The number of points that it observes, and their reprojection errors, in pixels.
        package var points: Int?
        package var meanError, medianError: Double?

        fileprivate enum CodingKeys: String, CodingKey {
            case name, position, rotation, width, height, focal, center, group, points
            case meanError = "mean_error"
            case medianError = "median_error"
        }
    }

    package struct LeftOut: Codable, Equatable, Sendable {
        package var name: String
        package var reason: String
    }

    /// The name of the format, always `vitrine-poses`, by which readers recognize the file.
    package var format = PosesFile.formatName
    package var version = 1
    /// The unit of lengths: `metre`, or `arbitrary` if the scale is not known.
    package var unit: String
    package var cameras: [Camera]
    package var leftOut: [LeftOut]

    private enum CodingKeys: String, CodingKey {
        case format, version, unit, cameras
        case leftOut = "left_out"
    }

    static let formatName = "vitrine-poses"

    /// Creates a file from a sparse model.
    ///
    /// - Parameters:
    ///   - names: One per photo.
    ///   - isMetric: Whether the world's unit is a metre.
    package init(_ model: SparseModel, names: [String], isMetric: Bool) {
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

    /// Returns the file as indented JSON with sorted keys.
    package func json() throws(CameraFileError) -> [UInt8] { try CameraJSON.encode(self) }

    /// Writes it, atomically.
    package func write(to url: URL) throws(CameraFileError) { try CameraJSON.write(try json(), to: url) }
}

extension PosesFile.Camera: Codable {
    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func list(_ key: CodingKeys) throws -> [Double] { try values.decode([Double].self, forKey: key) }
        self.init(
            name: try values.decode(String.self, forKey: .name), position: try list(.position), rotation: try list(.rotation),
            width: try values.decode(Int.self, forKey: .width), height: try values.decode(Int.self, forKey: .height),
            focal: try list(.focal), center: try list(.center), distortion: try PosesFile.Distortion(from: decoder),
            group: try values.decodeIfPresent(Int.self, forKey: .group), points: try values.decodeIfPresent(Int.self, forKey: .points),
            meanError: try values.decodeIfPresent(Double.self, forKey: .meanError),
            medianError: try values.decodeIfPresent(Double.self, forKey: .medianError))
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(name, forKey: .name)
        try values.encode(position, forKey: .position)
        try values.encode(rotation, forKey: .rotation)
        try values.encode(width, forKey: .width)
        try values.encode(height, forKey: .height)
        try values.encode(focal, forKey: .focal)
        try values.encode(center, forKey: .center)
        try values.encodeIfPresent(group, forKey: .group)
        try values.encodeIfPresent(points, forKey: .points)
        try values.encodeIfPresent(meanError, forKey: .meanError)
        try values.encodeIfPresent(medianError, forKey: .medianError)
        try distortion.encode(to: encoder)
    }

    package init(name: String, camera: PosedCamera) {
        let (intrinsics, center) = (camera.intrinsics, camera.centerInWorld)
        let q = CameraAxes.worldFromPublicCamera(camera.cameraFromWorld).rotation.quaternion
        self.init(
            name: name, position: [center.x, center.y, center.z], rotation: [q.x, q.y, q.z, q.w], width: intrinsics.width,
            height: intrinsics.height, focal: [intrinsics.focal.x, intrinsics.focal.y], center: [intrinsics.center.x, intrinsics.center.y],
            distortion: PosesFile.Distortion(intrinsics.distortion))
    }
}

/// The rotation from the camera frame of computer vision (y down, z forward) to that of graphics (y up, z backward), which is also its
/// inverse.
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
