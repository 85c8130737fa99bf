import VitrineGPU
import VitrineMath
import VitrineScene

/// Skins and morphs vertices on the GPU before they are drawn: each deformed part of a node has a buffer of moved vertices, written by a
/// compute pass whenever its weights or joints changed.
final class Deformer {
    private let device: GPUDevice
    private let pipeline: GPUComputePipeline
    private let layout: GPUBindGroupLayout
    private var entries: [Key: Entry] = [:]
    private var frame: UInt64 = 0
    /// What nobody has drawn for so many pictures is freed. Not at once: another scene may get ready between two pictures of one.
    private static let patience: UInt64 = 64

    private struct Key: Hashable {
        let node: ObjectIdentifier
        let part: Int
    }

    /// What one part of one node needs.
    private final class Entry {
        let geometry: Geometry
        let result: GPUBuffer
        let influences: GPUBuffer
        let offsets: GPUBuffer
        let influenceCount: Int
        var joints: GrowingBuffer
        var weights: GrowingBuffer
        let parameters: GPUBuffer
        var lastJoints: [Vector4] = []
        var lastWeights: [SIMD2<UInt32>]?
        var frame: UInt64 = 0

        init(_ device: GPUDevice, _ geometry: Geometry, _ source: GPUGeometry, isSkinned: Bool) throws(GPUError) {
            self.geometry = geometry
            result = try device.makeBuffer("deformed vertices", size: source.moving.size, usage: [.vertex, .storage, .copySource])
            let packed = isSkinned ? DeformData.influences(of: geometry) : (values: [], count: 0)
            influenceCount = packed.count
            // Buffers that are not read still must be bound, and none may be empty.
            let values = packed.values.isEmpty ? [SIMD2<UInt32>(0, 0)] : packed.values
            influences = try device.makeBuffer("joints and weights", contents: values, usage: .storage)
            let moves = DeformData.offsets(of: geometry)
            offsets = try device.makeBuffer("morph targets", contents: moves.isEmpty ? [0] : moves, usage: .storage)
            joints = try GrowingBuffer(device, "joint matrices", usage: .storage, size: 48)
            weights = try GrowingBuffer(device, "morph weights", usage: .storage, size: 8)
            parameters = try device.makeBuffer("deformation", size: 16, usage: [.uniform, .copyDestination])
        }

        var memory: Int { result.size + influences.size + offsets.size + joints.buffer.size + weights.buffer.size }
    }

    init(_ device: GPUDevice) throws(GPUError) {
        self.device = device
        let module = try device.makeShader("deform.wgsl", wgsl: deformShader)
        layout = try device.makeBindGroupLayout(
            "deform",
            [
                .uniformBuffer(0, .compute), .storageBuffer(1, .compute), .storageBuffer(2, .compute, isReadOnly: false),
                .storageBuffer(3, .compute), .storageBuffer(4, .compute), .storageBuffer(5, .compute), .storageBuffer(6, .compute),
            ])
        pipeline = try device.makeComputePipeline(
            "deform", layout: try device.makePipelineLayout("deform", [layout]), GPUShaderStage(module, "deform"))
    }

    var memory: Int {
        var sum = 0
        for entry in entries.values { sum += entry.memory }
        return sum
    }

    /// Records the passes that bring all deformed vertices up to date.
    ///
    /// - Parameter sources: by batch; nil where nothing is drawn.
    /// - Returns: The moved vertices, by record.
    func deform(
        _ list: DrawList, _ sources: [GPUGeometry?], _ encoder: borrowing GPUCommandEncoder
    ) throws(RenderError) -> [Int: GPUBuffer] {
        var results: [Int: GPUBuffer] = [:]
        guard !list.deformed.isEmpty || !entries.isEmpty else { return results }
        frame += 1
        var stale: [(entry: Entry, source: GPUGeometry)] = []
        var skins: [ObjectIdentifier: [Vector4]] = [:]
        for (record, node, part, isSkinned) in list.deformed {
            guard let source = sources[Int(list.batchOfRecord[record])] else { continue }
            let entry = try entry(Key(node: ObjectIdentifier(node), part: part), source, isSkinned: isSkinned)
            entry.frame = frame
            results[record] = entry.result
            var joints: [Vector4] = []
            if entry.influenceCount > 0, let skin = node.skin {
                joints = skins[ObjectIdentifier(skin)] ?? DeformData.rows(of: skin.jointMatrices())
                skins[ObjectIdentifier(skin)] = joints
            }
            if try update(entry, joints, node.effectiveMorphWeights) { stale.append((entry, source)) }
        }
        // Parts that went away take their buffers with them, a little later.
        for key in Array(entries.keys) { if let entry = entries[key], entry.frame + Self.patience < frame { entries[key] = nil } }
        if !stale.isEmpty { try record(stale, encoder) }
        return results
    }

