import VitrineMath
import VitrineVision

/// How far one photo's pixels are, with the surface's direction there: what `DepthEstimator` makes of a photo and its neighbours.
///
/// The map is of the size in `camera.intrinsics`: usually smaller than the photo.
package struct DepthMap: Equatable, Sendable {
    /// `PhotoView.photo` of the reference photo.
    package let photo: Int
    /// The photo's camera, its intrinsics resized to the map.
    package let camera: PosedCamera
    /// z in the camera's frame (the world's unit) at the centre of each pixel, rows from the top. 0 where unknown.
    package var depths: [Float]
    /// The surface's outward direction in the camera's frame (x right, y down, z forward: those that face the camera have z < 0), packed by
    /// `packNormal`. Meaningless where the depth is 0.
    package var normals: [UInt32]
    /// 0…255: how well the photos agree. 0 where the depth is 0.
    package var confidences: [UInt8]

    package var width: Int { camera.intrinsics.width }
    package var height: Int { camera.intrinsics.height }

    /// A map in which nothing is known.
    package init(photo: Int, camera: PosedCamera) {
        (self.photo, self.camera) = (photo, camera)
        let count = camera.intrinsics.width * camera.intrinsics.height
        depths = Array(repeating: 0, count: count)
        normals = Array(repeating: 0, count: count)
        confidences = Array(repeating: 0, count: count)
    }

    /// The unit normal at a pixel, in the camera's frame.
    package func normalInCamera(_ index: Int) -> Vector3 { DepthMap.unpackNormal(normals[index]) }

    /// The surface point at the centre of a pixel, in the world. Meaningless where the depth is 0.
    package func pointInWorld(x: Int, y: Int) -> Vector3d {
        let intrinsics = camera.intrinsics
        let depth = Double(depths[y * width + x])
        let ray = (Vector2d(Double(x) + 0.5, Double(y) + 0.5) - intrinsics.center) / intrinsics.focal
        return camera.cameraFromWorld.inverse * Vector3d(ray.x * depth, ray.y * depth, depth)
    }

    /// The share of pixels that have a depth.
    package var coverage: Double {
        depths.isEmpty ? 0 : Double(depths.reduce(into: 0) { $0 += $1 > 0 ? 1 : 0 }) / Double(depths.count)
    }

    /// A unit vector in 32 bits: the octahedral map (Cigolle et al. 2014), 16 bits an axis; the error stays under 0.01°.
    package static func packNormal(_ normal: Vector3) -> UInt32 {
        let sum = abs(normal.x) + abs(normal.y) + abs(normal.z)
        guard sum > 0, sum.isFinite else { return 0 }
        var (u, v) = (normal.x / sum, normal.y / sum)
        if normal.z < 0 {
            (u, v) = ((1 - abs(v)) * (u < 0 ? -1 : 1), (1 - abs(u)) * (v < 0 ? -1 : 1))
        }
        let (a, b) = (Int32((u * 32767).rounded()), Int32((v * 32767).rounded()))
        return UInt32(a + 32768) | UInt32(b + 32768) << 16
    }

    /// The unit vector that `packNormal` packed.
    package static func unpackNormal(_ packed: UInt32) -> Vector3 {
        let u = Float(Int32(packed & 0xFFFF) - 32768) * (1 / 32767)
        let v = Float(Int32(packed >> 16) - 32768) * (1 / 32767)
        let z = 1 - abs(u) - abs(v)
        let folded = max(-z, 0)
        return normalize(Vector3(u < 0 ? u + folded : u - folded, v < 0 ? v + folded : v - folded, z))
    }
}

extension DepthMap {
    /// "VDM1", then little-endian: photo, width, height (UInt32 each); focal, centre, rotation by rows, translation (16 Doubles); the lengths
    /// of the runs of pixels, by turns without and with a depth (UInt32 each, the first may be 0, their sum is the number of pixels); the depths,
    /// the normals and the confidences of the pixels that have one.
    private static let magic: [UInt8] = Array("VDM1".utf8)
    /// So that a damaged header can't ask for more memory than a photo takes.
    private static let largestSide = 1 << 15

    /// The map as bytes, without loss; equal maps give equal bytes.
    package func serialized() -> [UInt8] {
        var bytes = DepthMap.magic
        let known = depths.reduce(into: 0) { $0 += $1 > 0 ? 1 : 0 }
        bytes.reserveCapacity(200 + known * 10)
        func append<T>(_ value: T) { withUnsafeBytes(of: value) { bytes.append(contentsOf: $0) } }
        for number in [photo, width, height] { append(UInt32(number).littleEndian) }
        for number in numbers { append(number.bitPattern.littleEndian) }
        let runs = self.runs
        append(UInt32(runs.count).littleEndian)
        for run in runs { append(UInt32(run).littleEndian) }
        for depth in depths where depth > 0 { append(depth.bitPattern.littleEndian) }
        for (depth, normal) in zip(depths, normals) where depth > 0 { append(normal.littleEndian) }
        for (depth, confidence) in zip(depths, confidences) where depth > 0 { bytes.append(confidence) }
        return bytes
    }

