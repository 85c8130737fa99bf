import Testing
import VitrineMath
import VitrineTestSupport
import VitrineVision

@testable import VitrineReconstruct

/// Sparse points as an alignment gives them, sampled from the ground truth, in a frame with any origin, rotation and unit.
private struct SparseScene {
    var evidence: ObjectEvidence
    let reconstructionFromTruth: SimilarityTransform
    let capture: SyntheticCapture

    /// - Parameters:
    ///   - roll: The rotation of all cameras about their optical axes, in quarter turns.
    ///   - noise: The standard deviation of the points, metres.
    init(_ capture: SyntheticCapture, table: Bool = true, roll: Int = 0, noise: Double = 0.0006, seed: UInt64 = 5) {
        var random = SplitMix64(seed: seed)
        let move = SimilarityTransform(
            scale: 7.3, rotation: .rotation(Vector3d(random.signed(), random.signed(), random.signed()) * 2),
            translation: Vector3d(3, -8, 11))
        (reconstructionFromTruth, self.capture) = (move, capture)
        let turn = RigidTransform(rotation: .rotation(Vector3d(0, 0, Double(roll) * .pi / 2)), translation: .zero)
        let photos = capture.cameras.map { camera in
            ObjectEvidence.Photo(
                camera: PosedCamera(intrinsics: camera.intrinsics, cameraFromWorld: turn * move.moved(camera.cameraFromWorld)))
        }
        func scattered(_ point: Vector3) -> Vector3d {
            Vector3d(point) + Vector3d(random.normal(), random.normal(), random.normal()) * noise
        }
        var points = stride(from: 0, to: capture.object.positions.count, by: 9).map { scattered(capture.object.positions[$0]) }
        if table { points += stride(from: 0, to: capture.table.positions.count, by: 7).map { scattered(capture.table.positions[$0]) } }
        // Only observed surfaces have points: not the object's base, nor the side that a photo doesn't show.
        var seen = points.map { point in capture.cameras.indices.filter { capture.shows(point, in: $0) } }
        let kept = points.indices.filter { seen[$0].count >= 2 }
        (points, seen) = (kept.map { points[$0] }, kept.map { seen[$0] })
        // Wrong matches give points anywhere.
        let wrong = (0..<60).map { _ in Vector3d(random.signed(), random.signed() + 0.4, random.signed()) * 0.8 }
        points += wrong
        let views = seen + wrong.map { point in capture.cameras.indices.filter { capture.cameras[$0].pixelInside(of: point) != nil } }
        evidence = ObjectEvidence(photos: photos, points: points.map { move * $0 }, views: views)
    }

    var trueUp: Vector3d { reconstructionFromTruth.rotation * Vector3d(0, 1, 0) }
    var trueBounds: (low: Vector3d, high: Vector3d) {
        let all = capture.object.positions.map { Vector3d($0) }
        return (all.reduce(all[0]) { pointwiseMin($0, $1) }, all.reduce(all[0]) { pointwiseMax($0, $1) })
    }

    /// The extent of the box's corners in the frame of the ground truth.
    func boxInTruth(_ placement: ObjectPlacement) -> (low: Vector3d, high: Vector3d) {
        let corners = placement.box.corners.map { reconstructionFromTruth.inverse * $0 }
        return (corners.reduce(corners[0]) { pointwiseMin($0, $1) }, corners.reduce(corners[0]) { pointwiseMax($0, $1) })
    }
}

extension PosedCamera {
    /// The projection of a point; nil outside the image.
    fileprivate func pixelInside(of point: Vector3d) -> Vector2d? {
        let pixel = project(point)
        guard (cameraFromWorld * point).z > 0, pixel.x > 0, pixel.y > 0 else { return nil }
        return pixel.x < Double(intrinsics.width) && pixel.y < Double(intrinsics.height) ? pixel : nil
    }
}

extension SyntheticCapture {
    /// Whether a surface point is visible in a photo.
    fileprivate func shows(_ point: Vector3d, in photo: Int) -> Bool {
        guard let pixel = cameras[photo].pixelInside(of: point) else { return false }
        let depth = Double(depths[photo][Int(pixel.x), Int(pixel.y)])
        // Tolerates the points' noise, and the depth range of an inclined surface within a pixel.
        return depth > 0 && (cameras[photo].cameraFromWorld * point).z < depth + 0.006
    }
}

