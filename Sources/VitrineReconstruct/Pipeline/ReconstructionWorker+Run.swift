import Foundation
import VitrineFiles
import VitrineMath
import VitrineVision

extension ReconstructionWorker {
    /// The whole work, in order. Throws what stops all requests that still wait.
    func run() throws {
        let photos = try takeIn()
        let photoStore = PhotoStore(photos: photos, background: learnBackground(photos), capacity: memory.cachedPhotos)
        var alignment = try align(photos, store: photoStore)
        // Where depth is measured, the frame is settled by it.
        let isSettled = waiting({ $0.needsDepth }).isEmpty
        if isSettled { deliver(alignment) }
        guard !waiting.isEmpty else { return }
        if job.requests.contains(where: { $0.geometry?.orientedBounds != nil }) { alignment.searchEverywhere() }
        let sizes = alignment.used.map { photos[$0].size }
        tracker.replan(
            .plan(
                for: job.requests, sizes: sizes, limits: ReconstructionWorker.modelLimits(job), depthShare: alignment.searchedShare,
                threads: parallel.threads))
        var points = try measureDepth(alignment, photos: photoStore)
        alignment.settle(&points, size: placedSize(alignment))
        describe(alignment)
        summary.cloudSample = PhotogrammetrySession.PointCloud(points).sample(20_000)
        deliver(alignment)
        for index in waiting({ $0 == .pointCloud }) { complete(index, .pointCloud(.init(points))) }
        try makeModels(alignment, points: points, photos: photoStore)
    }

    /// What tells the object from its background before anything is aligned; nil where masks are given or not wanted, or nothing does.
    private func learnBackground(_ photos: [Photo]) -> BackgroundModel? {
        guard configuration.isObjectMaskingEnabled, !configuration.ignoreMasks, photos.contains(where: { $0.mask == nil }) else {
            return nil
        }
        let thumbnails = photos.compactMap { photo in
            (try? ImageFile.decode(photo.thumbnail, name: photo.name)).flatMap { ColorPlane($0) }
        }
        guard thumbnails.count == photos.count, let background = BackgroundModel.learn(from: thumbnails) else { return nil }
        summary.settings.append(("background", background.kind.text))
        return background
    }

    /// What the object's longest side shall be; nil where the photos or a distance tell the scale.
    private func placedSize(_ alignment: Alignment) -> Double? {
        if case .size(let metres) = configuration.scale { return metres }
        return alignment.placement.isMetric ? nil : 1
    }

    private func deliver(_ alignment: Alignment) {
        for index in waiting({ $0 == .poses }) { complete(index, .poses(poses)) }
        for index in waiting({ $0 == .bounds }) { complete(index, .bounds(alignment.publicBounds)) }
    }

    private var poses: PhotogrammetrySession.Poses {
        var (poses, urls): ([Int: PhotogrammetrySession.Pose], [Int: URL]) = ([:], [:])
        for photo in summary.photos {
            poses[photo.id] = photo.pose
            if photo.pose != nil { urls[photo.id] = photo.url }
        }
        return PhotogrammetrySession.Poses(posesBySample: poses, urlsBySample: urls)
    }
}

extension BackgroundModel.Kind {
    /// For people.
    var text: String {
        switch self {
        case .plain: "of one colour, told from the object by itself"
        case .still: "the same in all photos, told from the object by itself"
        }
    }
}
