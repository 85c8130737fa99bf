import VitrineVision

/// The estimated values of a filter, without their covariance.
struct FilterEstimate {
    /// The body's pose at a frame's capture.
    struct Clone {
        var worldFromBody: RigidTransform
        /// The first estimate of the position, at which Jacobians are evaluated.
        var firstPosition: Vector3d
        /// The frame's time on the camera's clock.
        var time = 0.0
        /// The motion around the capture, for the rows of a rolling shutter.
        var motion = RowMotion()

        /// The body's pose a short time after the capture of the middle row.
        @inline(__always) func worldFromBody(after delay: Double) -> RigidTransform {
            delay == 0 ? worldFromBody : motion.pose(worldFromBody, after: delay)
        }
    }

    /// The pose of a past frame to which landmarks of a map are fixed. The map estimates it; for the images it is a consider parameter.
    struct Keyframe {
        var id: Int
        var worldFromBody: RigidTransform
        /// The first estimate of the position, at which Jacobians are evaluated.
        var firstPosition: Vector3d
        /// Whether the error of its landmarks is part of the covariance.
        var includesMapError = false
    }

    /// A point in the state.
    struct Point {
        var id: Int
        var position: Vector3d
        /// The first estimate of the position, at which Jacobians are evaluated.
        var firstPosition: Vector3d
        /// The newest observation: pixel, and the frame's time on the camera's clock.
        var pixel: Vector2d
        var observed: Double
        /// The frame's time at which the point was added.
        var added: Double
        /// Number of consecutive rejected observations.
        var rejections = 0
    }

    let layout: FilterLayout
    var body: FilterState
    /// Position and velocity as propagated last, before updates: the first estimates.
    var firstPosition: Vector3d, firstVelocity: Vector3d
    var rig: SensorRig
    /// The rotation of the second camera relative to its calibration: see ``MeasuredDepth/turnSlope``.
    private(set) var secondTurn = 0.0
    /// Corrections of scale and misalignment of the readings.
    private(set) var gyroscopeCorrection = Matrix3d.identity, accelerometerCorrection = Matrix3d.identity
    /// By slot; `order` has the slots in use.
    private(set) var clones: [Clone]
    /// Slots in use, oldest first.
    private(set) var order: [Int] = []
    private(set) var points: [Point] = []
    /// By slot.
    private(set) var keyframes: [Keyframe] = []
    /// The indices of `points` by identifier.
    private var pointIndices: [Int: Int] = [:]

    init(layout: FilterLayout, rig: SensorRig, state: FilterState, calibration: [Double]? = nil) {
        (self.layout, self.rig, body) = (layout, rig, state)
        (firstPosition, firstVelocity) = (state.worldFromBody.translation, state.velocity)
        clones = Array(
            repeating: Clone(worldFromBody: state.worldFromBody, firstPosition: state.worldFromBody.translation), count: layout.slots)
        if let calibration { calibration.withUnsafeBufferPointer { if let first = $0.baseAddress { correctReadings(first) } } }
    }

    // MARK: Clones

    /// Adds the current pose as a clone, in a free slot.
    mutating func addClone(_ motion: RowMotion = RowMotion(), time: Double = 0) -> Int {
        let slot = (0..<layout.slots).first { !order.contains($0) } ?? 0
        setClone(slot)
        (clones[slot].motion, clones[slot].time) = (motion, time)
        return slot
    }

    /// Stores the current pose in a slot.
    mutating func setClone(_ slot: Int, firstPosition: Vector3d? = nil) {
        clones[slot] = Clone(worldFromBody: body.worldFromBody, firstPosition: firstPosition ?? self.firstPosition)
        order.append(slot)
    }

    /// Removes the oldest clone and returns its slot.
    mutating func removeOldestClone() -> Int? { order.isEmpty ? nil : order.removeFirst() }

    // MARK: Keyframes

    /// The slot of a keyframe.
    func keyframe(_ id: Int) -> Int? { keyframes.firstIndex { $0.id == id } }

    /// Stores a clone's pose as a keyframe, in a new slot or instead of another one.
    mutating func putKeyframe(_ id: Int, clone: Int, in slot: Int) {
        let clone = clones[clone]
        let keyframe = Keyframe(id: id, worldFromBody: clone.worldFromBody, firstPosition: clone.firstPosition)
        if slot < keyframes.count { keyframes[slot] = keyframe } else { keyframes.append(keyframe) }
    }