/// A wall at z = 0 with a knob on it, and a floor in front of it, photographed from +z.
private struct WallScene {
    let evidence: ObjectEvidence

    init(floor: Bool) {
        var random = SplitMix64(seed: 11)
        var points = (0..<1500).map { _ in Vector3d(2 * random.signed(), 0.4 + random.signed(), 0.002 * random.normal()) }
        for _ in 0..<700 {
            let direction = normalize(Vector3d(random.signed(), random.signed(), abs(random.signed()) + 0.01))
            points.append(direction * 0.3)
        }
        if floor {
            points += (0..<500).map { _ in Vector3d(2 * random.signed(), -0.6 + 0.002 * random.normal(), 1.5 * abs(random.signed())) }
        }
        let lens = CameraIntrinsics(width: 800, height: 600, focal: Vector2d(800, 800), center: Vector2d(400, 300))
        let photos = (0..<9).map { number -> ObjectEvidence.Photo in
            let angle = Double(number - 4) * 0.2
            let eye = Vector3d(2.5 * sin(angle), 0.2 * cos(3 * angle), 2.5 * cos(angle))
            let forward = normalize(-eye)
            let right = normalize(cross(forward, Vector3d(0, 1, 0)))
            let rotation = Matrix3d(rows: right, cross(forward, right), forward)
            return ObjectEvidence.Photo(
                camera: PosedCamera(intrinsics: lens, cameraFromWorld: RigidTransform(rotation: rotation, translation: -(rotation * eye))))
        }
        let views = points.map { point in photos.indices.filter { photos[$0].camera.pixelInside(of: point) != nil } }
        evidence = ObjectEvidence(photos: photos, points: points, views: views)
    }
}

private func degrees(_ a: Vector3d, _ b: Vector3d) -> Double { atan2(length(cross(a, b)), dot(a, b)) * 180 / .pi }

