import Foundation
import VitrineMath
import VitrineVision

extension ReconstructionWorker {
    /// The whole work, in order. Throws what stops all requests that still wait.
    func run() throws {
        let photos = try takeIn()
        let photoStore = PhotoStore(photos: photos, capacity: memory.cachedPhotos)
        let alignment = try align(photos, store: photoStore)
        deliverAlignment(alignment)
        guard !waiting.isEmpty else { return }
        let points = try measureDepth(alignment, photos: photoStore)
        for index in waiting({ $0 == .pointCloud }) { complete(index, .pointCloud(.init(points))) }
        try makeModels(alignment, points: points, photos: photoStore)
    }

    private func deliverAlignment(_ alignment: Alignment) {
        for index in waiting({ $0 == .poses }) { complete(index, .poses(poses(alignment))) }
        for index in waiting({ $0 == .bounds }) { complete(index, .bounds(alignment.publicBounds)) }
    }

    private func poses(_ alignment: Alignment) -> PhotogrammetrySession.Poses {
        var (poses, urls): ([Int: PhotogrammetrySession.Pose], [Int: URL]) = ([:], [:])
        for photo in alignment.used {
            guard let camera = alignment.model.cameras[photo] else { continue }
            let sample = alignment.photos[photo]
            poses[sample.id] = PhotogrammetrySession.Pose(camera)
            urls[sample.id] = sample.url
        }
        return PhotogrammetrySession.Poses(posesBySample: poses, urlsBySample: urls)
    }
}
