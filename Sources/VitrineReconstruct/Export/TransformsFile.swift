import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

// The file's own names.
// swift-format-ignore: AlwaysUseLowerCamelCase
/// `transforms.json`, as programs for radiance fields and splats (instant-ngp, Nerfstudio) read it: camera to world, the camera looking along
/// −Z with +Y up. The world's frame and unit are the model's (+Y up).
///
/// Each frame has intrinsics; if all photos share one lens, they are at the top level as well, for older programs. `camera_model` is at the top
/// level, or in each frame if their lenses have several projections.
package struct TransformsFile: Codable, Equatable, Sendable {
    /// The intrinsics of a frame or, at the top level, of all frames.
    package struct Intrinsics: Equatable, Sendable {
        package var w, h: Double?
        package var fl_x, fl_y, cx, cy: Double?
        package var camera_angle_x, camera_angle_y: Double?
        /// The distortion coefficients, keyed by their names in `LensDistortion.Projection.coefficientNames`.
        package var distortion: [String: Double] = [:]
    }

    package struct Frame: Codable, Equatable, Sendable {
        package var file_path: String
        /// The camera-to-world matrix, as four rows.
        package var transform_matrix: [[Double]]
        /// The camera model of the frame; nil for that of the file.
        package var camera_model: String?
        package var intrinsics = Intrinsics()

        private enum CodingKeys: String, CodingKey { case file_path, transform_matrix, camera_model }

        package init(from decoder: any Decoder) throws {
            let values = try decoder.container(keyedBy: CodingKeys.self)
            file_path = try values.decode(String.self, forKey: .file_path)
            transform_matrix = try values.decode([[Double]].self, forKey: .transform_matrix)
            camera_model = try values.decodeIfPresent(String.self, forKey: .camera_model)
            intrinsics = try Intrinsics(from: decoder)
        }

        package func encode(to encoder: any Encoder) throws {
            var values = encoder.container(keyedBy: CodingKeys.self)
            try values.encode(file_path, forKey: .file_path)
            try values.encode(transform_matrix, forKey: .transform_matrix)
            try values.encodeIfPresent(camera_model, forKey: .camera_model)
            try intrinsics.encode(to: encoder)
        }
    }

    package var camera_model: String?
    package var intrinsics = Intrinsics()
    package var frames: [Frame]

    private enum CodingKeys: String, CodingKey { case camera_model, frames }

    /// Creates a file from a sparse model.
    ///
    /// - Parameter names: One per photo.
    package init(_ model: SparseModel, names: [String]) {
        let projections = Set(model.cameras.compactMap { $0?.intrinsics.distortion.projection })
        let isMixed = projections.count > 1
        if !isMixed { camera_model = NamedCameraModel.transforms(projections.first ?? .brownConrady).name }
        frames = model.registered.map { photo in
            let camera = model.cameras[photo]!
            var frame = Frame(name: names[photo], camera: camera)
            if isMixed { frame.camera_model = NamedCameraModel.transforms(camera.intrinsics.distortion.projection).name }
            return frame
        }
        guard let first = frames.first, frames.allSatisfy({ $0.intrinsics == first.intrinsics }) else { return }
        intrinsics = first.intrinsics
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        camera_model = try values.decodeIfPresent(String.self, forKey: .camera_model)
        frames = try values.decode([Frame].self, forKey: .frames)
        intrinsics = try Intrinsics(from: decoder)
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encodeIfPresent(camera_model, forKey: .camera_model)
        try values.encode(frames, forKey: .frames)
        try intrinsics.encode(to: encoder)
    }

    /// Returns the file as indented JSON with sorted keys.
    package func json() throws(CameraFileError) -> [UInt8] { try CameraJSON.encode(self) }

    /// Writes it, atomically.
    package func write(to url: URL) throws(CameraFileError) { try CameraJSON.write(try json(), to: url) }
}

extension TransformsFile.Intrinsics: Codable {
    // The keys of the file.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private enum CodingKeys: String, CodingKey { case w, h, fl_x, fl_y, cx, cy, camera_angle_x, camera_angle_y }

    private static let distortionNames = Set(LensDistortion.Projection.allCases.flatMap(\.coefficientNames)).sorted()

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func number(_ key: CodingKeys) throws -> Double? { try values.decodeIfPresent(Double.self, forKey: key) }
        (w, h, fl_x, fl_y) = (try number(.w), try number(.h), try number(.fl_x), try number(.fl_y))
        (cx, cy) = (try number(.cx), try number(.cy))
        (camera_angle_x, camera_angle_y) = (try number(.camera_angle_x), try number(.camera_angle_y))
        let named = try decoder.container(keyedBy: NamedKey.self)
        for name in Self.distortionNames { distortion[name] = try named.decodeIfPresent(Double.self, forKey: NamedKey(name)) }
    }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        let numbers: [(CodingKeys, Double?)] = [
            (.w, w), (.h, h), (.fl_x, fl_x), (.fl_y, fl_y), (.cx, cx), (.cy, cy), (.camera_angle_x, camera_angle_x),
            (.camera_angle_y, camera_angle_y),
        ]
        for (key, number) in numbers { try values.encodeIfPresent(number, forKey: key) }
        var named = encoder.container(keyedBy: NamedKey.self)
        for (name, value) in distortion { try named.encode(value, forKey: NamedKey(name)) }
    }

    init(_ camera: CameraIntrinsics) {
        (w, h) = (Double(camera.width), Double(camera.height))
        (fl_x, fl_y, cx, cy) = (camera.focal.x, camera.focal.y, camera.center.x, camera.center.y)
        camera_angle_x = 2 * atan2(Double(camera.width) / 2, camera.focal.x)
        camera_angle_y = 2 * atan2(Double(camera.height) / 2, camera.focal.y)
        let lens = camera.distortion
        distortion = Dictionary(uniqueKeysWithValues: zip(lens.projection.coefficientNames, lens.coefficients))
    }

    /// The distortion with `common`'s numbers for missing ones.
    func distortion(_ projection: LensDistortion.Projection, common: Self) -> LensDistortion {
        LensDistortion(projection, coefficients: projection.coefficientNames.map { distortion[$0] ?? common.distortion[$0] ?? 0 })
    }
}

extension TransformsFile.Frame {
    init(name: String, camera: PosedCamera) {
        let pose = CameraAxes.worldFromPublicCamera(camera.cameraFromWorld)
        let (r, t) = (pose.rotation, pose.translation)
        file_path = name
        transform_matrix = (0..<3).map { [r.x[$0], r.y[$0], r.z[$0], t[$0]] } + [[0, 0, 0, 1]]
        intrinsics = .init(camera.intrinsics)
    }
}
