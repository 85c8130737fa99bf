import Vitrine
import VitrineAR
import VitrineVision

/// Turns pictures of pinholes into the picture of a camera with a lens: for every pixel, where in which pinhole's picture it is found.
///
/// A lens that sees less than about 110° takes one pinhole; a wider one takes the faces of a cube that it sees.
struct LensWarp: Sendable {
    /// A square or oblong pinhole picture, its axis in its middle.
    struct Face: Sendable {
        /// To the camera's axes from the face's, both x right, y down, z forward.
        var cameraFromFace: Matrix3d
        var width, height: Int
    }

    let faces: [Face]
    /// Pixels of a face, of the picture's middle at least one to one.
    let focal: Double
    /// For every pixel of the camera, rows from the top: which face, or -1 where the lens sees nothing.
    let face: [Int8]
    /// And where in it, its first pixel's centre at 0.
    let place: [SIMD2<Float>]

    private static let widest = 1.45

    init(_ camera: CameraIntrinsics) {
        let directions = Self.directions(camera)
        var reach = Vector2d(0, 0)
        var isWide = false
        for direction in directions {
            guard let direction else { continue }
            let slope = Vector2d(abs(direction.x), abs(direction.y)) / max(direction.z, 1e-6)
            reach = pointwiseMax(reach, slope)
            isWide = isWide || slope.max() > Self.widest
        }
        let focal = max(camera.focal.x, camera.focal.y)
        let all = isWide ? Self.cube(focal) : [Self.single(focal, reach)]
        self.focal = focal
        var (face, place) = ([Int8](repeating: -1, count: directions.count), [SIMD2<Float>](repeating: .zero, count: directions.count))
        var isUsed = [Bool](repeating: false, count: all.count)
        for (index, direction) in directions.enumerated() {
            guard let direction, let found = Self.find(direction, in: all, focal) else { continue }
            (face[index], place[index]) = (Int8(found.face), found.place)
            isUsed[found.face] = true
        }
        // Faces that no pixel asks for aren't drawn.
        var number = -1
        let numbers = isUsed.map { used -> Int8 in
            if used { number += 1 }
            return used ? Int8(number) : -1
        }
        faces = zip(all, isUsed).filter(\.1).map(\.0)
        self.face = face.map { $0 < 0 ? -1 : numbers[Int($0)] }
        self.place = place
    }

    /// Of each pixel's centre, at z = 1; nil where the lens's formula has no direction for it.
    private static func directions(_ camera: CameraIntrinsics) -> [Vector3d?] {
        Parallel().map(camera.height) { row in
            (0..<camera.width).map { column -> Vector3d? in
                let pixel = Vector2d(Double(column) + 0.5, Double(row) + 0.5)
                let normalized = camera.normalized(pixel)
                let direction = Vector3d(normalized.x, normalized.y, 1)
                return lengthSquared(camera.project(direction) - pixel) < 1e-4 ? direction : nil
            }
        }.flatMap { $0 }
    }

    private static func single(_ focal: Double, _ reach: Vector2d) -> Face {
        // A margin of two pixels, for what lies between.
        let size = reach * (2 * focal) + 4
        return Face(cameraFromFace: .identity, width: Int(size.x.rounded(.up)), height: Int(size.y.rounded(.up)))
    }

    /// Ahead, right, left, down, up.
    private static func cube(_ focal: Double) -> [Face] {
        let size = Int((2 * focal).rounded(.up)) + 6
        let quarter = Double.pi / 2
        let turns = [
            Vector3d.zero, Vector3d(0, quarter, 0), Vector3d(0, -quarter, 0), Vector3d(-quarter, 0, 0), Vector3d(quarter, 0, 0),
        ]
        return turns.map { Face(cameraFromFace: .rotation($0), width: size, height: size) }
    }

    private static func find(_ direction: Vector3d, in faces: [Face], _ focal: Double) -> (face: Int, place: SIMD2<Float>)? {
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
