import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension COLMAPModel {
    /// The cameras of a model in COLMAP's text format. Points aren't read.
    public static func readCameras(folder: URL) throws(CameraFileError) -> [NamedCamera] {
        let (camerasURL, imagesURL) = (folder.appendingPathComponent("cameras.txt"), folder.appendingPathComponent("images.txt"))
        let lenses = try readLenses(Lines(camerasURL))
        let images = try readImages(Lines(imagesURL), lenses: lenses)
        try KnownCameras.checkNames(images, file: imagesURL.path)
        return images
    }

    /// A text file's lines with their numbers from 1.
    private struct Lines {
        let file: String
        let lines: [(number: Int, text: Substring)]

        /// Comments are left out, empty lines are kept: images without points have one.
        init(_ url: URL) throws(CameraFileError) {
            let bytes = try KnownCameras.bytes(url)
            file = url.path
            let text = String(decoding: bytes, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { (number: $0.offset + 1, text: $0.element.hasSuffix("\r") ? $0.element.dropLast() : $0.element) }
                .filter { !$0.text.hasPrefix("#") }
        }

        func check(_ line: Int) -> CameraCheck { CameraCheck(file: file, place: "line \(line)") }
    }

    private static func readLenses(_ lines: Lines) throws(CameraFileError) -> [Int: CameraIntrinsics] {
        var lenses: [Int: CameraIntrinsics] = [:]
        for line in lines.lines where !line.text.allSatisfy(\.isWhitespace) {
            let check = lines.check(line.number)
            let words = line.text.split(separator: " ")
            guard words.count >= 5, let id = Int(words[0]), let width = Double(words[2]), let height = Double(words[3]) else {
                throw check.failure("", "must have CAMERA_ID MODEL WIDTH HEIGHT PARAMS[]")
            }
            let parameters = words[4...].compactMap { Double($0) }
            guard parameters.count == words.count - 4 else { throw check.failure("", "a parameter is no number") }
            let lens = try self.lens(String(words[1]), parameters, check)
            guard lenses[id] == nil else { throw check.failure("", "camera \(id) comes twice") }
            lenses[id] = try check.intrinsics(
                width: width, height: height, focal: lens.focal, center: lens.center, distortion: lens.distortion)
        }
        return lenses
    }

    private static func lens(
        _ name: String, _ p: [Double], _ check: CameraCheck
    ) throws(CameraFileError) -> (focal: Vector2d, center: Vector2d, distortion: LensDistortion) {
        let counts = [
            "SIMPLE_PINHOLE": 3, "PINHOLE": 4, "SIMPLE_RADIAL": 4, "RADIAL": 5, "OPENCV": 8, "FULL_OPENCV": 12, "OPENCV_FISHEYE": 8,
        ]
        guard let count = counts[name] else { throw check.failure("", "the camera model \(name) is not supported") }
        guard p.count == count else { throw check.failure("", "\(name) has \(count) parameters, here are \(p.count)") }
        switch name {
        case "SIMPLE_PINHOLE": return (Vector2d(p[0], p[0]), Vector2d(p[1], p[2]), .none)
        case "PINHOLE": return (Vector2d(p[0], p[1]), Vector2d(p[2], p[3]), .none)
        case "SIMPLE_RADIAL": return (Vector2d(p[0], p[0]), Vector2d(p[1], p[2]), .radial(p[3]))
        case "RADIAL": return (Vector2d(p[0], p[0]), Vector2d(p[1], p[2]), .radial(p[3], p[4]))
        case "OPENCV": return (Vector2d(p[0], p[1]), Vector2d(p[2], p[3]), .brownConrady(SIMD4(p[4], p[5], p[6], p[7])))
        case "OPENCV_FISHEYE": return (Vector2d(p[0], p[1]), Vector2d(p[2], p[3]), .kannalaBrandt(SIMD4(p[4], p[5], p[6], p[7])))
        default:
            guard p[9...].allSatisfy({ $0 == 0 }) else { throw check.failure("", "k4, k5 and k6 of FULL_OPENCV are not supported") }
            let distortion = LensDistortion.brownConrady(radial: Vector3d(p[4], p[5], p[8]), tangential: Vector2d(p[6], p[7]))
            return (Vector2d(p[0], p[1]), Vector2d(p[2], p[3]), distortion)
        }
    }

    /// Two lines an image, the second one its points.
    private static func readImages(_ lines: Lines, lenses: [Int: CameraIntrinsics]) throws(CameraFileError) -> [NamedCamera] {
        var images: [NamedCamera] = []
        var isPoints = false
        for line in lines.lines {
            if isPoints {
                isPoints = false
                continue
            }
            // Between images nothing stands; at the file's end empty lines may.
            if line.text.allSatisfy(\.isWhitespace) { continue }
            let check = lines.check(line.number)
            let words = line.text.split(separator: " ", maxSplits: 9)
            let numbers = words.prefix(8).compactMap { Double($0) }
            guard words.count == 10, numbers.count == 8, let lensNumber = Int(words[8]) else {
                throw check.failure("", "must have IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME")
            }
            guard let lens = lenses[lensNumber] else { throw check.failure("", "camera \(lensNumber) is not in cameras.txt") }
            let q = try check.vector(Array(numbers[1..<5]), count: 4, "")
            guard let rotation = UnitQuaternion(w: q[0], x: q[1], y: q[2], z: q[3]).matrix else {
                throw check.failure("", "the rotation is no quaternion of length 1")
            }
            let pose = RigidTransform(rotation: rotation, translation: try check.vector3(Array(numbers[5..<8]), ""))
            images.append(NamedCamera(name: String(words[9]), camera: PosedCamera(intrinsics: lens, cameraFromWorld: pose)))
            isPoints = true
        }
        return images
    }
}