    private func entry(_ key: Key, _ source: GPUGeometry, isSkinned: Bool) throws(RenderError) -> Entry {
        let geometry = source.geometry
        if let known = entries[key], known.geometry === geometry, (known.influenceCount > 0) == isSkinned { return known }
        let made = try attempting("deforming a geometry of \(geometry.vertexCount) vertices") { () throws(GPUError) in
            try Entry(device, geometry, source, isSkinned: isSkinned)
        }
        entries[key] = made
        return made
    }

    /// Uploads what changed; returns whether anything did.
    private func update(_ entry: Entry, _ joints: [Vector4], _ weights: [Float]) throws(RenderError) -> Bool {
        var active: [SIMD2<UInt32>] = []
        for target in entry.geometry.morphTargets.indices where target < weights.count && weights[target] != 0 {
            active.append(SIMD2(UInt32(target), weights[target].bitPattern))
        }
        guard active != entry.lastWeights || joints != entry.lastJoints else { return false }
        try attempting("deforming") { () throws(GPUError) in
            if !joints.isEmpty { try entry.joints.write(joints) }
            if !active.isEmpty { try entry.weights.write(active) }
        }
        let influences = joints.isEmpty ? 0 : entry.influenceCount
        device.queue.write(
            [UInt32(entry.geometry.vertexCount), UInt32(active.count), UInt32(influences), UInt32(joints.count / 3)], to: entry.parameters)
        (entry.lastWeights, entry.lastJoints) = (active, joints)
        return true
    }

    private func record(_ stale: [(entry: Entry, source: GPUGeometry)], _ encoder: borrowing GPUCommandEncoder) throws(RenderError) {
        do throws(GPUError) {
            let pass = encoder.beginComputePass("deform")
            pass.setPipeline(pipeline)
            for (entry, source) in stale {
                let group = try device.makeBindGroup(
                    "deform", layout: layout,
                    [
                        .buffer(0, entry.parameters), .buffer(1, source.moving), .buffer(2, entry.result), .buffer(3, entry.influences),
                        .buffer(4, entry.joints.buffer), .buffer(5, entry.offsets), .buffer(6, entry.weights.buffer),
                    ])
                pass.setBindGroup(0, group)
                pass.dispatch((entry.geometry.vertexCount + 63) / 64)
            }
            pass.end()
        } catch {
            throw .gpu(error, doing: "deforming vertices")
        }
    }
}

/// A geometry's skin and morph targets as the shader reads them.
enum DeformData {
    /// Number and weight's bits of every joint at every vertex; `count` a vertex.
    static func influences(of geometry: Geometry) -> (values: [SIMD2<UInt32>], count: Int) {
        var sets: [(joints: [Float], weights: [Float])] = []
        while let joints = geometry.attribute(.joints(set: sets.count)), let weights = geometry.attribute(.weights(set: sets.count)) {
            sets.append((joints.values, weights.values))
        }
        var values: [SIMD2<UInt32>] = []
        values.reserveCapacity(geometry.vertexCount * sets.count * 4)
        for vertex in 0..<geometry.vertexCount {
            for set in sets {
                for index in 4 * vertex..<4 * vertex + 4 {
                    // A joint's number comes from a file: NaN and negative ones become 0.
                    let joint = set.joints[index]
                    values.append(SIMD2(joint > 0 ? UInt32(min(joint, 65_535)) : 0, set.weights[index].bitPattern))
                }
            }
        }
        return (values, sets.count * 4)
    }

    /// Position, normal and tangent offsets of every vertex, target after target.
    static func offsets(of geometry: Geometry) -> [Float] {
        var values = [Float](repeating: 0, count: geometry.morphTargets.count * geometry.vertexCount * 9)
        for (target, morph) in geometry.morphTargets.enumerated() {
            for (stream, offsets) in [morph.positionOffsets, morph.normalOffsets, morph.tangentOffsets].enumerated() where !offsets.isEmpty
            {
                for vertex in 0..<geometry.vertexCount {
                    let to = (target * geometry.vertexCount + vertex) * 9 + stream * 3
                    for c in 0..<3 { values[to + c] = offsets[3 * vertex + c] }
                }
            }
        }
        return values
    }

    /// The upper three rows of each matrix.
    static func rows(of matrices: [Matrix4]) -> [Vector4] {
        matrices.flatMap { m in
            [Vector4(m.x.x, m.y.x, m.z.x, m.w.x), Vector4(m.x.y, m.y.y, m.z.y, m.w.y), Vector4(m.x.z, m.y.z, m.z.z, m.w.z)]
        }
    }
}
