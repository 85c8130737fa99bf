import VitrineMath
import VitrineVision

/// The aligned photos in the model's frame, and where the object is.
struct Alignment: Sendable {
    let photos: [Photo]
    /// In the model's frame, as everything here.
    private(set) var model: SparseModel
    let placement: Placement.Found
    /// Around the object; nil where everything is wanted.
    private(set) var bounds: OrientedBox?
    /// Where depth is measured: around the object with some room, since features don't reach its edges; nil: everywhere.
    private(set) var searchBounds: OrientedBox?
    private(set) var supportPlane: Plane3<Float>?
    /// By photo: what masks it depends on.
    var maskKeys: [Digest]
    private var depths: [ClosedRange<Float>?]
    private var publicBox: OrientedBox

    var used: [Int] { model.registered }

    /// - Parameter model: in the frame that the mapper chose.
    init(photos: [Photo], model: SparseModel, placement: Placement.Found, keepsScene: Bool) {
        self.photos = photos
        self.placement = placement
        let move = placement.object.publicFromReconstruction
        var moved = model
        moved.move(by: move)
        self.model = moved
        let box = placement.object.box.moved(by: move)
        bounds = keepsScene ? nil : box
        searchBounds = bounds?.scaled(by: 1.15)
        supportPlane = placement.object.supportPlane.map {
            Plane3<Float>(normal: Vector3($0.normal), offset: Float($0.offset)).moved(by: move)
        }
        maskKeys = Array(repeating: .zero, count: photos.count)
        depths = moved.depthRanges()
        publicBox = box
    }

    /// Depth is wanted everywhere: a request may want more than the object.
    mutating func searchEverywhere() { searchBounds = nil }

    /// The same once the object's surface is known: its box fits the points, it stands on the origin, and it has the size that it should.
    ///
    /// - Parameter size: what the longest side shall be; nil: the scale stays.
    /// - Returns: what took the points to their new place.
    mutating func settle(_ points: inout OrientedPoints, size: Double?) {
        guard let box = bounds else { return }
        let refined = placement.object.subject == .view ? box.shrunk(to: points) : box.refined(by: points, supportPlane: supportPlane)
        let scale = size.map { $0 / refined.longestSide } ?? 1
        guard scale > 0, scale.isFinite else { return }
        let base = Vector3d(refined.center.x, refined.corners.map(\.y).min() ?? 0, refined.center.z)
        let move = SimilarityTransform(scale: scale, rotation: .identity, translation: -base * scale)
        model.move(by: move)
        (bounds, publicBox) = (refined.moved(by: move), refined.moved(by: move))
        searchBounds = searchBounds?.moved(by: move)
        supportPlane = supportPlane?.moved(by: move)
        depths = model.depthRanges()
        for index in points.positions.indices {
            points.positions[index] = Vector3(move * Vector3d(points.positions[index]))
            points.spacings[index] *= Float(scale)
        }
    }

    /// The box around the object along the axes.
    var publicBounds: BoundingBox {
        publicBox.corners.reduce(into: BoundingBox.empty) { $0.formUnion(Vector3($1)) }
    }

    /// The depths in a photo that matter: those of the box, else of all that it sees.
    func depthRange(of photo: Int, bounds: OrientedBox?) -> ClosedRange<Float> {
        let seen = depths[photo] ?? 0.01...100
        guard let bounds, let camera = model.cameras[photo] else { return seen }
        let depths = bounds.corners.map { (camera.cameraFromWorld * $0).z }
        let far = Float(depths.max() ?? 0)
        guard far > 0 else { return seen }
        // From inside the box the nearest things are at the lens.
        let near = max(Float(depths.min() ?? 0), far * 0.02)
        return near...max(near, far)
    }

    /// Whether enough of a photo's points have a place for depth to be measured.
    func seesEnough(_ photo: Int) -> Bool { depths[photo] != nil }

    func sparseSample(_ count: Int) -> [PhotogrammetrySession.PointCloud.Point] {
        let points = model.points.map {
            PhotogrammetrySession.PointCloud.Point(position: Vector3($0.position), color: SIMD4($0.color, 255))
        }
        return PhotogrammetrySession.PointCloud(points: points).sample(count)
    }

    /// For other programs: cameras and features as they fit the photos' files, whatever size the photos were used at.
    func publicAlignment(features: [[SIMD2<Float>]]) -> ReconstructionSummary.Alignment {
        var (stored, positions) = (model, features)
        for (index, photo) in photos.enumerated() where photo.size != photo.storedSize {
            let size = photo.storedSize
            let factor = Double(size.longerSide) / Double(photo.size.longerSide)
            stored.cameras[index]?.intrinsics = model.cameras[index]!.intrinsics.resized(width: size.width, height: size.height)
            positions[index] = features[index].map { $0 * Float(factor) }
            stored.fits[index].meanError *= factor
            stored.fits[index].medianError *= factor
        }
        for index in stored.groups.indices {
            guard let first = stored.groups[index].photos.first else { continue }
            let size = photos[first].storedSize
            stored.groups[index].intrinsics = stored.groups[index].intrinsics.resized(width: size.width, height: size.height)
        }
        return .init(photos: photos.map { .init(id: $0.id, name: $0.name, url: $0.url) }, model: stored, featurePositions: positions)
    }
}

extension Plane3<Float> {
    /// The plane after the world has moved.
    func moved(by newWorldFromWorld: SimilarityTransform) -> Plane3<Float> {
        let turned = newWorldFromWorld.rotation * Vector3d(normal)
        return Plane3<Float>(
            normal: Vector3(turned), offset: Float(Double(offset) * newWorldFromWorld.scale + dot(turned, newWorldFromWorld.translation)))
    }
}
