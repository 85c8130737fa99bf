import VitrineMath

@testable import VitrineVision

/// xorshift64*: seeded random numbers, the same on every machine.
struct SeededNumbers {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func uniform() -> Double {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return Double((state &* 0x2545_F491_4F6C_DD1D) >> 11) / Double(1 << 53)
    }

    mutating func uniform(_ range: ClosedRange<Double>) -> Double { range.lowerBound + (range.upperBound - range.lowerBound) * uniform() }
    /// Standard normal, by Box and Muller.
    mutating func normal() -> Double {
        let radius = (-2 * VitrineMath.log(max(uniform(), 1e-300))).squareRoot()
        return radius * VitrineMath.cos(2 * .pi * uniform())
    }
    mutating func below(_ count: Int) -> Int { min(count - 1, Int(uniform() * Double(count))) }
    mutating func direction() -> Vector3d { normalize(Vector3d(normal(), normal(), normal()) + Vector3d(0, 0, 1e-9)) }
}

/// Cameras around a bumpy ball of radius about 1, each point seen from its own side only, as features with noise and matches with outliers.
struct SyntheticScene {
    struct Options {
        var cameras = 16
        var points = 1200
        /// Standard deviation of feature positions, pixels.
        var noise = 0.3
        /// The share of matches that are wrong.
        var outliers = 0.0
        /// The share of a point's possible views in which it is detected.
        var detection = 0.8
        /// The angle of the cameras' ring in radians, and their height above the ball's equator.
        var arc = 2 * Double.pi
        var height = 0.5
        var distance = 4.0
        var intrinsics = CameraIntrinsics(width: 1000, height: 800, focal: Vector2d(1150, 1150), center: Vector2d(500, 400))
        /// The cameras' rotation about their optical axes in radians, with alternating signs.
        var roll = 0.1
        var seed: UInt64 = 1
    }

    var options: Options
    var cameras: [PosedCamera] = []
    var points: [Vector3d] = []
    /// The positions of the features of each photo, and the point to which each belongs.
    var features: [[SIMD2<Float>]] = []
    var pointOfFeature: [[Int]] = []

    init(_ options: Options = Options()) {
        self.options = options
        var numbers = SeededNumbers(seed: options.seed)
        for index in 0..<options.cameras {
            let angle = options.arc * Double(index) / Double(options.cameras)
            let height = options.height + 0.3 * numbers.uniform(-1...1)
            let distance = options.distance * (1 + 0.1 * numbers.uniform(-1...1))
            let center = Vector3d(distance * VitrineMath.sin(angle), height, distance * VitrineMath.cos(angle))
            let target = Vector3d(numbers.uniform(-0.15...0.15), numbers.uniform(-0.15...0.15), numbers.uniform(-0.15...0.15))
            cameras.append(
                PosedCamera(
                    intrinsics: options.intrinsics,
                    cameraFromWorld: Self.looking(from: center, to: target, roll: index % 2 == 0 ? options.roll : -options.roll)))
        }
        features = Array(repeating: [], count: options.cameras)
        pointOfFeature = features.map { _ in [] }
        for _ in 0..<options.points {
            let normal = numbers.direction()
            let bump = 1 + 0.15 * VitrineMath.sin(5 * normal.x + 1) * VitrineMath.cos(4 * normal.y)
            let point = normal * bump
            for (photo, camera) in cameras.enumerated() {
                let toCamera = normalize(camera.centerInWorld - point)
                guard dot(toCamera, normal) > 0.25, numbers.uniform() < options.detection else { continue }
                let pixel = camera.project(point) + Vector2d(numbers.normal(), numbers.normal()) * options.noise
                guard pixel.x > 0, pixel.y > 0, pixel.x < Double(options.intrinsics.width), pixel.y < Double(options.intrinsics.height)
                else { continue }
                features[photo].append(SIMD2(Float(pixel.x), Float(pixel.y)))
                pointOfFeature[photo].append(points.count)
            }
            points.append(point)
        }
    }

    static func looking(from center: Vector3d, to target: Vector3d, roll: Double) -> RigidTransform {
        let forward = normalize(target - center)
        let right = normalize(cross(forward, Vector3d(0, 1, 0)))
        let level = Matrix3d(rows: right, cross(forward, right), forward)
        let rotation = Matrix3d.rotation(Vector3d(0, 0, roll)) * level
        return RigidTransform(rotation: rotation, translation: -(rotation * center))
    }

