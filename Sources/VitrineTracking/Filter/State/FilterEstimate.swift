import VitrineVision

/// All that a filter estimates, beside how sure it is.
struct FilterEstimate {
    /// The body's pose when a picture was taken.
    struct Clone {
        var worldFromBody: RigidTransform
        /// The position as it was first propagated: what Jacobians see.
        var firstPosition: Vector3d
    }

    /// A point of the world that is part of the state.
    struct Point {
        var id: Int
        var position: Vector3d
        /// Where it was triangulated first: what Jacobians see.
        var firstPosition: Vector3d
        /// Where the newest picture shows it, and the time of the last that did.
        var pixel: Vector2d
        var seen: Double
        /// When it became part of the state.
        var started: Double
        /// How often running the gate turned it away.
        var misses = 0
    }

    let layout: FilterLayout
    var body: FilterState
    /// Position and velocity as they were propagated last, before measurements changed them.
    var firstPosition: Vector3d, firstVelocity: Vector3d
    var rig: SensorRig
    /// By slot; `order` says which are in use.
    var clones: [Clone]
    /// Slots, oldest first.
    var order: [Int] = []
    var points: [Point] = []

    init(layout: FilterLayout, rig: SensorRig, state: FilterState) {
        (self.layout, self.rig, body) = (layout, rig, state)
        (firstPosition, firstVelocity) = (state.worldFromBody.translation, state.velocity)
        clones = Array(
            repeating: Clone(worldFromBody: state.worldFromBody, firstPosition: state.worldFromBody.translation), count: layout.slots)
    }

    /// Adds an error of `layout`'s shape to everything but first estimates.
    mutating func correct(_ error: UnsafePointer<Double>) {
        func vector(_ at: Int) -> Vector3d { Vector3d(error[at], error[at + 1], error[at + 2]) }
        func turn(_ pose: inout RigidTransform, _ at: Int) {
            pose.rotation = (Matrix3d.rotation(vector(at)) * pose.rotation).orthonormalized
            pose.translation += vector(at + 3)
        }
        turn(&body.worldFromBody, FilterLayout.orientation)
        body.velocity += vector(FilterLayout.velocity)
        body.gyroscopeBias += vector(FilterLayout.gyroscopeBias)
        body.accelerometerBias += vector(FilterLayout.accelerometerBias)
        rig.timeOffset += error[FilterLayout.timeOffset]
        turn(&rig.cameraFromBody, FilterLayout.extrinsics)
        let i = FilterLayout.intrinsics
        rig.camera.focal += Vector2d(error[i], error[i + 1])
        rig.camera.center += Vector2d(error[i + 2], error[i + 3])
        let lens = SIMD4(error[i + 4], error[i + 5], error[i + 6], error[i + 7])
        rig.camera.distortion.fourCoefficients += lens
        for slot in order { turn(&clones[slot].worldFromBody, layout.clone(slot)) }
        for index in points.indices { points[index].position += vector(layout.point(index)) }
    }

    /// The camera's pose when a clone's picture was taken.
    func cameraFromWorld(_ slot: Int) -> RigidTransform { rig.cameraFromBody * clones[slot].worldFromBody.inverse }
}
