import VitrineDense
import VitrineMath
import VitrineVision

/// The undistorted photos that the dense stages need, and the sources of each photo.
struct ViewPlan {
    /// Indices of the photos in which depth is estimated.
    let stereoPhotos: [Int]
    /// The indices (in `stereoPhotos`) of the sources of each of `stereoPhotos`, the best first.
    let sources: [[Int]]
    /// The view of each stereo photo.
    let stereoViews: [PhotoViewReference<PlacedFrame>]
    /// The longer side of depth maps, pixels.
    let depthDimension: Int
    /// The larger views of the same photo that use the same decoding, by the stereo photo's key.
    let siblings: [Digest: [ViewStage.Input]]

    private let alignment: PhotoAlignment

    /// Plans the views of a reconstruction.
    ///
    /// - Parameter freeBytes: The free bytes on the checkpoint's disk; nil if unknown.
    init(_ alignment: PhotoAlignment, job: ReconstructionJob, memory: MemoryPlan, freeBytes: Int64?) {
        self.alignment = alignment
        depthDimension = memory.depthDimension
        let (scene, model) = (alignment.placed, alignment.placed.model)
        let candidates = model.registered.filter { scene.observesEnough($0) }
        var selection = NeighborSelection()
        selection.maximumSources = 6
        let observed = model.pointsByPhoto()
        let found = ViewPlan.byPass(candidates, alignment.passes) { photos in
            selection.sources(
                cameras: photos.compactMap { model.cameras[$0] }, points: model.points.map(\.position),
                observations: photos.map { observed[$0] })
        }
        // A photo without neighbours is not used: it is removed from the others' lists.
        let kept = candidates.indices.filter { !found[$0].isEmpty }
        let keptIndex = Dictionary(uniqueKeysWithValues: kept.enumerated().map { ($0.element, $0.offset) })
        let photos = kept.map { candidates[$0] }
        stereoPhotos = photos
        sources = kept.map { found[$0].compactMap { keptIndex[$0] } }
        let dimension = depthDimension
        stereoViews = photos.compactMap { photo in
            ViewPlan.input(alignment, photo, dimension).map {
                PhotoViewReference(
                    view: $0, cameraFromWorld: $0.camera.cameraFromWorld,
                    depthRange: scene.depthRange(of: photo, bounds: scene.searchBounds))
            }
        }
        let dimensions = Set(job.modelLimits.values.map(\.viewDimension)).sorted()
        var siblings: [Digest: [ViewStage.Input]] = [:]
        for (photo, view) in zip(photos, stereoViews) {
            let key = ViewStage.artifact(for: view.view).key
            let others = dimensions.compactMap { ViewPlan.input(alignment, photo, $0) }.filter { $0.dimension != view.view.dimension }
            siblings[key] = others.enumerated().filter { index, other in index == 0 || others[index - 1].dimension != other.dimension }
                .map(\.element)
        }
        // Without enough disk space, views for textures are created when they are needed, by a third decoding.
        let bytes = siblings.values.joined().reduce(0) { $0 + $1.photo.size.reduced(maximumSide: $1.dimension).pixels * 4 }
        self.siblings = freeBytes.map { $0 > Int64(bytes) * 2 } ?? true ? siblings : [:]
    }

    /// The sources of photos, selected among the photos of the same pass: the surroundings of other passes differ.
    ///
    /// - Parameter select: Returns the indices of the sources of each of some photos.
    private static func byPass(_ photos: [Int], _ passes: AlignedPasses?, _ select: ([Int]) -> [[Int]]) -> [[Int]] {
        guard let passes else { return select(photos) }
        var result = [[Int]](repeating: [], count: photos.count)
        for pass in passes.supportPlanes.indices {
            let own = photos.indices.filter { passes.passOfPhoto[photos[$0]] == pass }
            for (index, sources) in zip(own, select(own.map { photos[$0] })) { result[index] = sources.map { own[$0] } }
        }
        return result
    }

    /// nil for a photo without a camera.
    private static func input(_ alignment: PhotoAlignment, _ photo: Int, _ dimension: Int) -> ViewStage.Input? {
        let reference = alignment.photos[photo].reference
        return alignment.placed.model.cameras[photo].map { camera in
            ViewStage.Input(
                index: photo, photo: reference, camera: camera, searchBounds: alignment.placed.searchBounds,
                features: alignment.features[photo], dimension: min(dimension, reference.size.longerSide))
        }
    }

    /// Returns the input of the depth stage for a photo.
    ///
    /// - Parameter index: An index into `stereoPhotos`.
    func depthInput(_ index: Int, onGPU: Bool) -> DepthStage.Input {
        let photo = stereoPhotos[index]
        var prior: DepthPriorSource?
        if let depth = alignment.photos[photo].depth, let unit = alignment.placement.unitsPerDepthMetre {
            prior = DepthPriorSource(depth: depth, unitsPerMetre: unit, camera: stereoViews[index].view.camera)
        }
        return DepthStage.Input(
            view: stereoViews[index], sources: sources[index].map { stereoViews[$0] }, prior: prior, dimension: depthDimension,
            isOnGPU: onGPU)
    }

    /// The photos that texture a model.
    func textureViews(_ scene: AlignedScene<ModelFrame>, limits: DetailLimits) -> [PhotoViewReference<ModelFrame>] {
        scene.model.registered.compactMap { photo in
            guard let camera = scene.model.cameras[photo],
                let view = ViewPlan.input(alignment, photo, limits.viewDimension)
            else { return nil }
            return PhotoViewReference(
                view: view, cameraFromWorld: camera.cameraFromWorld, depthRange: scene.depthRange(of: photo, bounds: scene.bounds))
        }
    }

    /// Removes the undistorted photos, the largest files of a checkpoint, when no stage needs them.
    func removeFiles(from store: CheckpointStore) {
        for view in stereoViews.map(\.view) + siblings.values.joined() { store.remove(ViewStage.artifact(for: view)) }
    }
}

extension DetailLimits {
    /// The longer side of the photos for textures, pixels: more than twice the texture's side would only cost time.
    var viewDimension: Int { min(PhotoLimits.longestSide, 2 * textureDimension) }
}
