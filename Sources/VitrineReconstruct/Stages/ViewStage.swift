import Synchronization
import VitrineDense
import VitrineFiles
import VitrineMath
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A photo without lens distortion. It belongs to no frame: `PhotoViewReference` adds a pose.
struct UndistortedPhoto: Sendable {
    /// A pinhole of `color`'s size.
    let intrinsics: CameraIntrinsics
    let color: ColorPlane
    /// The mask of `color`'s size; nil if nothing is masked.
    let mask: MaskPlane?

    var byteCount: Int { color.values.count + (mask?.values.count ?? 0) }
}

extension UndistortedPhoto: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(intrinsics)
        writer.encode(color)
        writer.encode(mask.map { StoredMask(mask: $0) })
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> UndistortedPhoto {
        let photo = UndistortedPhoto(
            intrinsics: try reader.decode(), color: try reader.decode(), mask: try reader.decode(StoredMask?.self)?.mask)
        guard photo.intrinsics.width == photo.color.width, photo.intrinsics.height == photo.color.height else { throw DamagedCheckpoint() }
        return photo
    }
}

/// Undistorts a photo and masks everything but the object.
enum ViewStage: Stage {
    struct Input: Sendable {
        /// The photo's index in the list.
        let index: Int
        let photo: PhotoReference
        /// The camera of the photo with its lens distortion, in the placed frame.
        let camera: PosedCamera
        /// Pixels whose points lie outside are masked; placed frame. nil: masks nothing by position.
        let searchBounds: OrientedBox?
        /// The features of the photo, with its mask.
        let features: Artifact<PhotoFeatures>
        /// The longer side of the undistorted photo at most, pixels.
        let dimension: Int
    }

    typealias Output = UndistortedPhoto

    static let name = "view"
    static let version = 1

    static func fileName(for input: Input) -> String { "view-\(input.index)-\(input.dimension)" }

    static func describe(_ input: Input, in key: inout StageKey) {
        key.add("photo", input.photo)
        key.add("camera", input.camera)
        key.add("search bounds", input.searchBounds)
        key.add("features", input.features)
        key.add("dimension", input.dimension)
    }

    static func run(_ input: Input, with resources: StageResources, in context: StageContext) throws -> UndistortedPhoto {
        let mask = try resources.load(input.features).mask
        // The whole photo: all views of it come out of one decoding.
        let longest = input.photo.size.longerSide
        let decoded = try resources.pixels.decode(input.photo, side: longest)
        // Twice the required size suffices, and costs less than a large photo.
        let color = decoded.color.reduced(maximumSide: min(2 * input.dimension, longest))
        var camera = input.camera
        let fitted = objectMask(mask, input)
        camera.intrinsics = camera.intrinsics.resized(width: color.width, height: color.height)
        let view = try Undistorter(camera: camera, maximumSide: input.dimension).view(
            photo: input.index, color: color, mask: fitted, depthRange: 1...1, in: context)
        return UndistortedPhoto(intrinsics: view.camera.intrinsics, color: view.color, mask: view.mask)
    }

    /// The pixels that may show the object: its mask within the outline of the object's box; nil if neither excludes a pixel.
    private static func objectMask(_ mask: MaskPlane?, _ input: Input) -> MaskPlane? {
        guard var outline = input.searchBounds?.outline(in: input.camera) else { return mask }
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
}

extension ViewStage.Input: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.write(index)
        writer.encode(photo)
        writer.encode(camera)
        writer.encode(searchBounds)
        writer.encode(features)
        writer.write(dimension)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(
            index: try reader.int(), photo: try reader.decode(), camera: try reader.decode(), searchBounds: try reader.decode(),
            features: try reader.decode(), dimension: try reader.int())
    }
}

/// An undistorted photo with its pose in a frame.
struct PhotoViewReference<F: Frame>: Sendable {
    let view: ViewStage.Input
    let cameraFromWorld: RigidTransform
    /// The depth range: z in the camera's frame, in the unit of `F`.
    let depthRange: ClosedRange<Float>

