import VitrineVision

/// Where the clones' pictures show one point that isn't part of the state.
struct FeatureTrack {
    let id: Int
    /// A bit for each slot whose picture shows it and hasn't been used.
    var mask: UInt32 = 0
    /// The newest slot whose picture shows it.
    private var newest = -1
    /// By slot: as seen, and without the lens.
    var pixels: [Vector2d]
    var normalized: [Vector2d]
    var place = PointPlace()

    init(id: Int, slots: Int) {
        self.id = id
        pixels = Array(repeating: .zero, count: slots)
        normalized = pixels
    }

    var count: Int { mask.nonzeroBitCount }
    func isSeen(in slot: Int) -> Bool { mask & (1 << UInt32(slot)) != 0 }
    func isShown(in slot: Int) -> Bool { newest == slot }

    mutating func see(_ pixel: Vector2d, _ normalized: Vector2d, in slot: Int) {
        pixels[slot] = pixel
        self.normalized[slot] = normalized
        mask |= 1 << UInt32(slot)
        newest = slot
        place.see(in: slot)
    }

    mutating func forget(_ slot: Int) {
        mask &= ~(1 << UInt32(slot))
        place.forget(slot)
        if newest == slot { newest = -1 }
    }
}
