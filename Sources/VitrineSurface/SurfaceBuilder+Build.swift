import VitrineMath
import VitrineVision

extension SurfaceBuilder {
    /// Makes the mesh of `points`.
    ///
    /// - Parameters:
    ///   - points: World frame; normals outward. Only the positions and normals are necessary: `spacings`, `confidences` and the views may be empty.
    ///   - cameras: By `PhotoView.photo`, which is what the points' views refer to; nil for photos without a pose. Empty: points are not
    ///     filtered by visibility.
    ///   - bounds: Points outside are not used, and the mesh is cut there. nil: everything.
    ///   - supportPlane: What the object stands on. nil: nothing is known.
    ///   - progress: Called with 0…1, rising.
    ///   - isCancelled: Asked several times a second.
    /// - Throws: `SurfaceError`.
    public func build(
        points: OrientedPoints, cameras: [PosedCamera?] = [], bounds: OrientedBox? = nil, supportPlane: SupportPlane? = nil,
        parallel: Parallel = Parallel(), progress: (Double) -> Void = { _ in }, isCancelled: () -> Bool = { false }
    ) throws(SurfaceError) -> SurfaceResult {
        try options.validate()
        throw .emptySurface
    }
}
