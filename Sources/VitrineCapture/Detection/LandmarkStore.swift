import VitrineAR
import VitrineMath
import VitrineReconstruct
import VitrineVision

/// The landmarks of a capture: feature points of the tracker, points of depth images, and, without a depth sensor, points triangulated from several
/// views.
struct LandmarkStore: Sendable {
    struct Landmark: Sendable {
        /// The position in the session's world.
        var position: Vector3d
        /// sRGB-encoded; the fourth component is 255.
        var color: SIMD4<UInt8>
        /// The number of frames that observed it.
        var observations: Int
        /// The standard deviation of the position relative to the distance, by the noise of its features. Zero if unknown, and for points of depth
        /// images.
        var relativeDeviation = 0.0
        /// The uncertainty of the position as a vector along the viewing direction, metres: by the noise, and by the scale of the tracker's path.
        var spread = Vector3d.zero
        /// The camera's centre and the time when it was last observed.
        var eye = Vector3d.zero
        var time = 0.0
    }

    /// Feature points need this many observations, because a tracker's first positions are coarse.
    private static let minimumObservations = 3
    private static let featureCapacity = 30_000
    private static let voxelCapacity = 60_000
    private static let triangulatedCapacity = 40_000
    /// The edge of a voxel for points of depth images, metres.
    private static let voxelEdge = 0.008
    /// Seconds between two depth images that are used, and pixels of each.
    private static let depthInterval = 0.12
    private static let depthPixels = 1_500
    private static let farthestDepth: Float = 4
    /// The relative error of a tracker's path over seconds, which moves all landmarks of a view along its direction.
    private static let scaleError = 0.02

    private var features: [Landmark] = []
    private var featureIndex: [UInt64: Int] = [:]
    private var voxels: [Landmark] = []
    private var voxelIndex: [SIMD3<Int32>: Int] = [:]
    private var lastDepthTime = -Double.infinity
    private var triangulator = ViewTriangulator()
    private var triangulated: [Landmark] = []
    private var visits = Visits()
    private var time = 0.0

    /// The landmarks that are observed often enough, in the order of first observation.
    var reliable: [Landmark] {
        features.filter { $0.observations >= Self.minimumObservations } + triangulated + voxels.filter { $0.observations >= 2 }
    }

    /// The reliable landmarks, without outdated ones: those that the camera last observed from a direction that it has visited again since.
    func current(around box: OrientedBox) -> [Landmark] { reliable.filter { !visits.isOutdated($0, box, time) } }

    /// Discards all landmarks.
    mutating func reset() { self = LandmarkStore() }

    /// Adds the points of a frame with normal tracking.
    ///
    /// - Parameters:
    ///   - box: The object's box; nil before it is detected.
    ///   - distance: The distance of the object in metres, used if there is no box.
    mutating func add(_ frame: ARFrame, box: OrientedBox?, distance: Double) {
        let camera = frame.camera.posed
        let colors = ImageColors(frame.capturedImage)
        time = frame.timestamp
        if let box { visits.add(camera.centerInWorld, box, time) }
        if let cloud = frame.rawFeaturePoints { addFeatures(cloud, camera, colors) }
        if let depth = frame.sceneDepth, frame.timestamp - lastDepthTime >= Self.depthInterval {
            lastDepthTime = frame.timestamp
            addDepth(depth, camera, colors)
        }
        if frame.sceneDepth == nil { triangulate(frame, box, distance, colors) }
    }

    private mutating func triangulate(_ frame: ARFrame, _ box: OrientedBox?, _ distance: Double, _ colors: ImageColors) {
        let (eye, time) = (frame.camera.posed.centerInWorld, frame.timestamp)
        var points = triangulated
        triangulated = []
        triangulator.add(frame, box: box, distance: distance, nextPoint: points.count) { index, point, pixel in
            let (deviation, spread) = (point.relativeDeviation, Self.spread(point.position, eye, point.relativeDeviation))
            if index < points.count {
                (points[index].position, points[index].spread) = (point.position, spread)
                (points[index].relativeDeviation, points[index].eye, points[index].time) = (deviation, eye, time)
                points[index].observations += 1
            } else if points.count < Self.triangulatedCapacity {
                points.append(
                    Landmark(
                        position: point.position, color: colors.color(at: pixel), observations: 3, relativeDeviation: deviation,
                        spread: spread, eye: eye, time: time))
            }
        }
        triangulated = points
    }

    private mutating func addFeatures(_ cloud: ARPointCloud, _ camera: PosedCamera, _ colors: ImageColors) {
        let eye = camera.centerInWorld
        for (cloudIndex, identifier) in cloud.identifiers.enumerated() {
            let position = Vector3d(cloud.points[cloudIndex])
            let distance = length(position - eye)
            guard distance > 0 else { continue }
            // Trackers refine positions: the newest includes all observations.
            let relativeDeviation = Double(cloud.deviations[cloudIndex]) / distance
            let spread = Self.spread(position, eye, relativeDeviation)
            if let index = featureIndex[identifier] {
                features[index].position = position
                features[index].observations += 1
                (features[index].spread, features[index].relativeDeviation) = (spread, relativeDeviation)
                (features[index].eye, features[index].time) = (eye, time)
            } else if features.count < Self.featureCapacity {
                let inCamera = camera.cameraFromWorld * position
                let pixel = inCamera.z > 0 ? camera.intrinsics.project(inCamera) : .zero
                featureIndex[identifier] = features.count
                features.append(
                    Landmark(
                        position: position, color: colors.color(at: pixel), observations: 1, relativeDeviation: relativeDeviation,
                        spread: spread, eye: eye, time: time))
            }
        }
    }

