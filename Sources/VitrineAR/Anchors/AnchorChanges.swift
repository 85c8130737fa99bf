/// What became of anchors since the last frame.
struct AnchorChanges: Equatable, Sendable {
    var added: [ARAnchor] = []
    var updated: [ARAnchor] = []
    /// As they were last.
    var removed: [ARAnchor] = []

    var isEmpty: Bool { added.isEmpty && updated.isEmpty && removed.isEmpty }
}

/// What looking at a picture changed among the planes, in the tracker's world.
///
/// Where two are merged, the one that is left is in `updated` and the other's anchor in `removed`.
struct PlaneAnchorChanges: Equatable, Sendable {
    var added: [ARPlaneAnchor] = []
    var updated: [ARPlaneAnchor] = []
    var removed: [ARPlaneAnchor] = []
}
