import VitrineFiles
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// COLMAP's text format of a sparse model: `cameras.txt`, `images.txt`, `points3D.txt` in a folder.
///
/// This package uses COLMAP's conventions internally: x ~ K(RX + t), x right, y down, z forward, the first pixel's centre at (0.5, 0.5), the distortion of
/// its models OPENCV and FULL_OPENCV. The world's frame and unit are the model's.
package enum COLMAPModel {
    /// Writes a model; creates the folder if it is missing, each file is written whole or not at all.
    ///
    /// - Parameters:
    ///   - names: One per photo, as the files name it; without line breaks.
    ///   - position: A feature's position in its photo, in pixels of that photo's camera.
    package static func write(
        _ model: SparseModel, names: [String], to folder: URL, position: (_ photo: Int, _ feature: Int) -> Vector2d
    ) throws(CameraFileError) {
        guard names.count == model.cameras.count else {
            throw CameraFileError(file: folder.path, reason: "\(names.count) names for \(model.cameras.count) photos")
        }
        if let bad = names.first(where: { $0.contains(where: \.isNewline) }) {
            throw CameraFileError(file: folder.path, reason: "the name \"\(bad)\" has a line break")
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        } catch {
            throw CameraFileError(file: folder.path, reason: "the folder cannot be created")
        }
        let tracks = Tracks(model)
        let files = [
            ("cameras.txt", cameras(model)), ("images.txt", images(model, names, tracks, position)),
            ("points3D.txt", points(model, tracks)),
        ]
        for (name, text) in files {
            do throws(FileError) {
                try AtomicFile.write(Array(text.utf8), to: folder.appendingPathComponent(name))
            } catch {
                throw CameraFileError(error)
            }
        }
    }

    /// Observations as COLMAP counts them: in each photo, those that are points of the model, in the points' order.
    private struct Tracks {
        /// The pairs (feature, point) of each photo.
        private(set) var byPhoto: [[(feature: Int, point: Int)]]
        /// The pairs (photo, index in that photo's list) of each point.
        private(set) var byPoint: [[(photo: Int, index: Int)]] = []

        init(_ model: SparseModel) {
            byPhoto = Array(repeating: [], count: model.cameras.count)
            for (index, point) in model.points.enumerated() {
                var track: [(photo: Int, index: Int)] = []
                for observation in point.observations {
                    let photo = Int(observation.x)
                    guard model.cameras[photo] != nil else { continue }
                    track.append((photo, byPhoto[photo].count))
                    byPhoto[photo].append((Int(observation.y), index))
                }
                byPoint.append(track)
            }
        }
    }

    /// Numbers of cameras are those of groups, of images those of photos, each counted from 1.
    private static func cameras(_ model: SparseModel) -> String {
        var text = "# Camera list with one line of data per camera:\n#   CAMERA_ID, MODEL, WIDTH, HEIGHT, PARAMS[]\n"
        text += "# Number of cameras: \(model.groups.count)\n"
        for (index, group) in model.groups.enumerated() {
            let intrinsics = group.photos.lazy.compactMap { model.cameras[$0]?.intrinsics }.first ?? group.intrinsics
            let format = NamedCameraModel.simplest(intrinsics)
            let parameters = format.parameters(intrinsics).map { "\($0)" }.joined(separator: " ")
            text += "\(index + 1) \(format.name) \(intrinsics.width) \(intrinsics.height) \(parameters)\n"
        }
        return text
    }

    private static func images(
        _ model: SparseModel, _ names: [String], _ tracks: Tracks, _ position: (Int, Int) -> Vector2d
    ) -> String {
        var groups = [Int](repeating: 0, count: model.cameras.count)
        for (index, group) in model.groups.enumerated() { for photo in group.photos { groups[photo] = index } }
        var text = "# Image list with two lines of data per image:\n#   IMAGE_ID, QW, QX, QY, QZ, TX, TY, TZ, CAMERA_ID, NAME\n"
        text += "#   POINTS2D[] as (X, Y, POINT3D_ID)\n# Number of images: \(model.registered.count)\n"
        for photo in model.registered {
            guard let pose = model.cameras[photo]?.cameraFromWorld else { continue }
            let q = pose.rotation.quaternion
            let numbers = [q.w, q.x, q.y, q.z, pose.translation.x, pose.translation.y, pose.translation.z].map { "\($0)" }
            text += "\(photo + 1) \(numbers.joined(separator: " ")) \(groups[photo] + 1) \(names[photo])\n"
            for (index, entry) in tracks.byPhoto[photo].enumerated() {
                let pixel = position(photo, entry.feature)
                text += "\(index > 0 ? " " : "")\(pixel.x) \(pixel.y) \(entry.point + 1)"
            }
            text += "\n"
        }
        return text
    }

    private static func points(_ model: SparseModel, _ tracks: Tracks) -> String {
        var text = "# 3D point list with one line of data per point:\n"
        text += "#   POINT3D_ID, X, Y, Z, R, G, B, ERROR, TRACK[] as (IMAGE_ID, POINT2D_IDX)\n# Number of points: \(model.points.count)\n"
        for (index, point) in model.points.enumerated() {
            let (x, c) = (point.position, point.color)
            text += "\(index + 1) \(x.x) \(x.y) \(x.z) \(c.x) \(c.y) \(c.z) \(point.error)"
            for entry in tracks.byPoint[index] { text += " \(entry.photo + 1) \(entry.index)" }
            text += "\n"
        }
        return text
    }
}