@Suite struct ObjectFinderTests {
    @Test func supportPlaneIsTheTable() throws {
        let scene = SparseScene(.small)
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.upSource == .supportPlane)
        #expect(degrees(placement.up, scene.trueUp) < 0.3)
        let plane = try #require(placement.supportPlane)
        let ground = scene.reconstructionFromTruth * Vector3d(0, 0, 0)
        #expect(abs(plane.signedDistance(to: ground)) < 0.001 * scene.reconstructionFromTruth.scale)
    }

    @Test func boxFitsTheObject() throws {
        let scene = SparseScene(.small)
        let placement = try ObjectFinder().find(scene.evidence)
        for vertex in scene.capture.object.positions {
            // The base is on the plane: the box starts there.
            #expect(placement.box.contains(scene.reconstructionFromTruth * (Vector3d(vertex) + Vector3d(0, 0.001, 0))))
        }
        let (low, high) = scene.trueBounds
        let truth = (high - low) * scene.reconstructionFromTruth.scale
        let size = placement.box.size
        #expect(abs(size.y / truth.y - 1) < 0.1)
        // The box may have another yaw.
        #expect(size.x * size.z < 1.35 * truth.x * truth.z)
        #expect(placement.confidence > 0.5)
    }

    @Test func publicFrameOriginIsOnTheSupportPlane() throws {
        let scene = SparseScene(.small)
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.scaleSource == .unitSize)
        let publicBox = placement.box.moved(by: placement.publicFromReconstruction)
        #expect(abs(publicBox.longestSide - 1) < 1e-9)
        let heights = publicBox.corners.map(\.y)
        #expect(abs((heights.min() ?? 9)) < 1e-9)
        #expect(abs(publicBox.center.x) < 1e-9 && abs(publicBox.center.z) < 1e-9)
        #expect(abs(placement.publicFromReconstruction.rotation.determinant - 1) < 1e-9)
        #expect(degrees(placement.publicFromReconstruction.rotation * placement.up, Vector3d(0, 1, 0)) < 1e-6)
        // The first photo shows the front.
        let eye = placement.publicFromReconstruction * scene.evidence.photos[0].camera.centerInWorld
        #expect(eye.z > abs(eye.x) * 0.99)
    }

    @Test func knownScaleIsUsed() throws {
        let scene = SparseScene(.small)
        var finder = ObjectFinder()
        finder.options.scale = (1 / 7.3, .given)
        let placement = try finder.find(scene.evidence)
        #expect(placement.scaleSource == .given)
        let (low, high) = scene.trueBounds
        #expect(abs(placement.box.size.y * placement.publicFromReconstruction.scale / (high.y - low.y) - 1) < 0.1)
    }

    @Test func sidewaysPhotosGiveAWarning() throws {
        for roll in [1, 3] {
            let placement = try ObjectFinder().find(SparseScene(.small, roll: roll).evidence)
            #expect(degrees(placement.up, SparseScene(.small, roll: roll).trueUp) < 0.3)
        }
    }

    @Test func orientationDeterminesUp() throws {
        // The up direction by EXIF: a camera rotated by 90° about its optical axis.
        for (roll, orientation) in [(0, 1), (1, 8), (2, 3), (3, 6)] {
            var scene = SparseScene(SyntheticCapture.small, table: false, roll: roll)
            for index in scene.evidence.photos.indices { scene.evidence.photos[index].orientation = orientation }
            let up = UpFinder().find(scene.evidence.photos, focus: nil)
            #expect(!up.isSideways)
            #expect(degrees(up.up, scene.trueUp) < 3, "orientation \(orientation)")
        }
    }

    @Test func gravityHasPrecedence() throws {
        // Without a table, and with sideways photos.
        var scene = SparseScene(.small, table: false, roll: 1)
        let up = scene.trueUp
        for index in scene.evidence.photos.indices {
            scene.evidence.photos[index].upInCamera = scene.evidence.photos[index].camera.cameraFromWorld.rotation * up * 9.81
        }
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.upSource == .gravity)
        #expect(degrees(placement.up, up) < 1e-4)
    }

    @Test func withoutSupportPlaneTheObjectIsAtTheFocus() throws {
        let scene = SparseScene(.small, table: false)
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.supportPlane == nil)
        #expect(placement.warnings.contains { $0.contains("No support plane") })
        let (low, high) = scene.boxInTruth(placement)
        let truth = scene.trueBounds
        #expect((low - truth.low).max() < 0.01 && (truth.high - high).max() < 0.01)
        #expect((high - low).max() < 0.34)
    }

    @Test func flatObjectKeepsItsSupportPlane() throws {
        var scene = SparseScene(.small)
        // Without the object: a print on the table.
        let truth = scene.reconstructionFromTruth.inverse
        let kept = scene.evidence.points.indices.filter { abs((truth * scene.evidence.points[$0]).y) < 0.003 }
        scene.evidence = ObjectEvidence(
            photos: scene.evidence.photos, points: kept.map { scene.evidence.points[$0] }, views: kept.map { _ in [0, 1, 2] })
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.supportPlane == nil)
        #expect(degrees(placement.up, scene.trueUp) < 0.3)
        #expect(placement.box.contains(scene.reconstructionFromTruth * Vector3d(0.05, 0, 0.05)))
    }

    /// A knob on a wall, or on a wall over a floor, photographed from one side: the model keeps a part of the wall, to its full depth.
    @Test(arguments: [false, true])
    func objectOnAWallKeepsTheWall(_ floor: Bool) throws {
        let evidence = WallScene(floor: floor).evidence
        let placement = try ObjectFinder().find(evidence)
        #expect(placement.subject == .view && placement.isSeenFromOneSide)
        #expect(placement.supportPlane == nil)
        #expect(degrees(placement.up, Vector3d(0, 1, 0)) < 2)
        let box = placement.box
        #expect(box.contains(Vector3d(0, 0, 0.3)) && box.contains(Vector3d(0.5, 0.3, 0)) && box.contains(Vector3d(-0.5, 0.3, 0)))
        // The wall does not touch the back of the box.
        #expect(box.contains(Vector3d(0, 0, -0.04)))
        // Its front faces the cameras.
        #expect(degrees(placement.publicFromReconstruction.rotation * Vector3d(0, 0, 1), Vector3d(0, 0, 1)) < 3)
        #expect(placement.warnings.contains { $0.contains("free-standing") })
    }

    /// Photos from one side don't make a wall: an object on a table is free-standing.
    @Test func oneSidedCaptureOfATableHasASupportPlane() throws {
        var scene = SparseScene(.small)
        let photos = scene.evidence.photos
        let focus = scene.reconstructionFromTruth * Vector3d(0, 0.1, 0)
        func level(_ photo: ObjectEvidence.Photo) -> Vector3d {
            let apart = photo.camera.centerInWorld - focus
            return normalize(apart - scene.trueUp * dot(apart, scene.trueUp))
        }
        let kept = photos.indices.filter { dot(level(photos[$0]), level(photos[0])) > 0.6 }
        let views = scene.evidence.points.indices.map { point in
            scene.evidence.viewIndices[scene.evidence.viewOffsets[point]..<scene.evidence.viewOffsets[point + 1]].compactMap {
                kept.firstIndex(of: $0)
            }
        }
        let seen = views.indices.filter { views[$0].count >= 2 }
        scene.evidence = ObjectEvidence(
            photos: kept.map { photos[$0] }, points: seen.map { scene.evidence.points[$0] }, views: seen.map { views[$0] })
        #expect(kept.count >= 3)
        let placement = try ObjectFinder().find(scene.evidence)
        #expect(placement.subject == .object)
        #expect(placement.supportPlane != nil)
        // +Z, the front, is the side of the box that faces the cameras, independent of their order.
        for first in kept.indices {
            var turned = scene.evidence
            turned.photos.swapAt(0, first)
            turned.viewIndices = turned.viewIndices.map { $0 == 0 ? first : $0 == first ? 0 : $0 }
            let found = try ObjectFinder().find(turned)
            let rotation = found.publicFromReconstruction.rotation
            let mean = turned.photos.map { rotation * level($0) }.reduce(.zero, +)
            #expect(mean.z > abs(mean.x) * 0.99, "first photo \(first): cameras at \(mean)")
        }
    }

    @Test func wholeSceneIsKeptOnRequest() throws {
        let scene = SparseScene(.small)
        var finder = ObjectFinder()
        finder.options.keepsEverything = true
        let placement = try finder.find(scene.evidence)
        #expect(placement.box.size.max() / scene.reconstructionFromTruth.scale > 1.2)
        // The box is not cut at the table.
        #expect(placement.supportPlane == nil)
        #expect(degrees(placement.up, scene.trueUp) < 0.3)
    }

    @Test func degenerateScenesGiveErrorsOrResults() throws {
        let scene = SparseScene(.small)
        #expect(throws: ObjectFinder.Failure.noCameras) {
            try ObjectFinder().find(ObjectEvidence(photos: [], points: scene.evidence.points, views: scene.evidence.points.map { _ in [] }))
        }
        #expect(throws: ObjectFinder.Failure.tooFewPoints(0)) {
            try ObjectFinder().find(ObjectEvidence(photos: scene.evidence.photos, points: [], views: []))
        }
        let nan = [Vector3d](repeating: Vector3d(.nan, 0, 0), count: 50)
        #expect(throws: ObjectFinder.Failure.tooFewPoints(0)) {
            try ObjectFinder().find(ObjectEvidence(photos: scene.evidence.photos, points: nan, views: nan.map { _ in [] }))
        }
        // All points at one position, all cameras at another.
        let one = [Vector3d](repeating: scene.reconstructionFromTruth * Vector3d(0, 0.1, 0), count: 50)
        let same = Array(repeating: scene.evidence.photos[0], count: 4)
        let placement = try ObjectFinder().find(ObjectEvidence(photos: same, points: one, views: one.map { _ in [0] }))
        #expect(placement.box.longestSide.isFinite && placement.box.longestSide > 0)
        #expect(placement.publicFromReconstruction.scale.isFinite)
    }
}

