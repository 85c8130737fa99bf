import VitrineAR
import VitrineMath
import VitrineReconstruct
import VitrineVision

/// The landmarks of a capture: feature points of the tracker, and points of depth images.
struct LandmarkStore: Sendable {
    struct Landmark: Sendable {
        /// In the session's world.
        var position: Vector3d
        /// sRGB-encoded; the fourth component is 255.
        var color: SIMD4<UInt8>
        /// The number of frames that observed it.
        var observations: Int
        /// The standard deviation of the position as a vector along the viewing direction, metres, and relative to the distance. Zero if unknown, and
        /// for points of depth images.
        var spread = Vector3d.zero
        var relativeDeviation = 0.0
    }

    /// Feature points need this many observations, because a tracker's first positions are coarse.
    private static let minimumObservations = 3
    private static let featureCapacity = 30_000
    private static let voxelCapacity = 60_000
    /// The edge of a voxel for points of depth images, metres.
    private static let voxelEdge = 0.008
    /// Seconds between two depth images that are used, and pixels of each.
    private static let depthInterval = 0.12
    private static let depthPixels = 1_500
    private static let farthestDepth: Float = 4

    private var features: [Landmark] = []
    private var featureIndex: [UInt64: Int] = [:]
    private var voxels: [Landmark] = []
    private var voxelIndex: [SIMD3<Int32>: Int] = [:]
    private var lastDepthTime = -Double.infinity

    /// The landmarks that are observed often enough, in the order of first observation.
    var reliable: [Landmark] {
        features.filter { $0.observations >= Self.minimumObservations } + voxels.filter { $0.observations >= 2 }
    }

    /// Discards all landmarks.
    mutating func reset() { self = LandmarkStore() }

    /// Adds the points of a frame with normal tracking.
    mutating func add(_ frame: ARFrame) {
        let camera = frame.camera.posed
        let colors = ImageColors(frame.capturedImage)
        if let cloud = frame.rawFeaturePoints { addFeatures(cloud, camera, colors) }
        if let depth = frame.sceneDepth, frame.timestamp - lastDepthTime >= Self.depthInterval {
            lastDepthTime = frame.timestamp
            addDepth(depth, camera, colors)
        }
    }

    private mutating func addFeatures(_ cloud: ARPointCloud, _ camera: PosedCamera, _ colors: ImageColors) {
        let eye = camera.centerInWorld
        for (place, identifier) in cloud.identifiers.enumerated() {
            let position = Vector3d(cloud.points[place])
            let distance = length(position - eye)
            guard distance > 0 else { continue }
            // Trackers refine positions: the newest includes all observations.
            let relativeDeviation = Double(cloud.deviations[place]) / distance
            let spread = (position - eye) * relativeDeviation
            if let index = featureIndex[identifier] {
                features[index].position = position
                features[index].observations += 1
                (features[index].spread, features[index].relativeDeviation) = (spread, relativeDeviation)
            } else if features.count < Self.featureCapacity {
                let inCamera = camera.cameraFromWorld * position
                let pixel = inCamera.z > 0 ? camera.intrinsics.project(inCamera) : .zero
                featureIndex[identifier] = features.count
                features.append(
                    Landmark(
                        position: position, color: colors.color(at: pixel), observations: 1, spread: spread,
                        relativeDeviation: relativeDeviation))
            }
        }
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
                addVoxel(worldFromCamera * (Vector3d(ray.x, ray.y, 1) * Double(metres)), colors.color(at: pixel))
            }
        }
    }

    private mutating func addVoxel(_ position: Vector3d, _ color: SIMD4<UInt8>) {
        let cell = position / Self.voxelEdge
        guard cell.isFinite, abs(cell.x) < 1e8, abs(cell.y) < 1e8, abs(cell.z) < 1e8 else { return }
        let key = SIMD3(Int32(cell.x.rounded(.down)), Int32(cell.y.rounded(.down)), Int32(cell.z.rounded(.down)))
        if let index = voxelIndex[key] {
            // The mean of the first observations.
            let count = Double(min(voxels[index].observations, 20))
            voxels[index].position = (voxels[index].position * count + position) / (count + 1)
            voxels[index].observations += 1
        } else if voxels.count < Self.voxelCapacity {
            voxelIndex[key] = voxels.count
            voxels.append(Landmark(position: position, color: color, observations: 1))
        }
    }

    /// The reliable landmarks within a box, or all without one.
    func cloud(in box: OrientedBox?) -> PhotogrammetrySession.PointCloud {
        let inside = reliable.filter { landmark in box.map { $0.contains(landmark.position) } ?? true }
        return PhotogrammetrySession.PointCloud(points: inside.map { .init(position: Vector3($0.position), color: $0.color) })
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
