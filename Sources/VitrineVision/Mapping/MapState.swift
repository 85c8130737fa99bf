import VitrineGeometry

/// A model as it grows: cameras placed so far, points, and which features see them.
struct MapState: Sendable {
    let graph: CorrespondenceGraph
    let lensOfPhoto: [Int]
    /// Thresholds in pixels are meant for pictures about 1,000 pixels long: each photo's factor.
    let pixelScale: [Double]
    var lenses: [LensState]
    var poses: [RigidTransform?]
    /// Given from outside and taken as exact.
    var isPoseHeld: [Bool]
    /// Points by number; removed ones have an empty track.
    var positions: [Vector3d] = []
    /// Features (of the whole graph's numbering) that see point i, rising, so also by photo; each photo at most once.
    var tracks: [[UInt32]] = []
    /// The point each feature sees, or −1.
    var pointOfFeature: [Int32]
    /// How many features of each photo see points.
    var observationCounts: [Int]

    struct LensState: Sendable {
        var intrinsics: CameraIntrinsics
        /// What the photos said before mapping.
        var guess: CameraIntrinsics
        /// Measured or read from the photo to a few percent.
        var isFocalKnown: Bool
        /// Given from outside and taken as exact.
        var isHeld: Bool
        /// Once true, the focal length has been fitted to three photos or more.
        var isCalibrated = false
        /// The number of fitted parameters: the first of `CameraIntrinsics.parameters`.
        var fitted = 2
        /// The focal length's standard deviation, pixels; 0 before the last fit.
        var focalDeviation = 0.0

        var model: LensModel {
            if intrinsics.distortion.isFisheye { return fitted > 1 ? .openCVFisheye : .equidistant }
            return switch fitted {
            case ...1: .pinhole
            case 2: .simpleRadial
            case 3: .radial
            default: .brownConrady
            }
        }
    }

    init(
        graph: CorrespondenceGraph, lensOfPhoto: [Int], lenses: [LensState], photos: [MapperPhoto]
    ) {
        (self.graph, self.lensOfPhoto, self.lenses) = (graph, lensOfPhoto, lenses)
        pixelScale = photos.map { max(0.5, Double(max($0.guess.intrinsics.width, $0.guess.intrinsics.height)) / 1000) }
        poses = Array(repeating: nil, count: photos.count)
        isPoseHeld = Array(repeating: false, count: photos.count)
        pointOfFeature = Array(repeating: -1, count: graph.pixels.count)
        observationCounts = Array(repeating: 0, count: photos.count)
    }

    var registeredCount: Int { poses.reduce(0) { $0 + ($1 == nil ? 0 : 1) } }
    var pointCount: Int { tracks.reduce(0) { $0 + ($1.isEmpty ? 0 : 1) } }

    func camera(_ photo: Int) -> PosedCamera {
        PosedCamera(intrinsics: lenses[lensOfPhoto[photo]].intrinsics, cameraFromWorld: poses[photo]!)
    }

    func observation(_ feature: Int) -> PixelObservation {
        PixelObservation(camera: camera(graph.photo(of: feature)), pixel: graph.pixels[feature])
    }

    /// Distance in pixels between the feature and the point's projection, squared; infinite behind the camera.
    func squaredError(_ feature: Int, _ point: Vector3d) -> Double {
        let camera = camera(graph.photo(of: feature))
        let inCamera = camera.cameraFromWorld * point
        guard inCamera.z > 1e-9 else { return .infinity }
        let error = camera.intrinsics.project(inCamera) - graph.pixels[feature]
        return error.x * error.x + error.y * error.y
    }

    /// - Parameter track: rising, each photo once, none seeing a point yet.
    @discardableResult mutating func addPoint(_ position: Vector3d, _ track: [UInt32]) -> Int {
        let point = positions.count
        positions.append(position)
        tracks.append(track)
        for feature in track {
            pointOfFeature[Int(feature)] = Int32(point)
            observationCounts[graph.photo(of: Int(feature))] += 1
        }
        return point
    }

    func sees(_ photo: Int, _ point: Int) -> Bool { tracks[point].contains { graph.photo(of: Int($0)) == photo } }

    mutating func addObservation(_ feature: Int, _ point: Int) {
        let place = tracks[point].firstIndex { Int($0) > feature } ?? tracks[point].count
        tracks[point].insert(UInt32(feature), at: place)
        pointOfFeature[feature] = Int32(point)
        observationCounts[graph.photo(of: feature)] += 1
    }

    mutating func removePoint(_ point: Int) {
        for feature in tracks[point] { forget(Int(feature)) }
        tracks[point] = []
    }

    /// Keeps those features of the track that `isGood`; fewer than two remove the point.
    mutating func keepObservations(of point: Int, where isGood: (Int) -> Bool) {
        let kept = tracks[point].filter { isGood(Int($0)) }
        guard kept.count < tracks[point].count else { return }
        if kept.count < 2 { return removePoint(point) }
        for feature in tracks[point] where !kept.contains(feature) { forget(Int(feature)) }
        tracks[point] = kept
    }

    private mutating func forget(_ feature: Int) {
        pointOfFeature[feature] = -1
        observationCounts[graph.photo(of: feature)] -= 1
    }

    /// Takes a photo's camera away, and its observations.
    mutating func unregister(_ photo: Int) {
        for feature in graph.features(of: photo) where pointOfFeature[feature] >= 0 {
            let point = Int(pointOfFeature[feature])
            keepObservations(of: point) { $0 != feature }
        }
        poses[photo] = nil
    }

    /// Renumbers points so that none is empty.
    mutating func compact() {
        var next = 0
        for point in tracks.indices where !tracks[point].isEmpty {
            if next != point {
                (positions[next], tracks[next]) = (positions[point], tracks[point])
                for feature in tracks[next] { pointOfFeature[Int(feature)] = Int32(next) }
            }
            next += 1
        }
        positions.removeLast(positions.count - next)
        tracks.removeLast(tracks.count - next)
    }
}
