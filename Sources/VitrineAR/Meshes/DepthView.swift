import VitrineMath
import VitrineVision

/// A depth image of a pinhole camera with its pose in a volume.
struct DepthView: Sendable {
    let width, height: Int
    /// Metres along the camera's z axis; 0 if unknown. Values beyond `farthest` prove only that the space up to there is free.
    let metres: [Float]
    /// The distance up to which surfaces are used, in metres.
    let farthest: Float
    /// The focal lengths and the principal point, in pixels of the depth image.
    let focal, center: Vector2
    let cameraFromVolume, volumeFromCamera: Matrix4

    /// Creates the view of a depth image.
    ///
    /// - Parameters:
    ///   - camera: The camera of the captured image; rescaled to the depth image. A distorted depth image is resampled to the pinhole camera with the
    ///     same focal lengths, from the nearest pixel.
    ///   - range: The distances of surfaces to use, in metres. Nearer ones, and pixels of low confidence, are unknown.
    init(_ image: DepthImage, camera: CameraIntrinsics, volumeFromCamera: RigidTransform, range: ClosedRange<Float>) {
        (width, height) = (image.metres.width, image.metres.height)
        let camera = camera.resized(width: width, height: height)
        (focal, center) = (Vector2(camera.focal), Vector2(camera.center))
        (self.volumeFromCamera, cameraFromVolume) = (Matrix4(volumeFromCamera), Matrix4(volumeFromCamera.inverse))
        farthest = range.upperBound
        var known = image.metres.values
        let confidence = image.confidence?.values ?? []
        for index in known.indices {
            let isConfident = index < confidence.count ? confidence[index] > 0 : true
            if !isConfident || !known[index].isFinite || known[index] < range.lowerBound { known[index] = 0 }
        }
        metres = camera.isDistorted ? Self.undistorted(known, camera) : known
    }

    private static func undistorted(_ metres: [Float], _ camera: CameraIntrinsics) -> [Float] {
        var result = [Float](repeating: 0, count: metres.count)
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                let straight = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - camera.center) / camera.focal
                let pixel = camera.distortion.distort(straight) * camera.focal + camera.center
                guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(camera.width), pixel.y < Double(camera.height) else { continue }
                result[y * camera.width + x] = metres[Int(pixel.y) * camera.width + Int(pixel.x)]
            }
        }
        return result
    }

    /// Whether a sphere may be visible.
    ///
    /// - Parameter center: The centre of the block in the volume's frame.
    func mayContain(_ center: Vector3, radius: Float, farthest: Float) -> Bool {
        let p = cameraFromVolume.transform(point: center)
        guard p.z > -radius, p.z < farthest + radius else { return false }
        // The four side planes of the frustum.
        func isInside(_ along: Float, _ focal: Float, _ low: Float, _ high: Float) -> Bool {
            let (a, b) = (low / focal, high / focal)
            return (along + a * p.z) > -radius * (1 + a * a).squareRoot() && (b * p.z - along) > -radius * (1 + b * b).squareRoot()
        }
        return isInside(p.x, focal.x, self.center.x, Float(width) - self.center.x)
            && isInside(p.y, focal.y, self.center.y, Float(height) - self.center.y)
    }
}
