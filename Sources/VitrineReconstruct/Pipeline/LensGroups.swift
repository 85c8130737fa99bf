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
