import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Points of a ball of radius 0.1 on steps, round about the y axis, observed by two rings of cameras.
private struct BaseScene {
    /// A round slab. Metres.
    struct Slab {
        var radius, bottom, top: Double
    }

    private(set) var points: [Vector3d] = []
    private var random = SplitMix64(seed: 3)
    private static let noise = 0.0006

    /// - Parameters:
    ///   - slabs: The base, the lowest first.
    ///   - table: Half the side of a textured table at y = 0; nil: a plain one, which has no points.
    ///   - mat: The radius of a textured mat on a plain table; nil: none.
    init(slabs: [Slab], table: Double? = nil, mat: Double? = nil) {
        let top = slabs.last?.top ?? 0
        for _ in 0..<1200 {
            let direction = normalize(Vector3d(random.normal(), random.normal(), random.normal()))
            if direction.y > -0.7 { add(Vector3d(0, top + 0.1, 0) + direction * 0.1) }
        }
        for (index, slab) in slabs.enumerated() {
            for _ in 0..<500 {
                let angle = 2 * Double.pi * random.uniform()
                let side = Vector3d(sin(angle), 0, cos(angle)) * slab.radius
                add(side + Vector3d(0, slab.bottom + (slab.top - slab.bottom) * random.uniform(), 0))
            }
            let inner = index + 1 < slabs.count ? slabs[index + 1].radius : 0.05
            for _ in 0..<600 { addDisc(from: inner, to: slab.radius, height: slab.top) }
        }
        let outer = slabs.first?.radius ?? 0.05
        if let mat { for _ in 0..<900 { addDisc(from: outer, to: mat, height: 0) } }
        if let table {
            for _ in 0..<1500 {
                let position = Vector3d(random.signed(), 0, random.signed()) * table
                if length(position) > outer { add(position) }
            }
        }
    }

    private mutating func add(_ point: Vector3d) {
        points.append(point + Vector3d(random.normal(), random.normal(), random.normal()) * Self.noise)
    }

    private mutating func addDisc(from inner: Double, to outer: Double, height: Double) {
        let radius = (inner * inner + (outer * outer - inner * inner) * random.uniform()).squareRoot()
        let angle = 2 * Double.pi * random.uniform()
        add(Vector3d(radius * sin(angle), height, radius * cos(angle)))
    }

    /// Two rings of cameras; to an object on a turntable, two cameras at rest.
    private static let cameras = (0..<24).map { index -> PosedCamera in
        let lens = CameraIntrinsics(width: 640, height: 480, focal: Vector2d(640, 640), center: Vector2d(320, 240))
        let (azimuth, elevation) = (2 * Double.pi * Double(index) / 24, index % 2 == 0 ? 0.26 : 0.7)
        let target = Vector3d(0, 0.12, 0)
        let eye = target + Vector3d(sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation)) * 0.7
        let forward = normalize(target - eye)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let rotation = Matrix3d(rows: right, cross(forward, right), forward)
        return PosedCamera(intrinsics: lens, cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * eye)))
    }

    func find(isMasked: Bool = false, backgrounds: [StaticBackground?] = []) throws -> ObjectPlacement {
        let photos = Self.cameras.map { ObjectEvidence.Photo(camera: $0) }
        var finder = ObjectFinder()
        (finder.options.isMasked, finder.options.backgrounds) = (isMasked, backgrounds)
        return try finder.find(ObjectEvidence(photos: photos, points: points, views: points.map { _ in Array(0..<12) }))
    }

    /// The backgrounds of the photos: a gray disc in y = 0 before a dark room. What changes is a smaller disc, by its texture, and the ball.
    ///
    /// - Parameters:
    ///   - disc: The radius of the disc. Metres.
    ///   - changing: The radius within which the disc has texture.
    static func backgrounds(disc: Double, changing: Double) -> [StaticBackground?] {
        cameras.map { camera in
            let (width, height) = (320, 240)
            let eye = camera.centerInWorld
            var random = SplitMix64(seed: 7)
            var images = (0..<8).map { _ in
                ColorPlane(width: width, height: height, values: Array(repeating: 20, count: 3 * width * height))
            }
            for y in 0..<height {
                for x in 0..<width {
                    let pixel = Vector2d(2 * Double(x) + 1, 2 * Double(y) + 1)
                    let inCamera = Vector3d((pixel.x - 320) / 640, (pixel.y - 240) / 640, 1)
                    let ray = normalize(camera.cameraFromWorld.rotation.transpose * inCamera)
                    let nearest = eye + ray * dot(Vector3d(0, 0.1, 0) - eye, ray)
                    let ground = ray.y < 0 ? eye + ray * (-eye.y / ray.y) : Vector3d(9, 0, 9)
                    for image in images.indices {
                        var level = length(ground) < disc ? 120 : 20
                        if length(ground) < changing { level += Int(20 * random.signed()) }
                        if length(nearest - Vector3d(0, 0.1, 0)) < 0.1 { level = 60 + Int(40 * random.signed()) }
                        for channel in 0..<3 { images[image].values[3 * (y * width + x) + channel] = UInt8(level) }
                    }
                }
            }
            return StaticBackground(images)
        }
    }
}

