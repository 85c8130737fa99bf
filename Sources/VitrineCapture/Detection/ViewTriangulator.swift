import VitrineAR
import VitrineMath
import VitrineVision

/// Triangulates features of the images around the object from several views: many more landmarks of an object than a tracker keeps, and more accurate
/// ones, because the views are degrees apart.
struct ViewTriangulator: Sendable {
    /// A point that at least three views observe.
    struct Point: Sendable {
        var position: Vector3d
        /// The standard deviation of the position, mostly along the viewing direction, relative to the distance.
        var relativeDeviation: Double
    }

    private struct Ray: Sendable {
        let origin, direction: Vector3d
    }

    private struct Track: Sendable {
        var rays: [Ray]
        /// The index of its point; nil while it has none.
        var point: Int?
    }

    private struct View: Sendable {
        let camera: PosedCamera
        let pixels: [Vector2d]
        let descriptors: DescriptorSet
        /// The track of each feature.
        var tracks: [Int?]
    }

    private let detector: FeatureDetector
    private var views: [View] = []
    private var tracks: [Int: Track] = [:]
    private var nextTrack = 0
    private var lastTime = -Double.infinity

    /// Seconds and radians, seen from the object, between two views.
    private static let interval = 0.3
    private static let turn = 2.5 * Double.pi / 180
    /// The views that a new view is matched with.
    private static let window = 4
    /// The longer side of the part of an image in which features are detected, pixels.
    private static let side = 560
    private static let fewestRays = 3
    private static let raysOfTrack = 12
    /// The least angle between the rays of a point, radians.
    private static let parallax = 5 * Double.pi / 180
    /// The largest distance of a point from its features, and the standard deviation of features and poses together, pixels of an image 640 wide.
    private static let largestError = 1.5
    private static let noise = 1.0

    init() {
        var options = FeatureDetector.Options()
        (options.maximumCount, options.doublingSide) = (700, 400)
        detector = FeatureDetector(options)
    }

    /// Adds a frame, if its view is new.
    ///
    /// - Parameters:
    ///   - box: The object's box; nil before it is detected: the middle of the image is searched.
    ///   - distance: The distance of the object in metres, used if there is no box.
    ///   - update: Receives a point's index and its new position; indices of new points follow each other.
    mutating func add(_ frame: ARFrame, box: OrientedBox?, distance: Double, nextPoint: Int, update: (Int, Point, Vector2d) -> Void) {
        let camera = frame.camera.posed
        let lens = camera.intrinsics
        let target = box?.center ?? camera.centerInWorld + CameraView(camera).forward * distance
        if let last = views.last {
            let (a, b) = (last.camera.centerInWorld - target, camera.centerInWorld - target)
            guard frame.timestamp - lastTime >= Self.interval || frame.timestamp < lastTime,
                VitrineMath.atan2(length(cross(a, b)), dot(a, b)) >= Self.turn
            else { return }
        }
        guard let region = Self.region(box, camera) else { return }
        lastTime = frame.timestamp
        let crop = GrayCrop(frame.capturedImage, in: region, side: Self.side)
        let features = detector.detect(in: crop.plane)
        var view = View(
            camera: camera, pixels: features.positions.map { crop.pixel($0) }, descriptors: DescriptorSet(features.descriptors),
            tracks: Array(repeating: nil, count: features.count))
        let scale = max(1, Double(lens.width) / 640) / lens.focal.x
        let eye = camera.centerInWorld
        let rays = view.pixels.map { pixel in
            Ray(origin: eye, direction: normalize(camera.cameraFromWorld.rotation.transpose * lens.direction(pixel)))
        }
        var next = nextPoint
        for index in views.indices.reversed() {
            for match in view.descriptors.matches(views[index].descriptors, ratio: 0.8) where view.tracks[match.first] == nil {
                let number: Int
                if let known = views[index].tracks[match.second] {
                    // A track has one feature in a view.
                    guard let track = tracks[known], track.rays.last?.origin != eye else { continue }
                    number = known
                } else {
                    number = nextTrack
                }
                let old = tracks[number]?.rays ?? [Self.ray(views[index].camera, views[index].pixels[match.second])]
                let all = old.suffix(Self.raysOfTrack - 1) + [rays[match.first]]
                guard let point = Self.point(all, tolerance: Self.largestError * scale) else { continue }
                if number == nextTrack {
                    nextTrack += 1
                    views[index].tracks[match.second] = number
                    tracks[number] = Track(rays: old)
                }
                view.tracks[match.first] = number
                tracks[number]?.rays = Array(all)
                guard all.count >= Self.fewestRays, point.parallax >= Self.parallax else { continue }
                let pointIndex = tracks[number]?.point ?? next
                if pointIndex == next { next += 1 }
                tracks[number]?.point = pointIndex
                let deviation = Self.noise * scale / point.parallax
                update(pointIndex, Point(position: point.position, relativeDeviation: deviation), view.pixels[match.first])
            }
        }
        views.append(view)
        if views.count > Self.window { views.removeFirst() }
        // Tracks without a feature in these views have ended.
        var live: [Int: Track] = [:]
        for number in views.flatMap(\.tracks) { if let number { live[number] = tracks[number] } }
        tracks = live
    }

    /// The part of the image around the object.
    private static func region(_ box: OrientedBox?, _ camera: PosedCamera) -> PixelRectangle? {
        let lens = camera.intrinsics
        guard let box else {
            let (left, top) = (lens.width / 10, lens.height / 10)
            return PixelRectangle(x: left, y: top, width: lens.width - 2 * left, height: lens.height - 2 * top)
        }
        // Parts of the object may be outside of the box so far, and the table around it shows the plane.
        let wider = OrientedBox(
            center: box.center, axes: box.axes, halfExtents: box.halfExtents + SIMD3(1, 0.5, 1) * (0.3 * box.longestSide))
        return BoxProjection(wider, camera).rectangle
    }

    private static func ray(_ camera: PosedCamera, _ pixel: Vector2d) -> Ray {
        Ray(
            origin: camera.centerInWorld,
            direction: normalize(camera.cameraFromWorld.rotation.transpose * camera.intrinsics.direction(pixel)))
    }

    /// The point nearest to rays, and the largest angle between them; nil if it is behind a camera or too far from a ray.
    ///
    /// - Parameter tolerance: The largest angle between a ray and the direction to the point, radians.
    private static func point(_ rays: some Collection<Ray>, tolerance: Double) -> (position: Vector3d, parallax: Double)? {
        var midpoint = RayMidpoint()
        for ray in rays { midpoint.add(origin: ray.origin, direction: ray.direction) }
        guard let position = midpoint.point(minimumDeterminant: 1e-7), let first = rays.first else { return nil }
        var parallax = 0.0
        let start = normalize(position - first.origin)
        for ray in rays {
            let way = position - ray.origin
            let along = dot(way, ray.direction)
            guard along > 0, length(cross(way, ray.direction)) < tolerance * along else { return nil }
            parallax = max(parallax, VitrineMath.atan2(length(cross(start, way)), dot(start, way)))
        }
        return (position, parallax)
    }
}