    /// Notes whether the error of a keyframe's landmarks is part of the covariance.
    mutating func setMapError(ofKeyframe slot: Int, isIncluded: Bool) { keyframes[slot].includesMapError = isIncluded }

    mutating func removeKeyframes() { keyframes = [] }

    /// The two keyframes that are most alike, of all but one with the identifier `kept`: the slots of the newer and of the older one.
    func mostSimilarKeyframes(keeping kept: Int?) -> (newer: Int, older: Int) {
        let first = keyframes.firstIndex { $0.id != kept } ?? 0
        var (pair, least) = ((newer: first, older: first), Double.infinity)
        for (slot, keyframe) in keyframes.enumerated() where keyframe.id != kept {
            for (other, second) in keyframes.enumerated().dropFirst(slot + 1) where second.id != kept {
                let (a, b) = (keyframe.worldFromBody, second.worldFromBody)
                // A radian counts as a metre.
                let difference = length(a.translation - b.translation) + length((a.rotation.transpose * b.rotation).rotationVector)
                if difference < least { (pair, least) = (keyframe.id > second.id ? (slot, other) : (other, slot), difference) }
            }
        }
        return pair
    }

    // MARK: Points

    func indexOfPoint(_ id: Int) -> Int? { pointIndices[id] }

    mutating func append(_ point: Point) {
        pointIndices[point.id] = points.count
        points.append(point)
    }

    /// Removes a point; the last one takes its index.
    mutating func removePoint(_ index: Int) {
        pointIndices[points[index].id] = nil
        let last = points.removeLast()
        if index < points.count {
            points[index] = last
            pointIndices[last.id] = index
        }
    }

    mutating func observePoint(_ index: Int, pixel: Vector2d, time: Double) {
        (points[index].pixel, points[index].observed) = (pixel, time)
    }
    mutating func confirmPoint(_ index: Int, time: Double) { points[index].observed = time }
    mutating func acceptPoint(_ index: Int) { points[index].rejections = 0 }
    mutating func rejectPoint(_ index: Int) { points[index].rejections += 1 }

    // MARK: Estimation

    /// Makes the current estimates the first estimates.
    mutating func renewFirstEstimates() {
        for slot in order { clones[slot].firstPosition = clones[slot].worldFromBody.translation }
        for index in points.indices { points[index].firstPosition = points[index].position }
        for slot in keyframes.indices { keyframes[slot].firstPosition = keyframes[slot].worldFromBody.translation }
        renewFirstMotion()
    }

    /// Makes the current position and velocity the first estimates.
    mutating func renewFirstMotion() { (firstPosition, firstVelocity) = (body.worldFromBody.translation, body.velocity) }

    /// Adds an error of `layout`'s shape to everything but first estimates, and to the keyframes if they are estimated.
    mutating func correct(_ error: UnsafePointer<Double>, estimatesKeyframes: Bool) {
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
        secondTurn += error[FilterLayout.secondTurn]
        correctReadings(error + layout.inertialCalibration)
        for slot in order { turn(&clones[slot].worldFromBody, layout.clone(slot)) }
        for index in points.indices { points[index].position += vector(layout.point(index)) }
        guard estimatesKeyframes else { return }
        for slot in keyframes.indices { turn(&keyframes[slot].worldFromBody, layout.keyframe(slot)) }
    }

    /// Adds the 18 entries of the matrices of scale and misalignment.
    private mutating func correctReadings(_ entries: UnsafePointer<Double>) {
        func column(_ at: Int) -> Vector3d { Vector3d(entries[at], entries[at + 1], entries[at + 2]) }
        gyroscopeCorrection = gyroscopeCorrection + Matrix3d(column(0), column(3), column(6))
        accelerometerCorrection = accelerometerCorrection + Matrix3d(column(9), column(12), column(15))
    }

    /// A sample with the corrected readings.
    func corrected(_ sample: InertialSample) -> InertialSample {
        InertialSample(
            time: sample.time, angularVelocity: gyroscopeCorrection * sample.angularVelocity,
            acceleration: accelerometerCorrection * sample.acceleration)
    }

    /// The camera's pose of a clone.
    func cameraFromWorld(_ slot: Int) -> RigidTransform { rig.cameraFromBody * clones[slot].worldFromBody.inverse }

    /// The camera's pose at the exposure of a pixel's row.
    func cameraFromWorld(_ slot: Int, _ pixel: Vector2d) -> RigidTransform {
        rig.cameraFromBody * clones[slot].worldFromBody(after: rig.readoutShare(pixel) * rig.readoutTime).inverse
    }
}
