import VitrineAR
import VitrineMath
import VitrineReconstruct
import VitrineVision

/// The appearance of a box in an image.
struct BoxProjection: Equatable, Sendable {
    /// The part of the box's rectangle within the image; nil if the box is outside or around the camera.
    let rectangle: PixelRectangle?
    /// The longer side of the box's rectangle, relative to the image's shorter side; infinite if a part is beside or behind the camera.
    let size: Double
    /// The box's centre from the image's centre, in halves of the image's width and height, right and down; unit length behind the camera.
    let offset: Vector2d
    /// The distance of the box's centre in metres.
    let distance: Double
    /// The share of the box's corners within the image, 0…1.
    let visibleShare: Double

    init(_ box: OrientedBox, _ camera: PosedCamera) {
        let lens = camera.intrinsics
        let imageSize = Vector2d(Double(lens.width), Double(lens.height))
        let center = camera.cameraFromWorld * box.center
        let distance = length(center)
        self.distance = distance
        let corners = box.corners.map { camera.cameraFromWorld * $0 }
        if center.z > 0.05 * distance {
            offset = (Self.pixel(center, lens) - imageSize / 2) / (imageSize / 2)
        } else {
            let flat = Vector2d(center.x, center.y)
            offset = length(flat) > 1e-9 ? normalize(flat) * 2 : Vector2d(2, 0)
        }
        guard corners.allSatisfy({ $0.z > 0.02 * distance }) else {
            (rectangle, size, visibleShare) = (nil, .infinity, 0)
            return
        }
        let pixels = corners.map { Self.pixel($0, lens) }
        let low = pixels.reduce(pixels[0]) { pointwiseMin($0, $1) }
        let high = pixels.reduce(pixels[0]) { pointwiseMax($0, $1) }
        size = (high - low).max() / imageSize.min()
        visibleShare =
            Double(pixels.count { $0.x >= 0 && $0.y >= 0 && $0.x < imageSize.x && $0.y < imageSize.y }) / Double(pixels.count)
        let (from, to) = (pointwiseMax(low, .zero), pointwiseMin(high, imageSize))
        guard to.x - from.x >= 8, to.y - from.y >= 8 else {
            rectangle = nil
            return
        }
        rectangle = PixelRectangle(x: Int(from.x), y: Int(from.y), width: Int(to.x) - Int(from.x), height: Int(to.y) - Int(from.y))
    }

    /// Projects a point without lens distortion, whose models are not valid far outside of the image.
    private static func pixel(_ point: Vector3d, _ lens: CameraIntrinsics) -> Vector2d {
        Vector2d(point.x, point.y) / point.z * lens.focal + lens.center
    }
}

/// Measurements of a rectangle of an image.
struct ImageQuality: Equatable, Sendable {
    /// The sharpness, 0…1, as `Sharpness` defines it; comparable between similar views.
    var sharpness: Double
    /// The level that the brightest tenth exceeds, 0…1, encoded.
    var brightness: Double
    /// The share of overexposed pixels, 0…1.
    var overexposed: Double

    /// The longer side at which the sharpness is measured, pixels: blur of less than a pixel of a large image does not matter.
    private static let side = 640

    init(sharpness: Double, brightness: Double, overexposed: Double) {
        (self.sharpness, self.brightness, self.overexposed) = (sharpness, brightness, overexposed)
    }

    init(_ image: CapturedImage, in rectangle: PixelRectangle?) {
        let whole = PixelRectangle(x: 0, y: 0, width: image.width, height: image.height)
        let area = rectangle ?? whole
        let plane = GrayCrop(image, in: area, side: Self.side).plane
        var counts = [Int](repeating: 0, count: 256)
        for value in plane.values { counts[Int(value * 255)] += 1 }
        let total = max(1, plane.values.count)
        overexposed = Double(counts[250...].reduce(0, +)) / Double(total)
        var (level, brighter) = (255, 0)
        while level > 0, (brighter + counts[level]) * 10 < total {
            brighter += counts[level]
            level -= 1
        }
        brightness = Double(level) / 255
        sharpness = Double(Sharpness.score(of: plane))
    }
}