@Suite struct DepthScaleTests {
    @Test func depthMapsDetermineTheUnit() throws {
        let scene = SparseScene(.small)
        let scale = try #require(DepthScale.estimate(scene.evidence) { scene.capture.depths[$0] })
        #expect(abs(scale.metresPerUnit * 7.3 - 1) < 0.005)
        #expect(scale.residual < 0.01)
        #expect(scale.photos == scene.evidence.photos.count)
    }

    @Test func scaleIsRobustAgainstAThirdOfWrongPhotos() throws {
        let scene = SparseScene(.small)
        let scale = try #require(
            DepthScale.estimate(scene.evidence) { photo in
                var depths = scene.capture.depths[photo]
                if photo % 3 == 0 { depths.values = depths.values.map { $0 * 1000 } }
                return depths
            })
        #expect(abs(scale.metresPerUnit * 7.3 - 1) < 0.005)
    }

    @Test func scaleIsNilWithoutDepth() {
        let scene = SparseScene(.small)
        #expect(DepthScale.estimate(scene.evidence) { _ in nil } == nil)
        #expect(DepthScale.estimate(scene.evidence) { _ in Plane(width: 4, height: 4, repeating: 0) } == nil)
    }
}

@Suite struct RefinedBoxTests {
    /// The vertices of the object and the table as fused points.
    private func points(_ capture: SyntheticCapture, extra: [Vector3] = []) -> OrientedPoints {
        var points = OrientedPoints()
        points.positions = capture.object.positions + capture.table.positions.filter { abs($0.x) < 0.3 && abs($0.z) < 0.3 } + extra
        return points
    }

