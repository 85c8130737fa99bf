import Testing
import VitrineMath
import VitrineVision

@testable import VitrineReconstruct

/// Maps of an object on a table that moved between the photos.
@Suite struct ObjectMotionTests {
    private static let photos = 12
    private static let object = ObjectPlacement(
        up: Vector3d(0, 1, 0), upSource: .supportPlane, supportPlane: Plane3(normal: Vector3d(0, 1, 0), through: .zero),
        box: OrientedBox(center: Vector3d(0, 0.1, 0), axes: .identity, halfExtents: Vector3d(0.06, 0.1, 0.06)),
        publicFromReconstruction: SimilarityTransform(scale: 1, rotation: .identity, translation: .zero), scaleSource: .unitSize,
        confidence: 1,
        warnings: [])

    /// A map of a table and an object: each point is observed by the photos within a distance of three.
    ///
    /// - Parameters:
    ///   - motion: The motion of the object after half of the photos; points that were observed before and after occur twice.
    ///   - linked: The share of the points in two positions that a match connects.
    private static func map(_ motion: RigidTransform?, linked: Double = 0.3) -> (model: SparseModel, pairs: [PhotoPair]) {
        var random = SplitMix64(seed: 5)
        func number(_ low: Double, _ high: Double) -> Double { low + (high - low) * Double(random.next() >> 11) * 0x1p-53 }
        var points: [SparsePoint] = []
        var matches: [SIMD2<UInt32>] = []
        var feature: UInt32 = 0
        func add(_ position: Vector3d, _ range: Range<Int>) {
            points.append(SparsePoint(position: position, observations: range.map { SIMD2(UInt32($0), feature) }))
            feature += 1
        }
        for index in 0..<3000 {
            let middle = index % photos
            let range = max(0, middle - 3)..<min(photos, middle + 4)
            if index % 2 == 0 {
                add(Vector3d(number(-0.4, 0.4), number(-0.001, 0.001), number(-0.4, 0.4)), range)
                continue
            }
            let position = Vector3d(number(-0.05, 0.05), number(0.02, 0.19), number(-0.05, 0.05))
            let half = photos / 2
            guard let motion, range.upperBound > half else {
                add(position, range)
                continue
            }
            if range.lowerBound + 2 > half {
                add(motion * position, range)
            } else {
                if number(0, 1) < linked, range.contains(half - 1) { matches.append(SIMD2(feature, feature + 1)) }
                add(position, range.lowerBound..<half)
                add(motion * position, half..<range.upperBound)
            }
        }
        let camera = PosedCamera(
            intrinsics: CameraIntrinsics(width: 640, height: 480, verticalFieldOfView: 0.8), cameraFromWorld: .identity)
        let model = SparseModel(
            cameras: Array(repeating: camera, count: photos), groups: [], points: points, fits: Array(repeating: PhotoFit(), count: photos),
            leftOut: [])
        let geometry = TwoViewGeometry(kind: .general, fundamental: .identity)
        return (model, [PhotoPair(first: photos / 2 - 1, second: photos / 2, matches: matches, geometry: geometry)])
    }

    @Test(arguments: [(shift: 0.005, degrees: 0.0), (0, 4), (0.004, 2)]) func aSmallMotionIsFound(_ given: (shift: Double, degrees: Double))
        throws
    {
        let rotation = Matrix3d.rotation(Vector3d(0, given.degrees * .pi / 180, 0))
        let (model, pairs) = Self.map(RigidTransform(rotation: rotation, translation: Vector3d(given.shift, 0, 0)))
        let motion = try #require(ObjectMotion.find(in: model, pairs: pairs, object: Self.object))
        #expect(motion.before == 5 && motion.after == 6 && motion.support >= 30)
        #expect(abs(motion.rotation * 180 / .pi - given.degrees) < 2 && (0.008...0.06).contains(motion.distance), "\(motion)")
        #expect(motion.warning(names: (0..<12).map { "photo-\($0).jpg" }).contains("between photo-5.jpg and photo-6.jpg"))
    }

    @Test func anObjectAtRestDoesNotMove() {
        let (model, pairs) = Self.map(nil)
        #expect(ObjectMotion.find(in: model, pairs: pairs, object: Self.object) == nil)
        // Points in two positions of which too few are connected.
        let (moved, few) = Self.map(RigidTransform(rotation: .identity, translation: Vector3d(0.005, 0, 0)), linked: 0.02)
        #expect(ObjectMotion.find(in: moved, pairs: few, object: Self.object) == nil)
    }
}