    /// Loads an undistorted photo with its mask.
    ///
    /// - Parameter isCached: Whether the photo is kept in memory for the next call.
    func load(_ resources: StageResources, isCached: Bool = true, in context: StageContext) throws -> PhotoView {
        let photo =
            isCached
            ? try resources.views.view(view, resources, in: context)
            : try resources.output(of: ViewStage.self, view, in: context.singleThreaded).value
        return PhotoView(
            photo: view.index, camera: PosedCamera(intrinsics: photo.intrinsics, cameraFromWorld: cameraFromWorld), color: photo.color,
            mask: photo.mask, depthRange: depthRange)
    }

    func describe(_ field: String, in key: inout StageKey) {
        key.add(field, ViewStage.artifact(for: view))
        key.add("\(field).pose", PosedCamera(intrinsics: view.camera.intrinsics, cameraFromWorld: cameraFromWorld))
        key.add("\(field).depths", depthRange)
    }
}

extension PhotoViewReference: ByteCodable {
    func write(to writer: inout ByteWriter) {
        writer.encode(view)
        writer.write(cameraFromWorld)
        writer.encode(depthRange)
    }

    static func read(from reader: inout ByteReader) throws(DamagedCheckpoint) -> Self {
        Self(view: try reader.decode(), cameraFromWorld: try reader.rigidTransform(), depthRange: try reader.decode())
    }
}

/// Undistorted photos in memory, those used last, within a budget.
final class ViewCache: Sendable {
    private struct State {
        var budget = 0
        var siblings: [Digest: [ViewStage.Input]] = [:]
        var entries: [(key: Digest, photo: UndistortedPhoto)] = []
        var bytes = 0
        /// One for each view that was made.
        var locks: [Digest: ViewLock] = [:]
    }

    /// Held by the thread that makes a view: others that need the view wait for it.
    private final class ViewLock: Sendable {
        let mutex = Mutex(())
    }

    private let state = Mutex(State())

    /// Sets the size of the cache and the views that share a photo.
    ///
    /// - Parameters:
    ///   - budget: Bytes in memory.
    ///   - siblings: The views of the same photo that other stages will need, by a view's key: they are made together, from one decoding.
    func prepare(budget: Int, siblings: [Digest: [ViewStage.Input]]) {
        state.withLock { ($0.budget, $0.siblings) = (budget, siblings) }
    }

    func clear() { state.withLock { ($0.entries, $0.bytes, $0.locks) = ([], 0, [:]) } }

    /// The stage's output: from memory, otherwise from the checkpoint, otherwise by running the stage.
    func view(_ input: ViewStage.Input, _ resources: StageResources, in context: StageContext) throws -> UndistortedPhoto {
        let key = ViewStage.artifact(for: input).key
        if let found = cached(key) { return found }
        let lock = state.withLock { state in
            let lock = state.locks[key] ?? ViewLock()
            state.locks[key] = lock
            return lock
        }
        return try lock.mutex.withLock { _ in
            // Another thread may have made it meanwhile.
            try cached(key) ?? make(input, key, resources, in: context)
        }
    }

    private func make(
        _ input: ViewStage.Input, _ key: Digest, _ resources: StageResources, in context: StageContext
    ) throws -> UndistortedPhoto {
        let (photo, wasRestored) = try resources.output(of: ViewStage.self, input, in: context.singleThreaded)
        keep(photo, key)
        if !wasRestored {
            for sibling in state.withLock({ $0.siblings[key] ?? [] }) {
                _ = try resources.output(of: ViewStage.self, sibling, in: context.singleThreaded)
            }
        }
        return photo
    }

    private func cached(_ key: Digest) -> UndistortedPhoto? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.key == key }) else { return nil }
            let entry = state.entries.remove(at: index)
            state.entries.append(entry)
            return entry.photo
        }
    }

    private func keep(_ photo: UndistortedPhoto, _ key: Digest) {
        state.withLock { state in
            guard !state.entries.contains(where: { $0.key == key }) else { return }
            state.entries.append((key, photo))
            state.bytes += photo.byteCount
            // A photo and its sources are used together.
            while state.bytes > state.budget, state.entries.count > 9 { state.bytes -= state.entries.removeFirst().photo.byteCount }
        }
    }
}
