import VitrineFiles
import VitrineMath
import VitrineVision

extension ByteWriter {
    mutating func write(_ value: Vector3d) { for index in 0..<3 { write(value[index]) } }
    mutating func write(_ value: Vector2d) { for index in 0..<2 { write(value[index]) } }

    mutating func write(_ matrix: Matrix3d) {
        write(matrix.x)
        write(matrix.y)
        write(matrix.z)
    }

    mutating func write(_ transform: RigidTransform) {
        write(transform.rotation)
        write(transform.translation)
    }

    mutating func write(_ intrinsics: CameraIntrinsics) {
        write(intrinsics.width)
        write(intrinsics.height)
        write(intrinsics.focal)
        write(intrinsics.center)
        write(intrinsics.distortion.projection.rawValue)
        for coefficient in intrinsics.distortion.coefficients { write(coefficient) }
    }

    mutating func write(_ camera: PosedCamera) {
        write(camera.intrinsics)
        write(camera.cameraFromWorld)
    }
}

extension ByteReader {
    mutating func vector3() throws(DamagedCheckpoint) -> Vector3d { Vector3d(try double(), try double(), try double()) }
    mutating func vector2() throws(DamagedCheckpoint) -> Vector2d { Vector2d(try double(), try double()) }
    mutating func matrix() throws(DamagedCheckpoint) -> Matrix3d { Matrix3d(try vector3(), try vector3(), try vector3()) }

    mutating func rigidTransform() throws(DamagedCheckpoint) -> RigidTransform {
        RigidTransform(rotation: try matrix(), translation: try vector3())
    }

    mutating func intrinsics() throws(DamagedCheckpoint) -> CameraIntrinsics {
        let (width, height) = (try int(), try int())
        guard (1...1 << 16).contains(width), (1...1 << 16).contains(height) else { throw DamagedCheckpoint() }
        return CameraIntrinsics(width: width, height: height, focal: try vector2(), center: try vector2(), distortion: try distortion())
    }

    private mutating func distortion() throws(DamagedCheckpoint) -> LensDistortion {
        guard let projection = LensDistortion.Projection(rawValue: try int()) else { throw DamagedCheckpoint() }
        var coefficients: [Double] = []
        for _ in projection.coefficientNames { coefficients.append(try double()) }
        return LensDistortion(projection, coefficients: coefficients)
    }

    mutating func camera() throws(DamagedCheckpoint) -> PosedCamera {
        PosedCamera(intrinsics: try intrinsics(), cameraFromWorld: try rigidTransform())
    }
}

extension CameraIntrinsics: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> CameraIntrinsics { try reader.intrinsics() }
}

extension PosedCamera: ByteCodable {
    func write(to writer: inout ByteWriter) { writer.write(self) }
    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> PosedCamera { try reader.camera() }
}

extension CameraGuess: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(intrinsics)
        writer.write(isFocalKnown)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> CameraGuess {
        CameraGuess(intrinsics: try reader.intrinsics(), isFocalKnown: try reader.bool())
    }
}

extension SimilarityTransform: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(scale)
        writer.write(rotation)
        writer.write(translation)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> SimilarityTransform {
        SimilarityTransform(scale: try reader.double(), rotation: try reader.matrix(), translation: try reader.vector3())
    }
}

extension OrientedBox: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(boxFromWorld)
        writer.write(halfExtents)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> OrientedBox {
        OrientedBox(boxFromWorld: try reader.rigidTransform(), halfExtents: try reader.vector3())
    }
}

extension Plane3<Float>: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write([normal])
        writer.write(offset)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Plane3<Float> {
        let normals = try reader.vectors(of: Float.self)
        guard normals.count == 1 else { throw DamagedCheckpoint() }
        return Plane3<Float>(normal: normals[0], offset: try reader.float())
    }
}

extension Plane3<Double> {
    func write(to writer: inout ByteWriter) {
        writer.write(normal)
        writer.write(offset)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Plane3<Double> {
        Plane3<Double>(normal: try reader.vector3(), offset: try reader.double())
    }
}

extension FeatureSet: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(positions)
        writer.write(scales)
        writer.write(orientations)
        writer.write(descriptors)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> FeatureSet {
        let features = FeatureSet(
            positions: try reader.array(of: SIMD2<Float>.self), scales: try reader.array(of: Float.self),
            orientations: try reader.array(of: Float.self), descriptors: try reader.array(of: UInt8.self))
        guard features.descriptors.count == features.count * FeatureSet.descriptorLength else { throw DamagedCheckpoint() }
        return features
    }
}

