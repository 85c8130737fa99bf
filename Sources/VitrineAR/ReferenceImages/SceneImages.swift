import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Detects and tracks reference images and reports them as anchors.
struct SceneImages {
    private var images: [ARReferenceImage] = []
    private var tracker = ImageTracker(targets: [], maximumTracked: 1)
    /// The anchors' identifiers by target. An image that the tracker knows has none after its anchor was removed, until it is tracked in a frame.
    private var identifiers: [Int: UUID] = [:]
    /// Generates identifiers that are the same in every replay.
    private var random = SplitMix64(seed: 0x1A6E)

    /// The transform from the axes of an anchor (x right, y out of the image, z down) to those of the tracker's target.
    private static let targetFromAnchor = RigidTransform(
        rotation: Matrix3d(Vector3d(1, 0, 0), Vector3d(0, 0, 1), Vector3d(0, -1, 0)), translation: .zero)

    var isEmpty: Bool { images.isEmpty }

    /// Sets the images to search.
    ///
    /// - Returns: The anchors of images that are no longer searched.
    mutating func configure(_ configuration: any ARConfiguration) -> Set<UUID> {
        let world = configuration as? ARWorldTrackingConfiguration
        let (wanted, count) = (world?.detectionImages ?? [], max(1, world?.maximumNumberOfTrackedImages ?? 1))
        guard wanted != images || count != tracker.maximumTracked else { return [] }
        let removed = reset()
        (images, tracker) = (wanted, ImageTracker(targets: wanted.map(\.target), maximumTracked: count))
        return removed
    }

    /// Discards the tracked images and starts again.
    /// - Returns: The anchors to remove.
    mutating func reset() -> Set<UUID> {
        defer { identifiers = [:] }
        tracker = ImageTracker(targets: tracker.targets, maximumTracked: tracker.maximumTracked)
        return Set(identifiers.values)
    }

    /// The app removed anchors: their images become new anchors as soon as they are tracked or detected.
    mutating func forgetAnchors(where isRemoved: (UUID) -> Bool) {
        for (target, identifier) in identifiers where isRemoved(identifier) {
            identifiers[target] = nil
            tracker.restartAveraging(target)
        }
    }

    /// The world was corrected: moves images whose anchors move with it.
    ///
    /// - Parameter isMoved: Called with nil for an image without an anchor.
    mutating func move(by correction: RigidTransform, where isMoved: (UUID?) -> Bool) {
        let identifiers = identifiers
        tracker.move(by: correction) { isMoved(identifiers[$0]) }
    }

    /// The camera's pose is unknown.
    /// - Returns: The anchors that are no longer tracked.
    mutating func lost() -> [ARImageAnchor] {
        for target in images.indices where identifiers[target] == nil { tracker.forget(target) }
        return anchors(tracker.lose())
    }

    /// Searches and tracks the images in a frame.
    ///
    /// - Returns: All anchors so far, in the tracker's world.
    mutating func update(with frame: TrackedFrame) -> [ARImageAnchor] {
        guard !images.isEmpty, let pose = frame.worldFromCamera else { return [] }
        return anchors(
            tracker.update(frame.sample.image.luma, time: frame.result.time, camera: frame.camera, worldFromCamera: pose))
    }

    private mutating func anchors(_ observations: [ImageTracker.Observation]) -> [ARImageAnchor] {
        observations.compactMap { observation in
            guard observation.isTracked || identifiers[observation.target] != nil else { return nil }
            let identifier = identifiers[observation.target] ?? UUID(version4: random.next(), random.next())
            identifiers[observation.target] = identifier
            return ARImageAnchor(
                transform: Matrix4(observation.worldFromTarget * Self.targetFromAnchor), identifier: identifier,
                referenceImage: images[observation.target], isTracked: observation.isTracked)
        }
    }
}