    /// Matches of all pairs with at least `minimum` points in common, some of them wrong. The geometry is exact.
    func graph(minimum: Int = 20) -> MatchGraph {
        var numbers = SeededNumbers(seed: options.seed &+ 77)
        var graph = MatchGraph(photoCount: cameras.count)
        for first in cameras.indices {
            for second in first + 1..<max(first + 1, cameras.count) {
                var featureOfPoint: [Int: Int] = [:]
                for (feature, point) in pointOfFeature[second].enumerated() { featureOfPoint[point] = feature }
                var matches: [SIMD2<UInt32>] = []
                var used = Set<UInt32>()
                for (feature, point) in pointOfFeature[first].enumerated() {
                    guard var other = featureOfPoint[point] else { continue }
                    if numbers.uniform() < options.outliers { other = numbers.below(features[second].count) }
                    if used.insert(UInt32(other)).inserted { matches.append(SIMD2(UInt32(feature), UInt32(other))) }
                }
                guard matches.count >= minimum else { continue }
                graph.pairs.append(PhotoPair(first: first, second: second, matches: matches, geometry: geometry(first, second)))
            }
        }
        return graph
    }

    func geometry(_ first: Int, _ second: Int) -> TwoViewGeometry {
        let secondFromFirst = cameras[second].cameraFromWorld * cameras[first].cameraFromWorld.inverse
        let inverses = [first, second].map { Self.inverseCalibration(cameras[$0].intrinsics) }
        let essential = Matrix3d.skew(secondFromFirst.translation) * secondFromFirst.rotation
        let fundamental = inverses[1].transpose * essential * inverses[0]
        let norm = (fundamental.transpose * fundamental).trace.squareRoot()
        return TwoViewGeometry(kind: .general, fundamental: fundamental * (1 / norm))
    }

    static func inverseCalibration(_ k: CameraIntrinsics) -> Matrix3d {
        Matrix3d(
            rows: Vector3d(1 / k.focal.x, 0, -k.center.x / k.focal.x), Vector3d(0, 1 / k.focal.y, -k.center.y / k.focal.y),
            Vector3d(0, 0, 1))
    }

    /// The scene as a bundle adjustment at the ground truth. Each point has observations in at least two cameras.
    func problem(lens: Int) -> BundleProblem {
        var problem = BundleProblem()
        problem.cameras = cameras.map { BundleProblem.Camera(cameraFromWorld: $0.cameraFromWorld, lens: 0) }
        problem.lenses = [BundleProblem.Lens(intrinsics: options.intrinsics, freeParameters: lens)]
        var views = [[(Int, Int)]](repeating: [], count: points.count)
        for photo in cameras.indices {
            for (feature, point) in pointOfFeature[photo].enumerated() { views[point].append((photo, feature)) }
        }
        for (index, point) in points.enumerated() where views[index].count > 1 {
            problem.appendPoint(point)
            for (photo, feature) in views[index] {
                let pixel = features[photo][feature]
                problem.appendObservation(camera: photo, pixel: Vector2d(Double(pixel.x), Double(pixel.y)))
            }
        }
        return problem
    }

    /// Returns the errors after the best similarity: the mean rotation error in degrees, and the centres' RMSE in the scene's unit. Photos
    /// without a camera are skipped.
    func errors(of found: [PosedCamera?]) -> (rotation: Double, position: Double)? {
        let photos = found.indices.filter { found[$0] != nil }
        let centers = photos.map { found[$0]!.centerInWorld }
        guard let moved = SimilarityTransform.aligning(centers, to: photos.map { cameras[$0].centerInWorld }) else { return nil }
        var (rotation, position) = (0.0, 0.0)
        for photo in photos {
            let pose = moved.moved(found[photo]!.cameraFromWorld)
            let truth = cameras[photo].cameraFromWorld
            let cosine = ((pose.rotation * truth.rotation.transpose).trace - 1) / 2
            rotation += VitrineMath.acos(min(1, max(-1, cosine))) * 180 / .pi
            position += lengthSquared(pose.inverse.translation - truth.inverse.translation)
        }
        return (rotation / Double(photos.count), (position / Double(photos.count)).squareRoot())
    }
}
