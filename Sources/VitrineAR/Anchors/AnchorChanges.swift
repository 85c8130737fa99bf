/// Changes of anchors since the last frame.
struct AnchorChanges: Equatable, Sendable {
    var added: [ARAnchor] = []
    var updated: [ARAnchor] = []
    /// The removed anchors in their last state.
    var removed: [ARAnchor] = []

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }
}

/// Changes of planes by one frame, in the tracker's world.
///
/// When two planes merge, the survivor is in `updated` and the other's anchor in `removed`.
struct PlaneAnchorChanges: Equatable, Sendable {
    var added: [ARPlaneAnchor] = []
    var updated: [ARPlaneAnchor] = []
    var removed: [ARPlaneAnchor] = []
}
