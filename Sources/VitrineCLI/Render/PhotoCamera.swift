import Vitrine
import VitrineAR
import VitrineReconstruct
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The camera of a photo from a list of cameras, to render a model from the viewpoint of the photo.
struct PhotoCamera {
    private let name: String
    private let camera: PosedCamera

    /// Reads the camera of a photo.
    ///
    /// - Parameters:
    ///   - name: The photo's file name, with or without its folder and extension.
    ///   - file: The path of a cameras file, as for `vitrine reconstruct --cameras`: JSON with K, R and t, Vitrine's poses,
    ///     `transforms.json`, or COLMAP's text files.
    init(named name: String, in file: String) throws {
        let cameras = try KnownCameras.read(URL(fileURLWithPath: file))
        let found: PosedCamera?
        do throws(AmbiguousCameraName) {
            found = try cameras.matched(to: [name])[0]
        } catch {
            throw CommandError(file: file, reason: "\(error)")
        }
        guard let found else {
            let some = cameras.prefix(3).map(\.name).joined(separator: ", ")
            throw CommandError(
                file: file,
                reason: "has no photo '\(name)': "
                    + (some.isEmpty ? "the file is empty" : "use one of " + some + (cameras.count > 3 ? " …" : "")))
        }
        (self.name, camera) = (name, found)
    }

    /// Properties of the lens that the renderer does not support.
    var warnings: [String] {
        let lens = camera.intrinsics
        var largest = 0.0
        for corner in [Vector2d(0, 0), Vector2d(Double(lens.width), 0), Vector2d(0, Double(lens.height)), lens.size] {
            let normalized = lens.normalized(corner)
            largest = max(largest, length(normalized * lens.focal + lens.center - corner))
        }
        guard largest >= 0.5 else { return [] }
        return ["the photo's lens distortion, \(Int(largest.rounded())) pixels in the corners, is not applied: the rendered image has none"]
    }

    /// The photo's view: its full height, and the central part of its width that the aspect ratio includes.
    ///
    /// - Parameter aspectRatio: Width / height of the rendered image. That of the photo gives the photo's pixels.
    func view(aspectRatio: Float) -> View {
        let lens = camera.intrinsics
        let span = Vector2d(lens.size.y * Double(aspectRatio), lens.size.y)
        // The window's edges at distance 1: left and lower, right and upper.
        let left = lens.size.x / 2 - span.x / 2
        let low = Vector2d(left - lens.center.x, lens.center.y - span.y) / lens.focal
        let high = Vector2d(left + span.x - lens.center.x, lens.center.y) / lens.focal
        // The part of a larger image that is centred on the axis.
        let half = pointwiseMax(pointwiseMax(low, -low), pointwiseMax(high, -high))
        let origin = Vector2d(low.x + half.x, half.y - high.y) / (half * 2)
        let size = (high - low) / (half * 2)
        let isCentred = size.min() > 1 - 1e-6
        let pose = camera.cameraFromWorld.inverse
        return View(
            camera: Camera(
                projection: .perspective(fieldOfView: .radians(Float(2 * VitrineMath.atan2(half.y, 1)))), near: 0.001,
                aspectRatio: Float(half.x / half.y)),
            worldFromCamera: Matrix4(viewing: pose),
            part: isCentred ? nil : Rectangle(origin: Vector2(origin), size: Vector2(size)))
    }
}

extension CameraIntrinsics {
    fileprivate var size: Vector2d { Vector2d(Double(width), Double(height)) }
}
