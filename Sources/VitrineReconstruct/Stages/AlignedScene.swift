import VitrineMath
import VitrineVision

/// The aligned photos and the object, all in one frame.
struct AlignedScene<F: Frame>: Sendable {
    /// Lenses and errors in pixels of the photos' working sizes.
    let model: SparseModel
    /// The box around the object; nil if the whole scene is kept.
    let bounds: OrientedBox?
    /// The box in which depth is estimated: around the object with a margin, because features do not reach its edges; nil: everywhere.
    let searchBounds: OrientedBox?
    let supportPlane: Plane3<Float>?
    /// The box around the object, also if the whole scene is kept.
    let objectBox: OrientedBox
    /// The range of depths of each photo; nil for a photo that observes too few points.
    private let depthRanges: [ClosedRange<Float>?]

    private init(
        model: SparseModel, bounds: OrientedBox?, searchBounds: OrientedBox?, supportPlane: Plane3<Float>?, objectBox: OrientedBox
    ) {
        (self.model, self.bounds, self.searchBounds) = (model, bounds, searchBounds)
        (self.supportPlane, self.objectBox) = (supportPlane, objectBox)
        depthRanges = model.depthRanges()
    }

    /// The box around the object along the axes.
    var axisAlignedBounds: BoundingBox {
        objectBox.corners.reduce(into: BoundingBox.empty) { $0.formUnion(Vector3($1)) }
    }

    /// Whether a photo observes enough points for its depth to be estimated.
    func observesEnough(_ photo: Int) -> Bool { depthRanges[photo] != nil }

    /// The depth range of a photo: that of the box, otherwise that of the points that it observes.
    func depthRange(of photo: Int, bounds: OrientedBox?) -> ClosedRange<Float> {
        let observed = depthRanges[photo] ?? 0.01...100
        guard let bounds, let camera = model.cameras[photo] else { return observed }
        let depths = bounds.corners.map { (camera.cameraFromWorld * $0).z }
        let far = Float(depths.max() ?? 0)
        guard far > 0 else { return observed }
        // Inside the box the nearest surface may be at the lens.
        let near = max(Float(depths.min() ?? 0), far * 0.02)
        return near...max(near, far)
    }

    /// The approximate fraction of the photos' pixels whose depth is estimated: the box's outline.
    var searchedFraction: Double {
        let used = model.registered
        guard let searchBounds, !used.isEmpty else { return 1 }
        let shares = used.map { photo -> Double in
            guard var camera = model.cameras[photo] else { return 1 }
            let size = PhotoSize(width: camera.intrinsics.width, height: camera.intrinsics.height).reduced(maximumSide: 160)
            camera.intrinsics = camera.intrinsics.resized(width: size.width, height: size.height)
            return searchBounds.outline(in: camera)?.coverage ?? 1
        }
        return shares.reduce(0, +) / Double(shares.count)
    }
}

extension AlignedScene<PlacedFrame> {
    /// Moves the aligned scene to its placement.
    ///
    /// - Parameters:
    ///   - model: The sparse model in the mapper's frame.
    ///   - keepsScene: Whether the whole scene is kept, not only the object.
    ///   - searchesEverywhere: Whether a request needs more than the object.
    init(model: SparseModel, placement: Placement, keepsScene: Bool, searchesEverywhere: Bool) {
        let move = placement.placedFromMapper.similarity
        let box = placement.object.box.moved(by: move)
        self.init(
            model: model.moved(by: move), bounds: keepsScene ? nil : box,
            searchBounds: keepsScene || searchesEverywhere ? nil : box.scaled(by: 1.15),
            supportPlane: placement.object.supportPlane.map {
                Plane3<Float>(normal: Vector3($0.normal), offset: Float($0.offset)).moved(by: move)
            }, objectBox: box)
    }

    /// The scene in the model's frame.
    ///
    /// - Parameter framing: The framing of the model; nil if the placed frame is the model's frame.
    func settled(by framing: ModelFraming?) -> AlignedScene<ModelFrame> {
        guard let framing else {
            return AlignedScene<ModelFrame>(
                model: model, bounds: bounds, searchBounds: searchBounds, supportPlane: supportPlane, objectBox: objectBox)
        }
        let move = framing.modelFromPlaced.similarity
        let box = framing.boxInPlaced.moved(by: move)
        return AlignedScene<ModelFrame>(
            model: model.moved(by: move), bounds: box, searchBounds: searchBounds?.moved(by: move),
            supportPlane: (framing.supportPlane ?? supportPlane)?.moved(by: move), objectBox: box)
    }
}
