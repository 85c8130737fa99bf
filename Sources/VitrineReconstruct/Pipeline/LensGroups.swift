import VitrineMath
import VitrineVision

/// Groups the photos that share a lens: those of one camera and zoom setting, unless a capture session measured different intrinsics for
/// them.
enum LensGroups {
    /// Differences of intrinsics up to which photos share a lens: of the focal length, relative, and of the principal point, relative to the
    /// longer side. A tracker refines its estimate by less; focusing and zooming change it by more.
    private static let tolerance = 0.015

    /// Returns a key for each photo. Photos with the same key share a lens.
    static func keys(of photos: [Photo]) -> [String] {
        keys(photos.map { ($0.facts.cameraKey, $0.initialCamera?.intrinsics) })
    }

    /// Returns the initial intrinsics of each photo: the same for all photos that share a lens, as the mapper requires it. A tracker refines
    /// them from shot to shot; those of the photo with the median focal length are taken. Known cameras keep theirs.
    static func guesses(of photos: [Photo]) -> [CameraGuess] {
        guesses(
            photos.map(\.cameraGuess), keys: keys(of: photos),
            areTracked: photos.map { $0.known == nil && $0.initialCamera != nil })
    }

    static func guesses(_ guesses: [CameraGuess], keys: [String], areTracked: [Bool]) -> [CameraGuess] {
        func lens(of photo: Int) -> String { "\(keys[photo]) \(guesses[photo].intrinsics.width) \(guesses[photo].intrinsics.height)" }
        let lenses = Dictionary(grouping: guesses.indices.filter { areTracked[$0] }, by: lens)
        let medians = lenses.mapValues { photos in
            guesses[photos.sorted { guesses[$0].intrinsics.focal.x < guesses[$1].intrinsics.focal.x }[photos.count / 2]]
        }
        return guesses.indices.map { areTracked[$0] ? medians[lens(of: $0)] ?? guesses[$0] : guesses[$0] }
    }

    static func keys(_ photos: [(camera: String, intrinsics: CameraIntrinsics?)]) -> [String] {
        var lenses: [String: [CameraIntrinsics]] = [:]
        return photos.map { camera, intrinsics in
            guard let intrinsics else { return camera }
            let known = lenses[camera] ?? []
            let number = known.firstIndex { agree($0, intrinsics) } ?? known.count
            if number == known.count { lenses[camera, default: []].append(intrinsics) }
            return number == 0 ? camera : "\(camera) lens \(number + 1)"
        }
    }

    private static func agree(_ a: CameraIntrinsics, _ b: CameraIntrinsics) -> Bool {
        let (focal, center) = (b.focal / a.focal - 1, (b.center - a.center) / Double(max(a.width, a.height)))
        return a.distortion.projection == b.distortion.projection && abs(focal.x) < tolerance && abs(focal.y) < tolerance
            && abs(center.x) < tolerance && abs(center.y) < tolerance
    }
}
