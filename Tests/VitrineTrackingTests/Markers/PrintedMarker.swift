import VitrineMath
import VitrineVision

@testable import VitrineTracking

/// A marker on white paper: images with exact ground truth.
struct PrintedMarker {
    var dictionary = MarkerDictionary.aprilTag36h11
    var id = 0
    /// The edge length of the black square in metres.
    var edge = 0.16
    var cameraFromMarker: RigidTransform

    static let camera = CameraIntrinsics.pinhole(320, 240, focal: 300)

    /// A pose facing the camera, rotated by a rotation vector on the camera's axes.
    /// - Parameter position: In the camera's frame, metres.
    static func pose(_ turn: Vector3d, _ position: Vector3d) -> RigidTransform {
        let facing = Matrix3d(Vector3d(1, 0, 0), Vector3d(0, -1, 0), Vector3d(0, 0, -1))
        return RigidTransform(rotation: Matrix3d.rotation(turn) * facing, translation: position)
    }

    /// The exact pixels of the corners: upper left, upper right, lower right, lower left.
    func corners(_ camera: CameraIntrinsics = camera) -> [Vector2d] {
        let h = edge / 2
        return [Vector3d(-h, h, 0), Vector3d(h, h, 0), Vector3d(h, -h, 0), Vector3d(-h, -h, 0)].map {
            camera.project(cameraFromMarker * $0)
        }
    }

    /// Renders an image: 4×4 samples of linear light per pixel, sRGB-encoded.
    /// - Parameters:
    ///   - blur: Radius of a box blur in pixels.
    ///   - noise: Standard deviation in grey levels.
    ///   - darkening: Share by which the light decreases from left to right.
    func image(_ camera: CameraIntrinsics = camera, blur: Int = 0, noise: Double = 0, darkening: Double = 0) -> Plane<UInt8> {
        var greys = [Double](repeating: 0, count: camera.width * camera.height)
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                var sum = 0.0
                for k in 0..<16 {
                    let part = Vector2d(Double(k % 4), Double(k / 4)) / 4 + 0.125
                    sum += Double(linearFromSRGB(Float(grey(Vector2d(Double(x), Double(y)) + part, camera)) / 255))
                }
                greys[y * camera.width + x] = sum / 16 * (1 - darkening * Double(x) / Double(camera.width))
            }
        }
        var numbers = SplitMix64(seed: 11)
        var image = Plane<UInt8>(width: camera.width, height: camera.height, repeating: 0)
        for y in 0..<camera.height {
            for x in 0..<camera.width {
                var (sum, count) = (0.0, 0.0)
                for v in max(0, y - blur)...min(camera.height - 1, y + blur) {
                    for u in max(0, x - blur)...min(camera.width - 1, x + blur) {
                        (sum, count) = (sum + greys[v * camera.width + u], count + 1)
                    }
                }
                var random = -6.0
                if noise > 0 { for _ in 0..<12 { random += Double(numbers.next() >> 11) / Double(1 << 53) } } else { random = 0 }
                let grey = 255 * Double(sRGBFromLinear(Float(sum / count)))
                image[x, y] = UInt8(min(max((grey + noise * random).rounded(), 0), 255))
            }
        }
        return image
    }

    private func grey(_ pixel: Vector2d, _ camera: CameraIntrinsics) -> Double {
        let normalized = camera.normalized(pixel)
        let markerFromCamera = cameraFromMarker.inverse
        let ray = markerFromCamera.rotation * Vector3d(normalized.x, normalized.y, 1)
        let center = markerFromCamera.translation
        guard ray.z < 0 else { return 90 }
        let point = center - ray * (center.z / ray.z)
        let cell = edge / Double(dictionary.cells + 2)
        let (column, row) = ((point.x + edge / 2) / cell - 1, (edge / 2 - point.y) / cell - 1)
        let (last, margin) = (Double(dictionary.cells) + 1, 2.5)
        guard column > -margin, row > -margin, column < last + margin - 1, row < last + margin - 1 else { return 90 }
        let isBorder = column > -1 && row > -1 && column < last && row < last
        guard isBorder else { return 215 }
        return dictionary.isWhite(id: id, row: Int(row.rounded(.down)), column: Int(column.rounded(.down))) ? 215 : 30
    }
}
