import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reads files with cameras that are known before a reconstruction.
///
/// Supported are: JSON with `cameras`, each with `image`, `width`, `height`, `K`, `R`, `t` and perhaps `distortion` (k1, k2, p1, p2, k3), where x ~
/// K(RX + t) with x right, y down, z forward; this package's poses (`PosesFile`); `transforms.json` (`TransformsFile`); a folder with COLMAP's
/// `cameras.txt` and `images.txt`, or one of the two. The content determines the format. Every number is checked: rotations must be orthonormal
/// within a thousandth, focal lengths and sizes positive.
package enum KnownCameras {
    /// The most bytes that such a file may have.
    static let maximumBytes = 1 << 28

    package static func read(_ url: URL) throws(CameraFileError) -> [NamedCamera] {
        if FileManager.default.fileExists(atPath: url.appendingPathComponent("images.txt").path) {
            return try COLMAPModel.readCameras(folder: url)
        }
        if ["cameras.txt", "images.txt"].contains(url.lastPathComponent) {
            return try COLMAPModel.readCameras(folder: url.deletingLastPathComponent())
        }
        return try read(try bytes(url), file: url.path)
    }

    static func bytes(_ url: URL) throws(CameraFileError) -> [UInt8] {
        do throws(FileError) {
            return try FileBytes.read(url, limit: maximumBytes)
        } catch {
            throw CameraFileError(error)
        }
    }

    /// Reads one of the JSON forms.
    ///
    /// - Parameter file: The name of the file in errors.
    package static func read(_ bytes: [UInt8], file: String) throws(CameraFileError) -> [NamedCamera] {
        let kind = try CameraJSON.decode(Kind.self, bytes, file: file)
        let cameras: [NamedCamera]
        if kind.format == PosesFile.formatName {
            cameras = try poses(try CameraJSON.decode(PosesFile.self, bytes, file: file), file: file)
        } else if kind.frames != nil {
            cameras = try transforms(try CameraJSON.decode(TransformsFile.self, bytes, file: file), file: file)
        } else if kind.cameras != nil {
            cameras = try matrices(try CameraJSON.decode(MatricesFile.self, bytes, file: file), file: file)
        } else {
            throw CameraFileError(file: file, reason: "has neither \"cameras\" nor \"frames\"")
        }
        try checkNames(cameras, file: file)
        return cameras
    }

    static func checkNames(_ cameras: [NamedCamera], file: String) throws(CameraFileError) {
        var seen: Set<String> = []
        for camera in cameras where !seen.insert(camera.name).inserted {
            throw CameraFileError(file: file, reason: "\"\(camera.name)\" is defined twice")
        }
    }

    /// Identifies the format.
    private struct Kind: Decodable {
        struct Anything: Decodable { init(from decoder: any Decoder) {} }
        var format: String?
        var frames: [Anything]?
        var cameras: [Anything]?
    }

    // MARK: Forms

    // The file's own names.
    // swift-format-ignore: AlwaysUseLowerCamelCase
    private struct MatricesFile: Decodable {
        struct Camera: Decodable {
            var image: String
            var width, height: Double
            var K, R: [[Double]]
            var t: [Double]
            var distortion: [Double]?
        }
        var cameras: [Camera]
    }

    private static func matrices(_ content: MatricesFile, file: String) throws(CameraFileError) -> [NamedCamera] {
        var result: [NamedCamera] = []
        for (index, entry) in content.cameras.enumerated() {
            let check = CameraCheck(file: file, location: "cameras/\(index)")
            let k = try check.matrix(entry.K, rows: 3, "K")
            guard abs(k[0][1]) <= 1e-3 * abs(k[0][0]), k[1][0] == 0, k[2] == [0, 0, 1] else {
                throw check.failure("K", "must be upper triangular without skew, its last row 0 0 1")
            }
            let distortion = entry.distortion ?? []
            guard distortion.count <= 5 || distortion[5...].allSatisfy({ $0 == 0 }) else {
                throw check.failure("distortion", "has more than k1, k2, p1, p2, k3")
            }
            let d = distortion + Array(repeating: 0, count: max(0, 5 - distortion.count))
            let intrinsics = try check.intrinsics(
                width: entry.width, height: entry.height, focal: Vector2d(k[0][0], k[1][1]), center: Vector2d(k[0][2], k[1][2]),
                distortion: .brownConrady(radial: Vector3d(d[0], d[1], d[4]), tangential: Vector2d(d[2], d[3])))
            let rotation = try check.rotation(try check.matrix(entry.R, rows: 3, "R"), "R")
            let pose = RigidTransform(rotation: rotation, translation: try check.vector3(entry.t, "t"))
            result.append(NamedCamera(name: entry.image, camera: PosedCamera(intrinsics: intrinsics, cameraFromWorld: pose)))
        }
        return result
    }

    private static func poses(_ content: PosesFile, file: String) throws(CameraFileError) -> [NamedCamera] {
        guard content.version == 1 else {
            throw CameraFileError(file: file, location: "version", reason: "\(content.version) is not known, only 1 is")
        }
        var result: [NamedCamera] = []
        for (index, entry) in content.cameras.enumerated() {
            result.append(NamedCamera(name: entry.name, camera: try camera(entry, CameraCheck(file: file, location: "cameras/\(index)"))))
        }
        return result
    }

    /// A camera of a poses file.
    static func camera(_ entry: PosesFile.Camera, _ check: CameraCheck) throws(CameraFileError) -> PosedCamera {
        let q = try check.vector(entry.rotation, count: 4, "rotation")
        guard let rotation = CameraCheck.rotation(quaternion: SIMD4(q[0], q[1], q[2], q[3])) else {
            throw check.failure("rotation", "is not a quaternion of length 1")
        }
        let (f, c) = (try check.vector(entry.focal, count: 2, "focal"), try check.vector(entry.center, count: 2, "center"))
        let intrinsics = try check.intrinsics(
            width: Double(entry.width), height: Double(entry.height), focal: Vector2d(f[0], f[1]), center: Vector2d(c[0], c[1]),
            distortion: try entry.distortion.lens(check))
        let pose = RigidTransform(rotation: rotation, translation: try check.vector3(entry.position, "position"))
        return PosedCamera(intrinsics: intrinsics, cameraFromWorld: CameraAxes.cameraFromWorld(worldFromPublicCamera: pose))
    }

    private static func transforms(_ content: TransformsFile, file: String) throws(CameraFileError) -> [NamedCamera] {
        let common = try projection(of: content.camera_model, CameraCheck(file: file, location: ""))
        var result: [NamedCamera] = []
        for (index, frame) in content.frames.enumerated() {
            let check = CameraCheck(file: file, location: "frames/\(index)")
            let rows = try check.matrix(frame.transform_matrix, rows: 4, "transform_matrix")
            guard rows[3] == [0, 0, 0, 1] else { throw check.failure("transform_matrix", "must end with the row 0 0 0 1") }
            let rotation = try check.rotation(rows[..<3].map { Array($0[..<3]) }, "transform_matrix")
            let pose = RigidTransform(rotation: rotation, translation: Vector3d(rows[0][3], rows[1][3], rows[2][3]))
            let own = try frame.camera_model.map { (model) throws(CameraFileError) in try projection(of: model, check) } ?? common
            let intrinsics = try intrinsics(frame.intrinsics, common: content.intrinsics, own, check)
            result.append(
                NamedCamera(
                    name: frame.file_path,
                    camera: PosedCamera(intrinsics: intrinsics, cameraFromWorld: CameraAxes.cameraFromWorld(worldFromPublicCamera: pose))))
        }
        return result
    }

    /// The projection of a camera model's name.
    private static func projection(
        of model: String?, _ check: CameraCheck
    ) throws(CameraFileError) -> LensDistortion.Projection {
        let models = LensDistortion.Projection.allCases.map { NamedCameraModel.transforms($0) }
        guard let model, !["PINHOLE", "SIMPLE_PINHOLE"].contains(model) else { return .brownConrady }
        guard let known = models.first(where: { $0.name == model }) else {
            throw check.failure(
                "camera_model", "\(model) is not supported, only \(models.map(\.name).joined(separator: ", ")) and PINHOLE are")
        }
        return known.projection
    }

    /// A frame's own numbers take precedence over the file's.
    private static func intrinsics(
        _ frame: TransformsFile.Intrinsics, common content: TransformsFile.Intrinsics, _ projection: LensDistortion.Projection,
        _ check: CameraCheck
    ) throws(CameraFileError) -> CameraIntrinsics {
        guard let width = frame.w ?? content.w, let height = frame.h ?? content.h else {
            throw check.failure("", "the image size (w, h) is missing here and at the top level")
        }
        func focal(_ length: Double?, _ angle: Double?, _ side: Double) -> Double? { length ?? angle.map { side / 2 / tan($0 / 2) } }
        guard
            let fx = focal(
                frame.fl_x ?? (frame.camera_angle_x == nil ? content.fl_x : nil), frame.camera_angle_x ?? content.camera_angle_x, width)
        else { throw check.failure("", "the focal length (fl_x, camera_angle_x) is missing here and at the top level") }
        let fy =
            focal(frame.fl_y ?? (frame.camera_angle_y == nil ? content.fl_y : nil), frame.camera_angle_y ?? content.camera_angle_y, height)
            ?? fx
        return try check.intrinsics(
            width: width, height: height, focal: Vector2d(fx, fy),
            center: Vector2d(frame.cx ?? content.cx ?? width / 2, frame.cy ?? content.cy ?? height / 2),
            distortion: frame.distortion(projection, common: content))
    }
}

