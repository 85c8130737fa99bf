import VitrineMath
import VitrineTracking
import VitrineVision

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Reconstructs surfaces from depth images and reports them as mesh anchors, one for each block.
///
/// The work of a frame is bounded: a depth image is fused over several frames, and images that arrive meanwhile are skipped; meshes of changed blocks
/// wait in a queue.
struct SceneMesh {
    /// The most blocks that a frame fuses, and the most that it meshes.
    private static let fusedBlocks = 48, meshedBlocks = 8

    private var volume = DepthVolume()
    /// The transform from the volume's frame to the tracker's world, which corrections move.
    private(set) var trackerFromVolume = RigidTransform.identity
    /// The depth image that is being fused, and its remaining blocks.
    private var fusion: (view: DepthView, keys: ArraySlice<DepthVolume.Key>)?
    /// Changed blocks without a current mesh, the oldest change first.
    private var changed: [DepthVolume.Key] = []
    private var changedSet = Set<DepthVolume.Key>()
    private var reported: [DepthVolume.Key: ARMeshAnchor] = [:]
    /// Blocks whose anchor the app removed: they are not reported again.
    private var hidden = Set<DepthVolume.Key>()
    /// Generates identifiers that are the same in every replay.
    private var random = SplitMix64(seed: 0x3E5B)

    /// Changes by one frame, in the tracker's world.
    struct Changes {
        /// Added and changed anchors.
        var current: [ARMeshAnchor] = []
        var removed = Set<UUID>()
    }

    var isEmpty: Bool { reported.isEmpty }
    /// The bytes of the volume and the meshes.
    var byteCount: Int {
        reported.values.reduce(volume.byteCount) { $0 + $1.geometry.vertices.count * 32 + $1.geometry.faces.count * 16 }
    }

    /// The world was corrected: moves the volume.
    mutating func move(to trackerFromVolume: RigidTransform) {
        self.trackerFromVolume = trackerFromVolume
        // Its pose refers to the previous world.
        fusion = nil
    }

    /// Hides the meshes with these identifiers.
    mutating func hide(_ identifiers: Set<UUID>) {
        for (key, anchor) in reported where identifiers.contains(anchor.identifier) {
            reported[key] = nil
            hidden.insert(key)
        }
    }

    /// Discards the mesh and starts again.
    /// - Returns: The anchors to remove.
    mutating func reset() -> Set<UUID> {
        let identifiers = Set(reported.values.map(\.identifier))
        let random = random
        self = SceneMesh()
        self.random = random
        return identifiers
    }

    /// Fuses and meshes a part of the pending blocks.
    mutating func update(with frame: TrackedFrame) -> Changes {
        var changes = Changes()
        if fusion == nil { begin(frame, &changes) }
        fuse()
        mesh(&changes)
        return changes
    }

    private mutating func begin(_ frame: TrackedFrame, _ changes: inout Changes) {
        guard let depth = frame.sample.depth, depth.metres.width > 1, depth.metres.height > 1, let pose = frame.worldFromCamera else {
            return
        }
        let view = DepthView(
            depth, camera: frame.camera, volumeFromCamera: trackerFromVolume.inverse * pose, range: DepthVolume.range)
        let (keys, dropped) = volume.prepare(for: view) { reported[$0] == nil }
        for key in dropped { remove(key, &changes) }
        fusion = (view, keys[...])
    }

    private mutating func fuse() {
        guard var fusion else { return }
        for key in fusion.keys.prefix(Self.fusedBlocks) where volume.integrate(key, fusion.view) {
            if changedSet.insert(key).inserted { changed.append(key) }
        }
        fusion.keys = fusion.keys.dropFirst(Self.fusedBlocks)
        self.fusion = fusion.keys.isEmpty ? nil : fusion
    }

    private mutating func mesh(_ changes: inout Changes) {
        let due = changed.prefix(Self.meshedBlocks)
        for key in due {
            changedSet.remove(key)
            guard volume.slot(key) != nil, !hidden.contains(key) else { continue }
            let net = SurfaceNet(volume.surroundings(of: key))
            guard !net.faces.isEmpty else {
                remove(key, &changes)
                continue
            }
            let volumeFromBlock = RigidTransform(rotation: .identity, translation: Vector3d(DepthVolume.origin(key)))
            let anchor = ARMeshAnchor(
                transform: Matrix4(trackerFromVolume * volumeFromBlock),
                identifier: reported[key]?.identifier ?? UUID(version4: random.next(), random.next()),
                geometry: ARMeshGeometry(vertices: net.vertices, normals: net.normals, faces: net.faces))
            reported[key] = anchor
            changes.current.append(anchor)
        }
        changed.removeFirst(due.count)
    }

    private mutating func remove(_ key: DepthVolume.Key, _ changes: inout Changes) {
        if let anchor = reported.removeValue(forKey: key) { changes.removed.insert(anchor.identifier) }
    }
}
