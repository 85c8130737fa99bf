import Vitrine
import VitrineAR
import VitrineVision

/// Maps the pixels of a camera with lens distortion to pinhole images: for each pixel the face and the position in it.
///
/// A lens of less than about 110° needs one pinhole image; a wider one needs the visible faces of a cube.
struct LensWarp: Sendable {
    /// A pinhole image with its principal point in the centre.
    struct Face: Sendable {
        /// The rotation from the face's frame to the camera's, both x right, y down, z forward.
        var cameraFromFace: Matrix3d
        var width, height: Int
    }

    let faces: [Face]
    /// The rows of the image that the warp covers; `face` and `position` start at the first of them.
    let rows: Range<Int>
    /// The focal length of the faces in pixels: at least the camera's resolution in its centre.
    let focal: Double
    /// The face of each camera pixel, rows from the top; −1 outside of the lens's field of view.
    let face: [Int8]
    /// The position in the face, with the first pixel's centre at 0.
    let position: [SIMD2<Float>]

    private static let widest = 1.45

    /// Prepares the mapping of a camera's pixels.
    ///
    /// - Parameter rows: The rows to cover; nil for all.
    init(_ camera: CameraIntrinsics, rows: Range<Int>? = nil) {
        let rows = rows ?? 0..<camera.height
        self.rows = rows
        let directions = Self.directions(camera, rows)
        // A whole image keeps the camera's own axes.
        let tilt = rows.count == camera.height ? Matrix3d.identity : Self.tilt(directions)
        var reach = Vector2d(0, 0)
        var isWide = false
        for direction in directions {
            guard let direction else { continue }
            let inFace = tilt.transpose * direction
            let slope = Vector2d(abs(inFace.x), abs(inFace.y)) / max(inFace.z, 1e-6)
            reach = pointwiseMax(reach, slope)
            isWide = isWide || slope.max() > Self.widest
        }
        let focal = max(camera.focal.x, camera.focal.y)
        let all = isWide ? Self.cube(focal) : [Self.single(focal, reach, tilt)]
        self.focal = focal
        var (face, position) = ([Int8](repeating: -1, count: directions.count), [SIMD2<Float>](repeating: .zero, count: directions.count))
        var isUsed = [Bool](repeating: false, count: all.count)
        for (index, direction) in directions.enumerated() {
            guard let direction, let found = Self.face(of: direction, in: all, focal) else { continue }
            (face[index], position[index]) = (Int8(found.face), found.position)
            isUsed[found.face] = true
        }
        // Unused faces are not rendered.
        var number = -1
        let numbers = isUsed.map { used -> Int8 in
            if used { number += 1 }
            return used ? Int8(number) : -1
        }
        faces = zip(all, isUsed).filter(\.1).map(\.0)
        self.face = face.map { $0 < 0 ? -1 : numbers[Int($0)] }
        self.position = position
    }

    /// The direction of each pixel's centre with z = 1; nil outside of the lens model's valid range.
    private static func directions(_ camera: CameraIntrinsics, _ rows: Range<Int>) -> [Vector3d?] {
        Parallel().map(rows.count) { index in
            let row = rows.lowerBound + index
            return (0..<camera.width).map { column -> Vector3d? in
                let pixel = Vector2d(Double(column) + 0.5, Double(row) + 0.5)
                let normalized = camera.normalized(pixel)
                let direction = Vector3d(normalized.x, normalized.y, 1)
                return lengthSquared(camera.project(direction) - pixel) < 1e-4 ? direction : nil
            }
        }.flatMap { $0 }
    }

    /// The rotation about the camera's x axis that makes the middle of the directions the centre of a face: a strip of rows needs a small one.
    private static func tilt(_ directions: [Vector3d?]) -> Matrix3d {
        let slopes = directions.compactMap { $0?.y }
        guard let low = slopes.min(), let high = slopes.max() else { return .identity }
        let angle = (atan2(low, 1) + atan2(high, 1)) / 2
        return abs(angle) < 0.05 ? .identity : .rotation(Vector3d(-angle, 0, 0))
    }

    /// The position in its face of a pixel whose camera has turned by a small rotation vector on its axes.
    func position(_ pixel: Int, turnedBy turn: SIMD3<Float>) -> SIMD2<Float> {
        let face = faces[Int(self.face[pixel])]
        let center = SIMD2(Float(face.width), Float(face.height)) / 2 - 0.5
        let slope = (position[pixel] - center) / Float(focal)
        let rotation = face.cameraFromFace.transpose * Vector3d(Double(turn.x), Double(turn.y), Double(turn.z))
        let (direction, spin) = (SIMD3<Float>(slope.x, slope.y, 1), SIMD3<Float>(rotation))
        let moved = direction + cross(spin, direction)
        let found = SIMD2(moved.x, moved.y) / moved.z * Float(focal) + center
        return found.clamped(lowerBound: .zero, upperBound: SIMD2(Float(face.width) - 2, Float(face.height) - 2))
    }

    private static func single(_ focal: Double, _ reach: Vector2d, _ tilt: Matrix3d) -> Face {
        // A margin for interpolation, and for the camera's turn between the rows of a strip.
        let size = reach * (2 * focal) + (tilt == .identity ? 4 : 24)
        return Face(cameraFromFace: tilt, width: Int(size.x.rounded(.up)), height: Int(size.y.rounded(.up)))
    }

    /// Front, right, left, bottom, top.
    private static func cube(_ focal: Double) -> [Face] {
        let size = Int((2 * focal).rounded(.up)) + 6
        let quarter = Double.pi / 2
        let turns = [
            Vector3d.zero, Vector3d(0, quarter, 0), Vector3d(0, -quarter, 0), Vector3d(-quarter, 0, 0), Vector3d(quarter, 0, 0),
        ]
        return turns.map { Face(cameraFromFace: .rotation($0), width: size, height: size) }
    }

    private static func face(
        of direction: Vector3d, in faces: [Face], _ focal: Double
    ) -> (face: Int, position: SIMD2<Float>)? {
        for (index, face) in faces.enumerated() {
            let inFace = face.cameraFromFace.transpose * direction
            guard inFace.z > 1e-6, faces.count == 1 || max(abs(inFace.x), abs(inFace.y)) <= inFace.z * 1.000001 else { continue }
            let x = inFace.x / inFace.z * focal + Double(face.width) / 2 - 0.5
            let y = inFace.y / inFace.z * focal + Double(face.height) / 2 - 0.5
            return (index, SIMD2(Float(x), Float(y)))
        }
        return nil
    }
}