extension [NamedCamera] {
    /// Gives photos their cameras, by name.
    ///
    /// - Parameter file: The file's name, for messages.
    /// - Returns: A warning that names the photos without a camera; nil if there are none.
    /// - Throws: `ReconstructionError.invalidOption` if no camera matches a photo, or several match one equally well.
    func assign(to photos: inout [Photo], file: String) throws -> String? {
        let cameras: [PosedCamera?]
        do throws(AmbiguousCameraName) {
            cameras = try matched(to: photos.map { $0.url?.path ?? $0.name })
        } catch {
            throw ReconstructionError.invalidOption("\(file): \(error)")
        }
        guard cameras.contains(where: { $0 != nil }) else {
            throw ReconstructionError.invalidOption("\(file): none of its cameras has the name of a photo")
        }
        for (index, camera) in cameras.enumerated() {
            guard var camera else { continue }
            let (size, lens) = (photos[index].storedSize, camera.intrinsics)
            let stretch = Double(size.width * lens.height) / Double(size.height * lens.width)
            guard abs(stretch - 1) < 0.01 else {
                throw ReconstructionError.invalidOption(
                    "\(file): the camera of \(photos[index].name) is \(lens.width) × \(lens.height) pixels, the photo \(size.width) × \(size.height)"
                )
            }
            camera.intrinsics = lens.resized(width: size.width, height: size.height)
            photos[index].known = camera
        }
        let missing = zip(photos, cameras).filter { $0.1 == nil }.map(\.0.name)
        return missing.isEmpty ? nil : "\(file) has no camera for \(missing.joined(separator: ", "))"
    }
}
