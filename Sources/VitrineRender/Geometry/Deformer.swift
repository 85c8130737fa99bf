import VitrineGPU
import VitrineMath
import VitrineScene

/// A frame's deformed vertices.
struct Deformation {
    /// The deformed vertices, by record of the draw list.
    fileprivate(set) var vertices: [Int: GPUBuffer] = [:]
    fileprivate var stale: [(entry: Deformer.Entry, source: GPUGeometry)] = []

    /// Whether all vertices are up to date.
    var isEmpty: Bool { stale.isEmpty }
}

/// Skins and morphs vertices on the GPU before they are drawn: each deformed part of a node has a buffer of deformed vertices, which a
/// compute pass rewrites when weights or joints change.
final class Deformer {
    private let device: GPUDevice
    private let pipeline: GPUComputePipeline
    private let layout: GPUBindGroupLayout
    private var entries: [Key: Entry] = [:]
    private var frame: UInt64 = 0
    /// Buffers are freed after this many frames without use. Not at once, because another scene may be prepared between two frames of one.
    private static let patience: UInt64 = 64

    private struct Key: Hashable {
        let node: ObjectIdentifier
        let part: Int
    }

    /// The buffers of one part of one node.
    fileprivate final class Entry {
        let geometry: Geometry
        let result: GPUBuffer
        let influences: GPUBuffer
        let offsets: GPUBuffer
        let influenceCount: Int
        var joints: GrowingBuffer
        var weights: GrowingBuffer
        let parameters: GPUBuffer
        var lastJoints: [ShaderRows] = []
        var lastWeights: [SIMD2<UInt32>]?
        var frame: UInt64 = 0

        init(_ device: GPUDevice, _ geometry: Geometry, _ source: GPUGeometry, isSkinned: Bool) throws(GPUError) {
            self.geometry = geometry
            result = try device.makeBuffer("deformed vertices", size: source.moving.size, usage: [.vertex, .storage, .copySource])
            let packed = isSkinned ? DeformData.influences(of: geometry) : (values: [], count: 0)
            influenceCount = packed.count
            // Unused buffers must be bound too, and none may be empty.
            let values = packed.values.isEmpty ? [SIMD2<UInt32>(0, 0)] : packed.values
            influences = try device.makeBuffer("joints and weights", contents: values, usage: .storage)
            let moves = DeformData.offsets(of: geometry)
            offsets = try device.makeBuffer("morph targets", contents: moves.isEmpty ? [0] : moves, usage: .storage)
            joints = try GrowingBuffer(device, "joint matrices", usage: .storage, size: 48)
            weights = try GrowingBuffer(device, "morph weights", usage: .storage, size: 8)
            parameters = try device.makeBuffer("deformation", size: DeformUniforms.byteCount, usage: [.uniform, .copyDestination])
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

    /// Uploads the weights and joints that changed.
    ///
    /// - Parameter sources: The geometry of each batch; nil for batches that the frame does not draw.
    func update(_ list: DrawList, _ sources: [GPUGeometry?]) throws(RenderError) -> Deformation {
        var deformation = Deformation()
        guard !list.deformed.isEmpty || !entries.isEmpty else { return deformation }
        frame += 1
        var skins: [ObjectIdentifier: [ShaderRows]] = [:]
        for (record, node, part, isSkinned) in list.deformed {
            guard let source = sources[Int(list.batchOfRecord[record])] else { continue }
            let entry = try entry(Key(node: ObjectIdentifier(node), part: part), source, isSkinned: isSkinned)
            entry.frame = frame
            deformation.vertices[record] = entry.result
            var joints: [ShaderRows] = []
            if entry.influenceCount > 0, let skin = node.skin {
                joints = skins[ObjectIdentifier(skin)] ?? DeformData.rows(of: skin.jointMatrices())
                skins[ObjectIdentifier(skin)] = joints
            }
            if try update(entry, joints, node.effectiveMorphWeights) { deformation.stale.append((entry, source)) }
        }
        // Buffers of deleted parts are freed after a delay.
        for key in Array(entries.keys) { if let entry = entries[key], entry.frame + Self.patience < frame { entries[key] = nil } }
        return deformation
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

    /// Uploads changes; returns whether there were any.
    private func update(_ entry: Entry, _ joints: [ShaderRows], _ weights: [Float]) throws(RenderError) -> Bool {
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
        let uniforms = DeformUniforms(
            vertexCount: UInt32(entry.geometry.vertexCount), targetCount: UInt32(active.count), influences: UInt32(influences),
            jointCount: UInt32(joints.count))
        device.queue.write(value: uniforms, to: entry.parameters)
        (entry.lastWeights, entry.lastJoints) = (active, joints)
        return true
    }

    /// Records the compute pass that deforms the stale vertices.
    func encode(_ deformation: Deformation, _ encoder: borrowing GPUCommandEncoder) throws(GPUError) {
        let pass = encoder.beginComputePass("deform")
        pass.setPipeline(pipeline)
        for (entry, source) in deformation.stale {
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
    }
}

/// The parameters of one invocation of the deformation shader.
struct DeformUniforms: ShaderStructure {
    var vertexCount: UInt32
    /// Number of morph targets with a weight other than 0.
    var targetCount: UInt32
    /// Joints per vertex, 4 per set; 0 without a skin.
    var influences: UInt32
    var jointCount: UInt32

    static let name = "DeformUniforms"
    static let fields: [ShaderField<DeformUniforms>] = [
        .init("vertexCount") { $0.vertexCount }, .init("targetCount") { $0.targetCount }, .init("influences") { $0.influences },
        .init("jointCount") { $0.jointCount },
    ]
}

/// A geometry's skin and morph targets as the shader reads them.
enum DeformData {
    /// Index and weight bits of every joint of every vertex; `count` per vertex.
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
                    // Joint indices come from files: NaN and negative values become 0.
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
    static func rows(of matrices: [Matrix4]) -> [ShaderRows] { matrices.map { ShaderRows($0) } }
}