extension COLMAPModel {
    /// The cameras of a model in COLMAP's text format. Points are not read.
    package static func readCameras(folder: URL) throws(CameraFileError) -> [NamedCamera] {
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

        /// Comments are skipped, empty lines are kept: images without points have one.
        init(_ url: URL) throws(CameraFileError) {
            let bytes = try KnownCameras.bytes(url)
            file = url.path
            let text = String(decoding: bytes, as: UTF8.self)
            lines = text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
                .map { (number: $0.offset + 1, text: $0.element.hasSuffix("\r") ? $0.element.dropLast() : $0.element) }
                .filter { !$0.text.hasPrefix("#") }
        }

        func check(_ line: Int) -> CameraCheck { CameraCheck(file: file, location: "line \(line)") }
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
            guard parameters.count == words.count - 4 else { throw check.failure("", "a parameter is not a number") }
            let lens = try self.lens(String(words[1]), parameters, check)
            guard lenses[id] == nil else { throw check.failure("", "camera \(id) is defined twice") }
            lenses[id] = try check.intrinsics(
                width: width, height: height, focal: lens.focal, center: lens.center, distortion: lens.distortion)
        }
        return lenses
    }

    private static func lens(
        _ name: String, _ p: [Double], _ check: CameraCheck
    ) throws(CameraFileError) -> (focal: Vector2d, center: Vector2d, distortion: LensDistortion) {
        guard let model = NamedCameraModel.all.first(where: { $0.name == name }) else {
            throw check.failure("", "the camera model \(name) is not supported")
        }
        guard p.count == model.parameterCount else {
            throw check.failure("", "\(name) has \(model.parameterCount) parameters, not \(p.count)")
        }
        let unsupported = model.unsupported(p)
        guard unsupported.isEmpty else {
            throw check.failure("", "\(unsupported.joined(separator: ", ")) of \(name): not supported, must be 0")
        }
        return model.intrinsics(p)
    }

    /// Two lines per image; the second one contains its points.
    private static func readImages(_ lines: Lines, lenses: [Int: CameraIntrinsics]) throws(CameraFileError) -> [NamedCamera] {
        var images: [NamedCamera] = []
        var isPoints = false
        for line in lines.lines {
            if isPoints {
                isPoints = false
                continue
            }
            // There are no lines between images; empty lines may follow at the end of the file.
            if line.text.allSatisfy(\.isWhitespace) { continue }
            let check = lines.check(line.number)
            let words = line.text.split(separator: " ", maxSplits: 9)
            let numbers = words.prefix(8).compactMap { Double($0) }
            guard words.count == 10, numbers.count == 8, let lensNumber = Int(words[8]) else {
                throw check.failure("", "must have IMAGE_ID QW QX QY QZ TX TY TZ CAMERA_ID NAME")
            }
            guard let lens = lenses[lensNumber] else { throw check.failure("", "camera \(lensNumber) is not in cameras.txt") }
            let q = try check.vector(Array(numbers[1..<5]), count: 4, "")
            guard let rotation = CameraCheck.rotation(quaternion: SIMD4(q[1], q[2], q[3], q[0])) else {
                throw check.failure("", "the rotation is not a quaternion of length 1")
            }
            let pose = RigidTransform(rotation: rotation, translation: try check.vector3(Array(numbers[5..<8]), ""))
            images.append(NamedCamera(name: String(words[9]), camera: PosedCamera(intrinsics: lens, cameraFromWorld: pose)))
            isPoints = true
        }
        return images
    }
}