    /// - Throws: `DenseError.malformedMap`.
    package init(serialized bytes: [UInt8]) throws(DenseError) {
        var reader = Reader(bytes: bytes)
        for expected in DepthMap.magic where try reader.byte() != expected { throw .malformedMap("not a depth map") }
        let photo = Int(try reader.word())
        let (width, height) = (Int(try reader.word()), Int(try reader.word()))
        guard width > 0, height > 0, width <= DepthMap.largestSide, height <= DepthMap.largestSide else {
            throw .malformedMap("\(width) × \(height) pixels")
        }
        var numbers: [Double] = []
        for _ in 0..<16 { numbers.append(Double(bitPattern: try reader.long())) }
        guard numbers.allSatisfy(\.isFinite) else { throw .malformedMap("a camera that is not finite") }
        let count = width * height
        let runs = try reader.runs(of: count)
        let known = runs.enumerated().reduce(0) { $0 + ($1.offset % 2 == 1 ? $1.element : 0) }
        guard reader.left == known * 9 else { throw .malformedMap("\(reader.left) bytes for \(known) pixels") }

        self.init(photo: photo, camera: DepthMap.camera(numbers, width: width, height: height))
        let known4 = known * 4
        var (pixel, place) = (0, 0)
        for (index, run) in runs.enumerated() {
            if index % 2 == 1 {
                for target in pixel..<pixel + run {
                    depths[target] = Float(bitPattern: reader.wordAhead(place * 4))
                    guard depths[target] > 0, depths[target].isFinite else { throw .malformedMap("a depth that is not positive") }
                    normals[target] = reader.wordAhead(known4 + place * 4)
                    confidences[target] = reader.byteAhead(known4 * 2 + place)
                    place += 1
                }
            }
            pixel += run
        }
    }

    private var numbers: [Double] {
        let (intrinsics, pose) = (camera.intrinsics, camera.cameraFromWorld)
        let rows = pose.rotation.transpose
        return [
            intrinsics.focal.x, intrinsics.focal.y, intrinsics.center.x, intrinsics.center.y,
            rows.x.x, rows.x.y, rows.x.z, rows.y.x, rows.y.y, rows.y.z, rows.z.x, rows.z.y, rows.z.z,
            pose.translation.x, pose.translation.y, pose.translation.z,
        ]
    }

    private static func camera(_ n: [Double], width: Int, height: Int) -> PosedCamera {
        PosedCamera(
            intrinsics: CameraIntrinsics(width: width, height: height, focal: Vector2d(n[0], n[1]), center: Vector2d(n[2], n[3])),
            cameraFromWorld: RigidTransform(
                rotation: Matrix3d(rows: Vector3d(n[4], n[5], n[6]), Vector3d(n[7], n[8], n[9]), Vector3d(n[10], n[11], n[12])),
                translation: Vector3d(n[13], n[14], n[15])))
    }

    /// The lengths of runs of pixels by turns without and with a depth.
    private var runs: [Int] {
        var (runs, length, known): ([Int], Int, Bool) = ([], 0, false)
        for depth in depths {
            if (depth > 0) != known {
                runs.append(length)
                (length, known) = (0, !known)
            }
            length += 1
        }
        return runs + [length]
    }
}

/// Bytes read from the start; reading past the end throws.
private struct Reader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var left: Int { bytes.count - place }

    mutating func byte() throws(DenseError) -> UInt8 {
        guard left >= 1 else { throw .malformedMap("it is cut off") }
        place += 1
        return bytes[place - 1]
    }

    mutating func word() throws(DenseError) -> UInt32 {
        guard left >= 4 else { throw .malformedMap("it is cut off") }
        place += 4
        return wordAhead(-4)
    }

    mutating func long() throws(DenseError) -> UInt64 { UInt64(try word()) | UInt64(try word()) << 32 }

    mutating func runs(of pixels: Int) throws(DenseError) -> [Int] {
        let count = Int(try word())
        guard count * 4 <= left else { throw .malformedMap("it is cut off") }
        var (runs, total): ([Int], Int) = ([], 0)
        for _ in 0..<count {
            runs.append(Int(try word()))
            total += runs[runs.count - 1]
        }
        guard total == pixels else { throw .malformedMap("\(total) pixels in place of \(pixels)") }
        return runs
    }

    /// - Precondition: within the bytes.
    func byteAhead(_ offset: Int) -> UInt8 { bytes[place + offset] }

    func wordAhead(_ offset: Int) -> UInt32 {
        var result: UInt32 = 0
        for index in 0..<4 { result |= UInt32(bytes[place + offset + index]) << UInt32(8 * index) }
        return result
    }
}
