import VitrineAR
import VitrineMath
import VitrineVision

/// Judges whether the object has enough texture to join passes after it was turned over: how much of its visible surface has features that match
/// in the neighbouring shot.
///
/// A match counts if its point, triangulated with the poses of both shots, lies in the box and above the support plane: the table's texture does
/// not move with the object.
struct FlipJudge: Sendable {
    private struct View: Sendable {
        let camera: PosedCamera
        let positions: [Vector2d]
        let descriptors: DescriptorSet
        let projection: PixelRectangle
    }

    private let thresholds: CaptureThresholds
    private let detector: FeatureDetector
    private var last: View?
    /// The share of matching surface in each shot with a neighbour.
    private var shares: [Double] = []
    /// The result; nil before enough shots. Changes only beyond the hysteresis.
    private(set) var isFlippable: Bool?

    /// The longer side of the crops in which features are detected, pixels.
    private static let side = 400
    /// Cells across the box's rectangle; those that show the ellipsoid in the box count as the object's. The rectangle itself is up to twice as large.
    private static let cells = 8
    /// Degrees between two shots that are compared.
    private static let farthest = 30.0

    init(_ thresholds: CaptureThresholds) {
        self.thresholds = thresholds
        var options = FeatureDetector.Options()
        (options.maximumCount, options.doublingSide) = (1_500, 400)
        detector = FeatureDetector(options)
    }

    /// Adds a shot.
    mutating func add(_ frame: ARFrame, _ box: OrientedBox) {
        let camera = frame.camera.posed
        guard let rectangle = BoxProjection(box, camera).rectangle else { return }
        let crop = GrayCrop(frame.capturedImage, in: rectangle, side: Self.side)
        let features = detector.detect(in: crop.plane)
        let view = View(
            camera: camera, positions: features.positions.map { crop.pixel($0) }, descriptors: DescriptorSet(features.descriptors),
            projection: rectangle)
        if let last, let share = share(of: view, last, box) {
            shares.append(share)
            update()
        }
        last = view
    }

    private mutating func update() {
        guard shares.count + 1 >= thresholds.flippableShots else { return }
        let share = quantile(shares, 0.5)
        let limit = thresholds.flippableShare
        switch isFlippable {
        case nil: isFlippable = share >= limit
        case true?: isFlippable = share >= limit * (1 - thresholds.hysteresis)
        case false?: isFlippable = share >= limit * (1 + thresholds.hysteresis)
        }
    }

    /// nil if the views are too far apart, or the box is too small in the image.
    private func share(of view: View, _ other: View, _ box: OrientedBox) -> Double? {
        let (a, b) = (normalize(view.camera.centerInWorld - box.center), normalize(other.camera.centerInWorld - box.center))
        guard dot(a, b) > VitrineMath.cos(Self.farthest * .pi / 180), dot(a, b) < 0.9999 else { return nil }
        // Without the lowest tenth, which may be the table.
        let height = box.halfExtents.y
        let object = OrientedBox(
            center: box.center + box.axes.y * (0.1 * height), axes: box.axes,
            halfExtents: Vector3d(box.halfExtents.x * 1.05, 0.9 * height, box.halfExtents.z * 1.05))
        var found = Set<SIMD2<Int>>()
        let cells = Double(Self.cells)
        let size = Vector2d(Double(view.projection.width), Double(view.projection.height))
        let origin = Vector2d(Double(view.projection.x), Double(view.projection.y))
        for match in view.descriptors.matches(other.descriptors, ratio: 0.8) {
            let (pixel, otherPixel) = (view.positions[match.first], other.positions[match.second])
            var midpoint = RayMidpoint()
            for (camera, pixel) in [(view.camera, pixel), (other.camera, otherPixel)] {
                let direction = normalize(camera.cameraFromWorld.rotation.transpose * camera.intrinsics.direction(pixel))
                midpoint.add(origin: camera.centerInWorld, direction: direction)
            }
            guard let point = midpoint.point(minimumDeterminant: 1e-6), object.contains(point) else { continue }
            let error = length(view.camera.project(point) - pixel)
            guard error < 0.02 * size.max() else { continue }
            let cell = (pixel - origin) / size * cells
            found.insert(SIMD2(Int(cell.x), Int(cell.y)))
        }
        var (inside, matched) = (0, 0)
        for y in 0..<Self.cells {
            for x in 0..<Self.cells {
                let pixel = origin + Vector2d(Double(x) + 0.5, Double(y) + 0.5) / cells * size
                guard Self.showsEllipsoid(in: box, at: pixel, view.camera) else { continue }
                inside += 1
                if found.contains(SIMD2(x, y)) { matched += 1 }
            }
        }
        return inside > 0 ? Double(matched) / Double(inside) : nil
    }

    /// Whether the ray through a pixel meets the ellipsoid that a box contains.
    private static func showsEllipsoid(in box: OrientedBox, at pixel: Vector2d, _ camera: PosedCamera) -> Bool {
        let inWorld = camera.cameraFromWorld.rotation.transpose * camera.intrinsics.direction(pixel)
        // In units of the half extents, the ellipsoid is a sphere.
        let direction = normalize((box.boxFromWorld.rotation * inWorld) / box.halfExtents)
        let origin = (box.boxFromWorld * camera.centerInWorld) / box.halfExtents
        let along = dot(origin, direction)
        return lengthSquared(origin) - along * along <= 1
    }
}