extension SplitMix64 {
    /// 0…1.
    fileprivate mutating func uniform() -> Double { (signed() + 1) / 2 }
}

@Suite struct BaseTests {
    private static let plinth = BaseScene.Slab(radius: 0.09, bottom: 0, top: 0.06)

    @Test func tableIsCutUnderThePlinth() throws {
        let placement = try BaseScene(slabs: [Self.plinth], table: 0.8).find()
        let plane = try #require(placement.supportPlane)
        #expect(abs(plane.offset) < 0.001 && !placement.standsOnBottom)
        #expect(placement.box.contains(Vector3d(0.085, 0.03, 0)) && placement.box.contains(Vector3d(0, 0.25, 0)))
        #expect(!placement.box.contains(Vector3d(0.25, 0.01, 0.25)))
    }

    /// A table with so little texture that the plinth has more points in one level.
    @Test func sparseTableIsFoundBelowThePlinth() throws {
        var scene = BaseScene(slabs: [Self.plinth], table: 0.8)
        var table = 0
        scene.keep { point in
            guard abs(point.y) < 0.003, length(Vector3d(point.x, 0, point.z)) > 0.1 else { return true }
            table += 1
            return table % 12 == 0
        }
        let placement = try scene.find()
        #expect(abs(try #require(placement.supportPlane).offset) < 0.002)
    }

    /// On a plain table, or a turntable, nothing below the plinth has points.
    @Test func plinthOnAPlainTableBelongsToTheObject() throws {
        let placement = try BaseScene(slabs: [Self.plinth]).find()
        #expect(placement.supportPlane == nil && placement.standsOnBottom && placement.observesGround)
        #expect(placement.box.contains(Vector3d(0.085, 0.01, 0)) && placement.box.contains(Vector3d(0, 0.25, 0)))
        #expect(degrees(placement.up, Vector3d(0, 1, 0)) < 0.5)
        #expect(placement.warnings.isEmpty)
    }

    @Test func stepsBelongToTheObject() throws {
        let steps = [(0.14, 0.0), (0.115, 0.03), (0.09, 0.06)].map { BaseScene.Slab(radius: $0.0, bottom: $0.1, top: $0.1 + 0.03) }
        let placement = try BaseScene(slabs: steps).find()
        #expect(placement.supportPlane == nil && placement.standsOnBottom)
        #expect(placement.box.contains(Vector3d(0.13, 0.01, 0)))
        let onTable = try BaseScene(slabs: steps, table: 0.8).find()
        #expect(abs(try #require(onTable.supportPlane).offset) < 0.001)
    }

    /// A mat ends within the photos too, but nothing is observed below it.
    @Test func matIsCutOff() throws {
        let placement = try BaseScene(slabs: [], mat: 0.16).find()
        #expect(abs(try #require(placement.supportPlane).offset) < 0.001)
        #expect(!placement.standsOnBottom)
    }

    /// A stool much wider than the object is a table, although its side is observed.
    @Test func wideStoolIsCutOff() throws {
        let placement = try BaseScene(slabs: [BaseScene.Slab(radius: 0.3, bottom: -0.04, top: 0)]).find()
        #expect(abs(try #require(placement.supportPlane).offset) < 0.001)
    }

