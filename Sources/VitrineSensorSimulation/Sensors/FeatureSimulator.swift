import VitrineMath
import VitrineVision

/// What a feature tracker would report in an empty room: points on the walls, the floor and the ceiling, followed as long as they are in view.
///
/// A point that has left the view and comes back has a new id, as a tracker's would.
public struct FeatureSimulator: Sendable {
    public struct Settings: Equatable, Sendable {
        /// Points followed at a time, at most.
        public var count: Int
        /// Standard deviation in pixels, along either axis.
        public var noise: Double
        /// How far what is followed creeps over its surface from picture to picture, in pixels along either axis: a random walk, as that of a
        /// patch that is always compared with the picture before.
        public var creep: Double
        /// The share of observations, 0…1, that are up to 30 pixels off.
        public var outliers: Double
        /// Points in the whole room.
        public var density: Int
        public var seed: UInt64

        public init(
            count: Int = 120, noise: Double = 1, creep: Double = 0, outliers: Double = 0, density: Int = 4000, seed: UInt64 = 1
        ) {
            (self.count, self.noise, self.creep, self.outliers, self.density, self.seed) = (count, noise, creep, outliers, density, seed)
        }
    }

    public let settings: Settings
    public let rig: SensorRig
    /// Of every id that was given, in turn, the place in the world in metres.
    public private(set) var truth: [Vector3d] = []
    private let places: [Vector3d]
    /// Indices into `places` of what is followed, the id of each, and how far it has crept in pixels; in the order in which they came.
    private var followed: [(place: Int, id: Int, crept: Vector2d)] = []
    private var random: NormalNumbers

    /// A room with its walls `margin` metres outside of all `positions`, and no lower than they need.
    public init(rig: SensorRig, around positions: [Vector3d], margin: Double = 2, settings: Settings = Settings()) {
        var (low, high) = (positions.first ?? .zero, positions.first ?? .zero)
        for position in positions { (low, high) = (pointwiseMin(low, position), pointwiseMax(high, position)) }
        self.init(rig: rig, low: low - margin, high: high + margin, settings: settings)
    }

    /// A room from one corner to the other.
    public init(rig: SensorRig, low: Vector3d, high: Vector3d, settings: Settings = Settings()) {
        (self.rig, self.settings) = (rig, settings)
        random = NormalNumbers(seed: settings.seed)
        places = Self.points(on: low, high, settings.density, &random)
    }

    /// Points on the room's six faces, as many on each as it has of the area.
    private static func points(on low: Vector3d, _ high: Vector3d, _ count: Int, _ random: inout NormalNumbers) -> [Vector3d] {
        let size = high - low
        let areas = [size.y * size.z, size.z * size.x, size.x * size.y]
        let total = areas[0] + areas[1] + areas[2]
        return (0..<count).map { _ in
            var choice = random.even() * total
            var axis = 0
            while axis < 2, choice >= areas[axis] {
                choice -= areas[axis]
                axis += 1
            }
            var share = Vector3d(random.even(), random.even(), random.even())
            share[axis] = share[axis] < 0.5 ? 0 : 1
            return low + size * share
        }
    }

    /// What a picture shows that is taken at a pose, by rising id.
    ///
    /// - Parameter worldFromBody: the IMU's pose; the rig says where the camera is.
    public mutating func observe(_ worldFromBody: RigidTransform) -> [ObservedFeature] {
        let cameraFromWorld = rig.cameraFromBody * worldFromBody.inverse
        var pixels: [Vector2d?] = Array(repeating: nil, count: places.count)
        for (i, place) in places.enumerated() { pixels[i] = pixel(cameraFromWorld * place) }
        followed.removeAll { pixels[$0.place] == nil }
        creep()
        begin(pixels)
        return followed.map { ObservedFeature(id: $0.id, pixel: disturbed(pixels[$0.place]!) + $0.crept) }
    }

    private mutating func creep() {
        guard settings.creep > 0 else { return }
        for index in followed.indices {
            let x = random.next()
            followed[index].crept += Vector2d(x, random.next()) * settings.creep
        }
    }

    /// Takes up new points from those in view, evenly at random.
    private mutating func begin(_ pixels: [Vector2d?]) {
        guard followed.count < settings.count else { return }
        var known = Set(followed.map(\.place))
        var candidates = pixels.indices.filter { pixels[$0] != nil && !known.contains($0) }
        while followed.count < settings.count, !candidates.isEmpty {
            let chosen = random.below(candidates.count)
            let place = candidates[chosen]
            candidates.swapAt(chosen, candidates.count - 1)
            candidates.removeLast()
            known.insert(place)
            followed.append((place, truth.count, .zero))
            truth.append(places[place])
        }
    }

    private mutating func disturbed(_ pixel: Vector2d) -> Vector2d {
        let x = random.next()
        var moved = pixel + Vector2d(x, random.next()) * settings.noise
        if settings.outliers > 0, random.even() < settings.outliers {
            let right = random.even()
            moved += (Vector2d(right, random.even()) * 2 - 1) * 30
        }
        return moved
    }

    /// Where a point falls, if it is in front of the camera, in the picture, and where the lens's formula holds.
    private func pixel(_ point: Vector3d) -> Vector2d? {
        guard point.z > 0.1 else { return nil }
        let pixel = rig.camera.project(point)
        guard pixel.x > 0, pixel.y > 0, pixel.x < Double(rig.camera.width), pixel.y < Double(rig.camera.height) else { return nil }
        // Far outside of the picture a lens's polynomial bends back into it.
        let back = rig.camera.normalized(pixel) - Vector2d(point.x, point.y) / point.z
        return lengthSquared(back) < 1e-8 ? pixel : nil
    }
}
