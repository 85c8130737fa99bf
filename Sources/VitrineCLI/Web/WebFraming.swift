import Vitrine

/// The first view of a page: nearer than the bounding sphere needs, but far enough that no side of the model leaves the frame when the camera
/// orbits it.
@MainActor
enum WebFraming {
    /// The free margin, in fractions of the frame.
    private static let margin: Float = 0.1
    private static let slices = 128
    private static let turns = 48

    /// The distance from which a model fills a square frame from all azimuths, as a share of the distance that fits its bounding sphere.
    ///
    /// - Returns: 1 for models that move, and where the camera cannot be nearer.
    static func share(of scene: Scene, elevation: Angle, fieldOfView: Angle) -> Float {
        let bounds = scene.subjectBounds
        guard scene.animations.isEmpty, !bounds.isEmpty, bounds.radius > 0, bounds.radius.isFinite,
            let radii = radii(of: scene, bounds)
        else { return 1 }
        let center = bounds.center.y
        let height = bounds.maximum.y - bounds.minimum.y
        let (sine, cosine) = (sin(elevation.radians), cos(elevation.radians))
        let slope = tan(fieldOfView.radians / 2) * (1 - margin)
        var distance: Float = 0
        for (slice, radius) in radii.enumerated() where radius >= 0 {
            for edge in [slice, slice + 1] {
                let y = bounds.minimum.y + height * Float(edge) / Float(slices) - center
                for turn in 0..<turns {
                    let angle = 2 * Float.pi * Float(turn) / Float(turns)
                    let (across, along) = (radius * sin(angle), radius * cos(angle))
                    // Towards the camera, and up in the image.
                    let (near, up) = (along * cosine + y * sine, y * cosine - along * sine)
                    distance = max(distance, near + max(abs(across), abs(up)) / slope)
                }
            }
        }
        let fitting = Self.distance(of: bounds, share: 1, elevation: elevation, fieldOfView: fieldOfView)
        return (100 * min(max(distance / fitting, 0.3), 1)).rounded(.up) / 100
    }

    /// Returns `share` times the distance at which the bounds fit into a square image.
    static func distance(of bounds: BoundingBox, share: Float, elevation: Angle, fieldOfView: Angle) -> Float {
        share * OrbitPose(fitting: bounds, elevation: elevation, fieldOfView: fieldOfView, aspectRatio: 1).distance
    }

    /// The largest distance of a vertex from the vertical axis through the centre, for slices from bottom to top; negative without a vertex.
    ///
    /// - Returns: nil if a mesh is deformed.
    private static func radii(of scene: Scene, _ bounds: BoundingBox) -> [Float]? {
        var squares = [Float](repeating: -1, count: slices)
        var isRigid = true
        let center = bounds.center
        let scale = Float(slices) / max(bounds.maximum.y - bounds.minimum.y, bounds.radius * 1e-6)
        scene.rootNode.forSubtree { node in
            guard isRigid, let mesh = node.mesh else { return }
            guard node.skin == nil, mesh.morphTargetCount == 0 else {
                isRigid = false
                return
            }
            let world = node.worldTransform
            for part in mesh.parts {
                guard let positions = part.geometry.attribute(.position)?.values else { continue }
                for base in stride(from: 0, to: positions.count - 2, by: 3) {
                    let point = world.transform(point: Vector3(positions[base], positions[base + 1], positions[base + 2]))
                    let (x, z) = (point.x - center.x, point.z - center.z)
                    let slice = min(max((point.y - bounds.minimum.y) * scale, 0), Float(slices - 1))
                    guard slice.isFinite else { continue }
                    squares[Int(slice)] = max(squares[Int(slice)], x * x + z * z)
                }
            }
        }
        return isRigid ? squares.map { $0 < 0 ? -1 : $0.squareRoot() } : nil
    }
}
