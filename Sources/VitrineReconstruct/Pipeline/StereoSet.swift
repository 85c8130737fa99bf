import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineVision

/// The photos that depth is measured in, as pinholes made when they are asked for, with the neighbours of each.
final class StereoSet {
    /// Indices of photos.
    let photos: [Int]
    /// For each of `photos` the places (in `photos`) of those that it is compared with, the best first.
    let sources: [[Int]]
    /// What makes each view what it is.
    let viewKeys: [Digest]
    /// The longer side of the views, pixels.
    let dimension: Int

    private let alignment: Alignment
    private let store: PhotoStore
    private let ranges: [ClosedRange<Float>]
    private var cache: [(index: Int, view: PhotoView)] = []
    private let capacity: Int

    /// - Parameter cacheBytes: how much of the views is kept at hand.
    init(_ alignment: Alignment, store: PhotoStore, dimension: Int, cacheBytes: Int) throws {
        (self.alignment, self.store, self.dimension) = (alignment, store, dimension)
        let model = alignment.model
        let candidates = alignment.used.filter { alignment.seesEnough($0) }
        var selection = NeighborSelection()
        selection.maximumSources = 6
        let cameras = candidates.compactMap { model.cameras[$0] }
        let seen = model.pointsByPhoto()
        let found = selection.sources(
            cameras: cameras, points: model.points.map(\.position), observations: candidates.map { seen[$0] })
        // A photo without neighbours takes no part; its place is gone from the others' lists.
        let kept = candidates.indices.filter { !found[$0].isEmpty }
        let place = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($0.element, $0.offset) })
        photos = kept.map { candidates[$0] }
        sources = kept.map { found[$0].compactMap { place[$0] } }
        ranges = kept.map { alignment.depthRange(of: candidates[$0], bounds: alignment.searchBounds) }
        let (photoList, rangeList) = (photos, ranges)
        let depthKeys = try alignment.photos.map { try $0.depth?.digest() ?? .zero }
        viewKeys = photos.indices.map { index in
            let photo = photoList[index]
            return Digest { hasher in
                hasher.combine(alignment.photos[photo].digest)
                hasher.combine(
                    "\(alignment.photos[photo].size) \(dimension) \(rangeList[index]) \(String(describing: model.cameras[photo]))")
                hasher.combine(alignment.maskKeys[photo])
                hasher.combine(depthKeys[photo])
                hasher.combine(alignment.placement.unitsPerDepthMetre ?? 0)
            }
        }
        let largest = photos.map { alignment.photos[$0].size.reduced(maximumSide: dimension).pixels }.max() ?? 1
        capacity = max((sources.map(\.count).max() ?? 0) + 3, cacheBytes / max(1, largest * 4))
    }

    func view(_ index: Int) throws -> PhotoView {
        if let place = cache.firstIndex(where: { $0.index == index }) {
            let entry = cache.remove(at: place)
            cache.append(entry)
            return entry.view
        }
        let view = try alignment.view(of: photos[index], store: store, dimension: dimension, depthRange: ranges[index])
        if cache.count >= capacity { cache.removeFirst() }
        cache.append((index, view))
        return view
    }

    /// A sensor's depth in the model's unit, as the view's pinhole has it; nil without one.
    func prior(_ index: Int) throws -> DepthPrior? {
        let photo = photos[index]
        guard let factor = alignment.placement.unitsPerDepthMetre, let camera = alignment.model.cameras[photo],
            var depths = try SensorDepth.plane(of: alignment.photos[photo])
        else { return nil }
        for pixel in depths.values.indices { depths.values[pixel] *= Float(factor) }
        return DepthPrior(depths: Undistorter(camera: camera, maximumSide: dimension).depths(depths))
    }

    func key(_ kind: String, _ index: Int, options: String, parts: [Digest]) -> Digest {
        Digest { hasher in
            hasher.combine(kind)
            hasher.combine(options)
            hasher.combine(viewKeys[index])
            for part in parts { hasher.combine(part) }
        }
    }
}

extension Alignment {
    /// About which share of the photos' pixels depth is measured in: the box's outline in them.
    var searchedShare: Double {
        guard let searchBounds, !used.isEmpty else { return 1 }
        let shares = used.map { photo -> Double in
            guard var camera = model.cameras[photo] else { return 1 }
            let size = PhotoSize(width: camera.intrinsics.width, height: camera.intrinsics.height).reduced(maximumSide: 160)
            camera.intrinsics = camera.intrinsics.resized(width: size.width, height: size.height)
            return searchBounds.outline(in: camera)?.coverage ?? 1
        }
        return shares.reduce(0, +) / Double(shares.count)
    }

    /// Where the object may be in a photo: its mask, within the outline of the object's box; nil where neither says anything.
    private func objectMask(of photo: Int, camera: PosedCamera, store: PhotoStore) throws -> MaskPlane? {
        let mask = try store.mask(photo)
        guard var outline = searchBounds?.outline(in: camera) else { return mask }
        guard let mask else { return outline }
        for y in 0..<outline.height {
            let row = min(mask.height - 1, (2 * y + 1) * mask.height / (2 * outline.height))
            for x in 0..<outline.width where outline[x, y] != 0 {
                let column = min(mask.width - 1, (2 * x + 1) * mask.width / (2 * outline.width))
                outline[x, y] = mask[column, row]
            }
        }
        return outline
    }

    /// A photo as a pinhole.
    ///
    /// - Parameter dimension: its longer side at most, pixels.
    func view(of photo: Int, store: PhotoStore, dimension: Int, depthRange: ClosedRange<Float>) throws -> PhotoView {
        guard var camera = model.cameras[photo] else { throw DamagedCheckpoint() }
        let mask = try objectMask(of: photo, camera: camera, store: store)
        // Twice the size that is wanted shows all of it, and costs less than a large photo.
        let color = try store.color(photo, maximumSide: 2 * dimension)
        camera.intrinsics = camera.intrinsics.resized(width: color.width, height: color.height)
        return try Undistorter(camera: camera, maximumSide: dimension).view(
            photo: photo, color: color, mask: mask, depthRange: depthRange, parallel: Parallel(threads: 1))
    }
}