    @Test func boxThatCutsTheObjectGrows() {
        let capture = SyntheticCapture.small
        // Cuts off 4 cm at the top and 1 cm at two sides, which is within the search range of 1.6 times the box.
        let small = OrientedBox(center: Vector3d(0, 0.085, 0), axes: .identity, halfExtents: Vector3d(0.075, 0.085, 0.08))
        let box = small.refined(by: points(capture), supportPlane: Plane3<Float>(normal: .up, offset: 0))
        #expect(capture.object.positions.allSatisfy { $0.y < 0.001 || box.contains(Vector3d($0)) })
        #expect(box.size.max() < 0.26)
        #expect(abs(box.center.y - box.halfExtents.y) < 1e-9)
    }

    @Test func boxThatIsTooLargeShrinks() {
        let capture = SyntheticCapture.small
        let large = OrientedBox(center: Vector3d(0, 0.2, 0), axes: .identity, halfExtents: Vector3d(0.3, 0.2, 0.3))
        // A cup beside it, mostly outside the box.
        let cup = capture.object.positions.map { $0 * 0.6 + Vector3(0.4, 0, 0) }
        let box = large.refined(by: points(capture, extra: cup), supportPlane: Plane3<Float>(normal: .up, offset: 0))
        #expect(capture.object.positions.allSatisfy { $0.y < 0.001 || box.contains(Vector3d($0)) })
        #expect(box.size.max() < 0.26)
    }

    @Test func boxOfAViewOnlyShrinks() {
        let capture = SyntheticCapture.small
        let cloud = points(capture)
        let (low, high) = cloud.positions.reduce((Vector3d(cloud.positions[0]), Vector3d(cloud.positions[0]))) {
            (pointwiseMin($0.0, Vector3d($1)), pointwiseMax($0.1, Vector3d($1)))
        }
        let wide = OrientedBox(center: (low + high) / 2, axes: .identity, halfExtents: high - low)
        let shrunk = wide.shrunk(to: cloud)
        #expect((shrunk.halfExtents - (high - low) / 2).max() < 0.05 * wide.longestSide)
        #expect((shrunk.halfExtents - (high - low) / 2).min() > -0.01 * wide.longestSide)
        let cutting = OrientedBox(center: (low + high) / 2, axes: .identity, halfExtents: (high - low) * Vector3d(0.2, 1, 1))
        #expect(abs(cutting.shrunk(to: cloud).halfExtents.x - cutting.halfExtents.x) < 1e-9)
    }

    @Test func tooFewPointsKeepTheBox() {
        let box = OrientedBox(center: Vector3d(1, 2, 3), axes: .identity, halfExtents: Vector3d(1, 1, 1))
        #expect(box.refined(by: OrientedPoints(), supportPlane: nil) == box)
        var bad = OrientedPoints()
        bad.positions = Array(repeating: Vector3(.nan, 0, 0), count: 500)
        #expect(box.refined(by: bad, supportPlane: nil) == box)
    }
}