    /// Only the textured part of a plain turntable changes between the photos: the object does not stand on a disc of that size.
    @Test func plainTurntableIsCutOff() throws {
        let backgrounds = BaseScene.backgrounds(disc: 0.3, changing: 0.16)
        let placement = try BaseScene(slabs: [], mat: 0.155).find(isMasked: true, backgrounds: backgrounds)
        #expect(abs(try #require(placement.supportPlane).offset) < 0.001)
        #expect(!placement.standsOnBottom && placement.upSource == .turntable)
        #expect(degrees(placement.up, Vector3d(0, 1, 0)) < 1e-6)
    }

    /// The camera's circle about the axis; not from half a dozen neighbouring photos, nor from a hand-held camera.
    @Test func turntableGivesTheUpDirection() throws {
        func arc(_ degrees: Double, wobble: Double = 0) -> [Vector3d] {
            (0..<12).map { index in
                let angle = degrees * Double(index) / 11 * Double.pi / 180
                return Vector3d(sin(angle), 0.3 + wobble * Double(index % 3 - 1), cos(angle))
            }
        }
        let axis = try #require(UpFinder.turntableAxis(arc(120), near: normalize(Vector3d(0.3, 1, 0))))
        #expect(degrees(axis, Vector3d(0, 1, 0)) < 1e-6 && axis.y > 0)
        #expect(UpFinder.turntableAxis(arc(40), near: Vector3d(0, 1, 0)) == nil)
        #expect(UpFinder.turntableAxis(arc(330, wobble: 0.05), near: Vector3d(0, 1, 0)) == nil)
        #expect(UpFinder.turntableAxis(arc(330), near: Vector3d(1, 0, 0)) == nil)
    }

    @Test func textureUpToTheEdgeOfATurntableBelongsToTheObject() throws {
        let backgrounds = BaseScene.backgrounds(disc: 0.16, changing: 0.16)
        let placement = try BaseScene(slabs: [], mat: 0.155).find(isMasked: true, backgrounds: backgrounds)
        #expect(placement.supportPlane == nil && placement.standsOnBottom)
    }

    /// With masks, or a static background, everything belongs to the object, at any width.
    @Test func everythingInMasksIsTheObject() throws {
        let placement = try BaseScene(slabs: [BaseScene.Slab(radius: 0.2, bottom: -0.01, top: 0)]).find(isMasked: true)
        #expect(placement.supportPlane == nil && placement.standsOnBottom && !placement.observesGround)
    }

    /// A plain base has no points; photos from above without other contents imply one.
    @Test func maskedObjectWithoutAPlaneStandsOnItsLowestPoints() throws {
        #expect(try !BaseScene(slabs: []).find().standsOnBottom)
        #expect(try BaseScene(slabs: []).find(isMasked: true).standsOnBottom)
    }

    /// Noise below an upright wall: ever fewer points.
    @Test func surfaceEndsWherePointsBecomeRare() {
        func heights(_ count: Int, _ height: (Double) -> Double) -> [Double] { (0..<count).map { height(Double($0) / Double(count)) } }
        let wall = heights(20_000) { $0 } + heights(100) { -0.03 * $0 * $0 * $0 }
        #expect(abs(OrientedBox.end(of: wall, low: -0.03, high: 1)) < 0.004)
        // A foot that widens is not noise.
        let cone = heights(20_000) { $0.squareRoot() }
        #expect(OrientedBox.end(of: cone, low: 0, high: 1) < 0.05)
        // Nor is a thin stem.
        let stem = heights(200) { 0.1 * $0 } + heights(10_000) { 0.1 + 0.9 * $0 }
        #expect(OrientedBox.end(of: stem, low: 0, high: 1) < 0.004)
    }

    private func degrees(_ a: Vector3d, _ b: Vector3d) -> Double { atan2(length(cross(a, b)), dot(a, b)) * 180 / .pi }
}

extension BaseScene {
    fileprivate mutating func keep(_ isKept: (Vector3d) -> Bool) { points = points.filter(isKept) }
}