/// Pairs of photos with their verified matches.
struct StoredPairs: ByteCodable {
    var pairs: [PhotoPair]

    func write(to writer: inout ByteWriter) {
        writer.writeList(pairs) { writer, pair in
            writer.write(pair.first)
            writer.write(pair.second)
            writer.write(pair.matches)
            let geometry = pair.geometry
            writer.write(StoredPairs.kinds.firstIndex(of: geometry.kind) ?? 0)
            writer.write(geometry.fundamental)
            writer.write(geometry.homography) { $0.write($1) }
            writer.write(geometry.homographyInlierShare)
            writer.write(geometry.relativePose) { $0.write($1) }
            writer.write(geometry.medianAngle)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> StoredPairs {
        StoredPairs(
            pairs: try reader.list { (reader) throws(DamagedCheckpoint) in
                let (first, second) = (try reader.int(), try reader.int())
                let matches = try reader.array(of: SIMD2<UInt32>.self)
                let kind = try reader.int()
                guard kinds.indices.contains(kind), first >= 0, first < second else { throw DamagedCheckpoint() }
                let geometry = TwoViewGeometry(
                    kind: kinds[kind], fundamental: try reader.matrix(),
                    homography: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.matrix() },
                    homographyInlierShare: try reader.double(),
                    relativePose: try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.rigidTransform() },
                    medianAngle: try reader.double())
                return PhotoPair(first: first, second: second, matches: matches, geometry: geometry)
            })
    }

    private static let kinds: [TwoViewGeometry.Kind] = [.general, .planar, .rotation]
}

extension SparseModel: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.writeList(cameras) { $0.write($1) { $0.write($1) } }
        writer.writeList(groups) { writer, group in
            writer.write(group.intrinsics)
            writer.write(group.lens.rawValue)
            writer.write(group.focalDeviation)
            writer.write(group.photos)
        }
        writer.writeList(points) { writer, point in
            writer.write(point.position)
            for index in 0..<3 { writer.write(Int(point.color[index])) }
            writer.write(point.observations)
            writer.write(point.error)
        }
        writer.writeList(fits) { writer, fit in
            writer.write(fit.observationCount)
            writer.write(fit.meanError)
            writer.write(fit.medianError)
            writer.write(fit.contradictedShare)
        }
        writer.writeList(leftOut) { writer, photo in
            writer.write(photo.photo)
            writer.write(photo.reason.rawValue)
        }
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> SparseModel {
        let cameras = try reader.list { (reader) throws(DamagedCheckpoint) in
            try reader.optional { (reader) throws(DamagedCheckpoint) in try reader.camera() }
        }
        let groups = try reader.list { (reader) throws(DamagedCheckpoint) -> CameraGroup in
            let intrinsics = try reader.intrinsics()
            guard let lens = LensModel(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
            return CameraGroup(
                intrinsics: intrinsics, lens: lens, focalDeviation: try reader.double(), photos: try reader.array(of: Int.self))
        }
        let points = try reader.list { (reader) throws(DamagedCheckpoint) -> SparsePoint in
            let position = try reader.vector3()
            let color = SIMD3(
                UInt8(truncatingIfNeeded: try reader.int()), UInt8(truncatingIfNeeded: try reader.int()),
                UInt8(truncatingIfNeeded: try reader.int()))
            return SparsePoint(
                position: position, color: color, observations: try reader.array(of: SIMD2<UInt32>.self), error: try reader.float())
        }
        let fits = try reader.list { (reader) throws(DamagedCheckpoint) in
            PhotoFit(
                observationCount: try reader.int(), meanError: try reader.double(), medianError: try reader.double(),
                contradictedShare: try reader.double())
        }
        let leftOut = try reader.list { (reader) throws(DamagedCheckpoint) -> LeftOutPhoto in
            let photo = try reader.int()
            guard let reason = LeftOutPhoto.Reason(rawValue: try reader.text()) else { throw DamagedCheckpoint() }
            return LeftOutPhoto(photo: photo, reason: reason)
        }
        guard fits.count == cameras.count else { throw DamagedCheckpoint() }
        let isWhole = points.allSatisfy { point in point.observations.allSatisfy { Int($0.x) < cameras.count } }
        guard isWhole, leftOut.allSatisfy({ cameras.indices.contains($0.photo) }) else { throw DamagedCheckpoint() }
        return SparseModel(cameras: cameras, groups: groups, points: points, fits: fits, leftOut: leftOut)
    }
}