    /// Returns the uncertainty of a landmark as a vector along its viewing direction.
    ///
    /// - Parameter deviation: The standard deviation relative to the distance; 0 for exact points.
    private static func spread(_ position: Vector3d, _ eye: Vector3d, _ deviation: Double) -> Vector3d {
        deviation > 0 ? (position - eye) * (deviation * deviation + scaleError * scaleError).squareRoot() : .zero
    }

    private mutating func addDepth(_ depth: DepthImage, _ camera: PosedCamera, _ colors: ImageColors) {
        let plane = depth.metres
        let step = max(1, Int((Double(plane.width * plane.height) / Double(Self.depthPixels)).squareRoot()))
        let scale = Vector2d(
            Double(camera.intrinsics.width) / Double(plane.width), Double(camera.intrinsics.height) / Double(plane.height))
        let worldFromCamera = camera.cameraFromWorld.inverse
        for y in stride(from: step / 2, to: plane.height, by: step) {
            for x in stride(from: step / 2, to: plane.width, by: step) {
                let metres = plane[x, y]
                guard metres > 0.05, metres < Self.farthestDepth, depth.confidence.map({ $0[x, y] > 0 }) ?? true else { continue }
                let pixel = Vector2d(Double(x) + 0.5, Double(y) + 0.5) * scale
                let ray = camera.intrinsics.normalized(pixel)
                addVoxel(
                    worldFromCamera * (Vector3d(ray.x, ray.y, 1) * Double(metres)), colors.color(at: pixel),
                    eye: worldFromCamera.translation)
            }
        }
    }

    private mutating func addVoxel(_ position: Vector3d, _ color: SIMD4<UInt8>, eye: Vector3d) {
        let cell = position / Self.voxelEdge
        guard cell.isFinite, abs(cell.x) < 1e8, abs(cell.y) < 1e8, abs(cell.z) < 1e8 else { return }
        let key = SIMD3(Int32(cell.x.rounded(.down)), Int32(cell.y.rounded(.down)), Int32(cell.z.rounded(.down)))
        if let index = voxelIndex[key] {
            // The mean of the first observations.
            let count = Double(min(voxels[index].observations, 20))
            voxels[index].position = (voxels[index].position * count + position) / (count + 1)
            voxels[index].observations += 1
            (voxels[index].eye, voxels[index].time) = (eye, time)
        } else if voxels.count < Self.voxelCapacity {
            voxelIndex[key] = voxels.count
            voxels.append(Landmark(position: position, color: color, observations: 1, eye: eye, time: time))
        }
    }

    /// The reliable landmarks within a box, or all without one.
    func cloud(in box: OrientedBox?) -> PhotogrammetrySession.PointCloud {
        let inside = reliable.filter { landmark in box.map { $0.contains(landmark.position) } ?? true }
        return PhotogrammetrySession.PointCloud(points: inside.map { .init(position: Vector3($0.position), color: $0.color) })
    }
}

/// The times at which the camera was in each direction from the object. A tracker's world drifts by centimetres while a person walks around
/// an object: new landmarks of the same side replace the old ones.
private struct Visits: Sendable {
    /// The start of the newest visit of each direction, and the last time in it.
    private var starts = Array(repeating: -Double.infinity, count: count)
    private var ends = Array(repeating: -Double.infinity, count: count)

    private static let count = CaptureDial.Height.allCases.count * CaptureDial.directionCount
    /// Seconds of absence after which the camera visits a direction again, and seconds of a visit after which new landmarks suffice.
    private static let absence = 8.0
    private static let renewal = 3.0

    private static func index(_ eye: Vector3d, _ box: OrientedBox) -> Int? {
        guard let direction = box.direction(to: eye) else { return nil }
        let radians = Double.pi / 180
        let height = CaptureDial.height(atElevation: direction.elevation * radians).rawValue
        return height * CaptureDial.directionCount + CaptureDial.direction(atAzimuth: direction.azimuth * radians)
    }

    mutating func add(_ eye: Vector3d, _ box: OrientedBox, _ time: Double) {
        guard let index = Self.index(eye, box) else { return }
        if time - ends[index] > Self.absence { starts[index] = time }
        ends[index] = time
    }

    func isOutdated(_ landmark: LandmarkStore.Landmark, _ box: OrientedBox, _ time: Double) -> Bool {
        guard let index = Self.index(landmark.eye, box), starts[index] > landmark.time else { return false }
        return time - starts[index] > Self.renewal
    }
}

/// Samples the colours of a camera image.
private struct ImageColors {
    private let image: CapturedImage
    private let levels: LightLevels

    init(_ image: CapturedImage) { (self.image, levels) = (image, LightLevels(image)) }

    /// Black outside of the image.
    func color(at pixel: Vector2d) -> SIMD4<UInt8> {
        guard pixel.x >= 0, pixel.y >= 0, pixel.x < Double(image.width), pixel.y < Double(image.height) else { return SIMD4(0, 0, 0, 255) }
        let color = image.encodedColor(x: Int(pixel.x), y: Int(pixel.y), levels) * 255
        return SIMD4(
            SIMD3<UInt8>(color.clamped(lowerBound: .zero, upperBound: Vector3(repeating: 255)), rounding: .toNearestOrAwayFromZero), 255)
    }
}
