import Vitrine
import VitrineVision

/// A person with a phone who walks around an object on a table in a furnished room.
package struct SimulatedCapture: Sendable {
    /// The movement of the simulated user.
    package enum Walk: String, Sendable, CaseIterable {
        /// Sways for some seconds, then walks around the object at each height: 20 s for a ring of 370°, 18.5°/s.
        case rings
        /// One ring with mistakes: too far away, too close, aimed beside the object, too fast.
        case restless
    }

    /// A model in a room.
    package struct Stage {
        /// The simulated phone.
        package let source: SimulatedSource
        /// The simulated user, if it follows the feedback; nil if it ignores it.
        package var person: SimulatedPerson? { source.person }
        /// The object's bounds in the room, metres.
        package let object: BoundingBox
    }

    /// The longest side of the model on the table, metres; nil (default) keeps a plausible size, otherwise makes it 0.24 m.
    package var side: Float?
    /// The movement of the simulated user.
    package var walk = Walk.rings
    /// Whether the person follows the feedback, see `SimulatedPerson.follow(_:)`, instead of walking on regardless. Default true.
    package var followsFeedback = true
    /// The number of rings, 1…3: the first at a middle height, the second high, the third low. Default 3.
    package var rings = 3
    /// The tremor of the hand, see `OrbitPath.tremor`. Default 1.
    package var tremor = 1.0
    /// The width of the images in pixels; the height is 3/4 of it. Default 640.
    package var width = 640
    /// Whether the phone has an IMU. Default true.
    package var hasInertialUnit = true
    /// The parameters of the phone's sensors.
    package var settings = SimulationSettings()

    /// Creates the default settings: three rings.
    package init() {}

    /// The longest side of the object on the table, metres; models of a plausible size keep theirs.
    private static let plausibleSizes: ClosedRange<Float> = 0.08...0.45
    private static let usualSize: Float = 0.24

    /// Puts a model on the table of a room.
    ///
    /// - Parameter scene: The model. Its nodes move into the room.
    /// - Returns: nil if the model has no extent.
    /// - Throws: `TrajectoryError`, `RenderError` or `GPUError`.
    package func stage(_ scene: sending Scene) throws -> Stage? {
        guard let (node, bounds) = placed(scene) else { return nil }
        let table = SimulatedTable()
        let object = BoundingBox(minimum: bounds.minimum + table.center, maximum: bounds.maximum + table.center)
        let radius = Double(max(0.42, 1.9 * object.radius))
        let target = Vector3d(object.center)
        var (path, passes) = walk == .rings ? Self.rings(rings, around: target, radius) : Self.restless(around: target, radius)
        path.tremor = tremor
        var rig = SimulatedDevice.phone.rig
        if width != rig.camera.width { rig.camera = rig.camera.resized(width: width, height: width * 3 / 4) }
        rig.hasInertialUnit = hasInertialUnit
        let poses = path.cameraPoses()
        let room = SimulatedRoom(.study, around: poses.map(\.pose.translation), table: table)
        room.add(node, at: table.center)
        if followsFeedback {
            let person = SimulatedPerson(GuidedWalk(path, passes: passes), cameraFromBody: rig.cameraFromBody)
            return Stage(source: try SimulatedSource(in: room, with: person, rig: rig, settings: settings), object: object)
        }
        return Stage(source: try SimulatedSource(in: room, along: poses, rig: rig, settings: settings), object: object)
    }

    /// The model in its size on the table: the middle of its base is the origin. nil if it has no extent.
    package func placed(_ scene: Scene) -> (node: Node, bounds: BoundingBox)? {
        let bounds = scene.bounds
        let longest = bounds.isEmpty ? 0 : bounds.size.max()
        guard longest > 0 else { return nil }
        let scale = side.map { $0 / longest } ?? (Self.plausibleSizes.contains(longest) ? 1 : Self.usualSize / longest)
        let object = Node(name: "object")
        for node in scene.rootNode.childNodes { object.addChildNode(node) }
        object.transform =
            Matrix4(scale: Vector3(scale, scale, scale))
            * Matrix4(translation: Vector3(-bounds.center.x, -bounds.minimum.y, -bounds.center.z))
        let half = bounds.size * (scale / 2)
        return (object, BoundingBox(minimum: Vector3(-half.x, 0, -half.z), maximum: Vector3(half.x, 2 * half.y, half.z)))
    }

    // MARK: Paths

    private static func key(
        _ time: Double, _ azimuth: Double, _ elevation: Double, _ radius: Double, aim: Vector2d = .zero
    ) -> OrbitPath.Key {
        let degree = Double.pi / 180
        return OrbitPath.Key(time: time, azimuth: azimuth * degree, elevation: elevation * degree, radius: radius, aim: aim)
    }

    /// Swaying, as a user does who inspects the object.
    private static func start(_ radius: Double) -> [OrbitPath.Key] {
        [key(0, 0, 26, 1.35 * radius), key(2, 14, 30, 1.3 * radius), key(4, -6, 28, 1.15 * radius), key(6, 0, 30, radius)]
    }

    /// A path and the times of its passes around the object.
    private typealias Plan = (path: OrbitPath, passes: [ClosedRange<Double>])

    private static func rings(_ count: Int, around target: Vector3d, _ radius: Double) -> Plan {
        var (keys, passes) = (start(radius), [ClosedRange<Double>]())
        for (ring, elevation) in [32.0, 55, 14].prefix(count).enumerated() {
            let (start, turn) = (8 + 22 * Double(ring), 370.0)
            keys.append(key(start, turn * Double(ring), elevation, radius))
            keys.append(key(start + 20, turn * Double(ring + 1), elevation, radius))
            passes.append(start...start + 20)
        }
        return (OrbitPath(target: target, keys: keys), passes)
    }

    /// Returns a path with these seconds: 15–17 far, 21–23 close, 28–30 aimed too far to the right, 34–36 fast.
    private static func restless(around target: Vector3d, _ radius: Double) -> Plan {
        let right = Vector2d(0.62 * radius, 0)
        let (far, close) = (3.6 * radius, 0.42 * radius)
        let path = OrbitPath(
            target: target,
            keys: start(radius) + [
                key(8, 0, 32, radius), key(12, 60, 32, radius), key(15, 80, 32, far), key(17, 90, 32, far), key(19, 105, 32, radius),
                key(21, 125, 32, close), key(23, 130, 32, close), key(25, 145, 32, radius), key(26.5, 170, 32, radius),
                key(28, 175, 32, radius, aim: right), key(30, 185, 32, radius, aim: right), key(31.5, 195, 32, radius),
                key(34, 230, 32, radius), key(36, 350, 32, radius), key(38, 380, 32, radius), key(40, 390, 32, radius),
            ])
        return (path, [8...40])
    }
}
