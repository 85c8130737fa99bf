import VitrineVision

/// The observations of one feature in the clones' frames. Its point is not part of the state.
struct FeatureTrack {
    let id: Int
    /// A bit for each slot with an observation that was not used in an update.
    private(set) var mask: UInt32 = 0
    /// The distorted pixels and the undistorted normalized coordinates of each slot.
    private(set) var pixels: [Vector2d]
    private(set) var normalized: [Vector2d]
    /// The measured depths of each slot; nil if unknown. Empty if no depth was measured.
    private(set) var depths: [MeasuredDepth?] = []
    /// The triangulated position.
    private(set) var landmark = LandmarkEstimate()
    /// The newest slot with an observation.
    private var newest = -1

    init(id: Int, slots: Int) {
        self.id = id
        pixels = Array(repeating: .zero, count: slots)
        normalized = pixels
    }

    var count: Int { mask.nonzeroBitCount }
    /// Whether a slot has an unused observation.
    func isObserved(in slot: Int) -> Bool { mask & (1 << UInt32(slot)) != 0 }
    /// Whether a slot has the newest observation.
    func isNewest(in slot: Int) -> Bool { newest == slot }

    /// The measured depth in a slot's frame; nil if unknown.
    ///
    /// - Parameter turn: The estimated rotation of the second camera.
    func depth(in slot: Int, turn: Double) -> MeasuredDepth? { depths.isEmpty ? nil : depths[slot]?.corrected(turn: turn) }
    /// Whether a slot's depth was measured.
    func hasDepth(in slot: Int) -> Bool { !depths.isEmpty && depths[slot] != nil }

    mutating func observe(_ pixel: Vector2d, _ normalized: Vector2d, depth: MeasuredDepth?, in slot: Int) {
        if depth != nil, depths.isEmpty { depths = Array(repeating: nil, count: pixels.count) }
        if !depths.isEmpty { depths[slot] = depth }
        pixels[slot] = pixel
        self.normalized[slot] = normalized
        mask |= 1 << UInt32(slot)
        newest = slot
        landmark.observe(in: slot)
    }

    /// Removes a slot's observation.
    mutating func remove(_ slot: Int) {
        mask &= ~(1 << UInt32(slot))
        landmark.remove(slot)
        if newest == slot { newest = -1 }
    }

    /// Marks all observations as used.
    mutating func markUsed() { mask = 0 }

    mutating func refineLandmark(
        _ rays: [LandmarkEstimate.Ray], noise: Double, uncertainty: LandmarkEstimate.MotionUncertainty, _ quantiles: ChiSquare
    ) {
        landmark.refine(rays, noise: noise, uncertainty: uncertainty, quantiles)
    }
}

/// The tracks of features that are not in the state, in the order of their first observation.
struct FeatureTrackTable {
    private(set) var tracks: [FeatureTrack] = []
    private var indices: [Int: Int] = [:]
    private let slots: Int

    init(slots: Int) { self.slots = slots }

    func index(of id: Int) -> Int? { indices[id] }

    /// Adds an observation, to a new track if the feature has none. The first observation of a feature in a slot counts.
    mutating func observe(_ id: Int, _ pixel: Vector2d, _ normalized: Vector2d, depth: MeasuredDepth?, in slot: Int) {
        if let index = indices[id] {
            guard !tracks[index].isObserved(in: slot) else { return }
            tracks[index].observe(pixel, normalized, depth: depth, in: slot)
        } else {
            var track = FeatureTrack(id: id, slots: slots)
            track.observe(pixel, normalized, depth: depth, in: slot)
            indices[id] = tracks.count
            tracks.append(track)
        }
    }

    /// Removes a slot's observations.
    mutating func remove(_ slot: Int) { for index in tracks.indices { tracks[index].remove(slot) } }

    /// Removes tracks without an observation in the newest slot.
    mutating func removeEnded(_ slot: Int) {
        tracks.removeAll { !$0.isNewest(in: slot) }
        indices.removeAll(keepingCapacity: true)
        for (index, track) in tracks.enumerated() { indices[track.id] = index }
    }

    mutating func markUsed(_ index: Int) { tracks[index].markUsed() }

    mutating func refineLandmark(
        _ index: Int, _ rays: [LandmarkEstimate.Ray], noise: Double, uncertainty: LandmarkEstimate.MotionUncertainty, _ quantiles: ChiSquare
    ) {
        tracks[index].refineLandmark(rays, noise: noise, uncertainty: uncertainty, quantiles)
    }
}
