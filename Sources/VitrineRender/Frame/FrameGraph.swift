import VitrineGPU

/// The passes of one frame and the textures between them.
///
/// A pass declares the textures that it samples (`reads`), fills (`writes`) and draws over (`updates`). The rest follows: the order of the
/// passes, which of them the frame needs, the usage of each texture, and the span of passes during which a transient texture is in use; outside of that
/// span its memory belongs to another one of the same shape.
///
/// ```
/// var graph = FrameGraph()
/// let output = graph.external(target)
/// let color = graph.texture("color", TextureShape(width: 640, height: 480, format: .rgba16Float))
/// graph.addPass("tone mapping", reads: [color], writes: [output]) { encoder, textures throws(GPUError) in … }
/// graph.addPass("scene", writes: [color]) { encoder, textures throws(GPUError) in … }
/// try graph.encode(to: encoder, pool)                       // scene, then tone mapping
/// ```
///
/// A handle names contents, not memory: exactly one pass produces it. A pass that changes a texture in place updates one handle to another
/// one (`version(of:)`), and runs after all passes that read the old contents.
struct FrameGraph {
    /// The contents of a texture, or the state of something outside the graph, between two passes.
    struct Handle: Hashable {
        fileprivate let index: Int
    }

    typealias Encode = (borrowing GPUCommandEncoder, Textures) throws(GPUError) -> Void

    private enum Source {
        case transient(String, TextureShape)
        /// A texture's view from outside of the graph; nil for buffers, and for textures that no pass uses.
        case external(GPUTextureView?)
        /// The same memory with later contents.
        case version(of: Handle)
    }

    private struct Pass {
        let name: String
        let reads, writes: [Handle]
        let updates: [(from: Handle, to: Handle)]
        let encode: Encode

        var inputs: [Handle] { reads + updates.map { $0.from } }
        var outputs: [Handle] { writes + updates.map { $0.to } }
    }

    private var sources: [Source] = []
    private var passes: [Pass] = []

    /// Declares a texture that exists within the frame only.
    mutating func texture(_ label: String, _ shape: TextureShape) -> Handle { declare(.transient(label, shape)) }

    /// Declares a texture that outlives the frame. Passes that write it are needed.
    mutating func external(_ view: GPUTextureView?) -> Handle { declare(.external(view)) }

    /// Declares later contents of the same texture, for `updates`.
    mutating func version(of handle: Handle) -> Handle { declare(.version(of: handle)) }

    /// Adds a pass. The order in which passes are added does not matter, except between passes that do not depend on each other.
    ///
    /// - Parameters:
    ///   - reads: Sampled by the pass.
    ///   - writes: Produced by this pass only; earlier contents are lost.
    ///   - updates: Drawn over: the contents before, and after.
    ///   - encode: Records the commands; may use only the handles that the pass declares.
    mutating func addPass(
        _ name: String, reads: [Handle] = [], writes: [Handle] = [], updates: [(from: Handle, to: Handle)] = [],
        _ encode: @escaping Encode
    ) {
        passes.append(Pass(name: name, reads: reads, writes: writes, updates: updates, encode: encode))
    }

    private mutating func declare(_ source: Source) -> Handle {
        sources.append(source)
        return Handle(index: sources.count - 1)
    }
}

// MARK: Order and lifetimes

extension FrameGraph {
    /// The schedule that follows from the declarations.
    struct Schedule {
        /// Indices of the needed passes in the order of execution.
        fileprivate(set) var order: [Int] = []
        /// The lifetime of each transient texture, ordered by first use.
        fileprivate(set) var lifetimes: [Lifetime] = []
    }

    struct Lifetime {
        fileprivate let texture: Handle
        let label: String
        let shape: TextureShape
        /// Whether a pass samples it.
        fileprivate(set) var isSampled: Bool
        /// Positions in `Schedule.order`.
        fileprivate(set) var first, last: Int
    }

    /// The names of the needed passes in the order of execution.
    var passNames: [String] { schedule().order.map { passes[$0].name } }

    func schedule() -> Schedule {
        let producers = producers()
        var schedule = Schedule()
        schedule.order = order(of: neededPasses(producers), producers)
        schedule.lifetimes = lifetimes(in: schedule.order)
        return schedule
    }

    /// Returns the pass that produces the contents of each handle; −1 if no pass does.
    private func producers() -> [Int] {
        var producers = [Int](repeating: -1, count: sources.count)
        for (index, pass) in passes.enumerated() {
            for output in pass.outputs {
                precondition(producers[output.index] < 0, "two passes of a frame write the same contents")
                producers[output.index] = index
            }
        }
        return producers
    }

    /// The passes whose results reach something outside the graph.
    private func neededPasses(_ producers: [Int]) -> [Bool] {
        var isNeeded = [Bool](repeating: false, count: passes.count)
        var open = passes.indices.filter { passes[$0].outputs.contains { isExternal($0) } }
        while let index = open.popLast() {
            guard !isNeeded[index] else { continue }
            isNeeded[index] = true
            for input in passes[index].inputs where producers[input.index] >= 0 { open.append(producers[input.index]) }
        }
        return isNeeded
    }

    /// Topological order; among passes that could run next the one that was added first.
    private func order(of isNeeded: [Bool], _ producers: [Int]) -> [Int] {
        var waitsFor = [Set<Int>](repeating: [], count: passes.count)
        for (index, pass) in passes.enumerated() where isNeeded[index] {
            for input in pass.inputs where producers[input.index] >= 0 { waitsFor[index].insert(producers[input.index]) }
            // A pass that draws over contents waits for all passes that read them.
            for update in pass.updates {
                for (other, reader) in passes.enumerated() where other != index && isNeeded[other] && reader.reads.contains(update.from) {
                    waitsFor[index].insert(other)
                }
            }
        }
        var order: [Int] = []
        var done: Set<Int> = []
        let count = isNeeded.reduce(0) { $0 + ($1 ? 1 : 0) }
        while order.count < count {
            let next = passes.indices.first { isNeeded[$0] && !done.contains($0) && waitsFor[$0].isSubset(of: done) }
            guard let next else { preconditionFailure("the passes of a frame depend on each other in a circle") }
            order.append(next)
            done.insert(next)
        }
        return order
    }

    private func lifetimes(in order: [Int]) -> [Lifetime] {
        var lifetimes: [Lifetime] = []
        for (position, index) in order.enumerated() {
            let pass = passes[index]
            for handle in pass.inputs + pass.outputs {
                let root = root(of: handle)
                guard case .transient(let label, let shape) = sources[root.index] else { continue }
                let isSampled = pass.reads.contains(handle)
                if let known = lifetimes.firstIndex(where: { $0.texture == root }) {
                    lifetimes[known].last = position
                    if isSampled { lifetimes[known].isSampled = true }
                } else {
                    lifetimes.append(
                        Lifetime(texture: root, label: label, shape: shape, isSampled: isSampled, first: position, last: position))
                }
            }
        }
        return lifetimes
    }

    /// The handle that declared the memory.
    private func root(of handle: Handle) -> Handle {
        var handle = handle
        while case .version(let earlier) = sources[handle.index] { handle = earlier }
        return handle
    }

    private func isExternal(_ handle: Handle) -> Bool {
        if case .external = sources[root(of: handle).index] { return true }
        return false
    }
}

// MARK: Execution

extension FrameGraph {
    /// The textures that a pass declared.
    struct Textures {
        fileprivate let textures: [Handle: FrameTexture]
        fileprivate let views: [Handle: GPUTextureView]

        /// A transient texture.
        subscript(handle: Handle) -> FrameTexture {
            guard let texture = textures[handle] else { preconditionFailure("a pass uses a texture that it did not declare") }
            return texture
        }

        /// Returns a view of a whole transient or external texture.
        func view(_ handle: Handle) -> GPUTextureView {
            guard let view = textures[handle]?.view ?? views[handle] else {
                preconditionFailure("a pass uses a texture that it did not declare")
            }
            return view
        }
    }

    /// Records all needed passes, with textures from the pool.
    func encode(to encoder: borrowing GPUCommandEncoder, _ pool: TexturePool) throws(GPUError) {
        let schedule = schedule()
        var current: [Handle: FrameTexture] = [:]
        for (position, index) in schedule.order.enumerated() {
            for lifetime in schedule.lifetimes where lifetime.first == position {
                current[lifetime.texture] = try pool.take(lifetime.label, lifetime.shape, isSampled: lifetime.isSampled)
            }
            let pass = passes[index]
            try pass.encode(encoder, textures(of: pass, current))
            for lifetime in schedule.lifetimes where lifetime.last == position {
                if let texture = current.removeValue(forKey: lifetime.texture) { pool.give(texture) }
            }
        }
    }

    private func textures(of pass: Pass, _ current: [Handle: FrameTexture]) -> Textures {
        var (textures, views): ([Handle: FrameTexture], [Handle: GPUTextureView]) = ([:], [:])
        for handle in pass.inputs + pass.outputs {
            let root = root(of: handle)
            if case .external(let view) = sources[root.index] { views[handle] = view } else { textures[handle] = current[root] }
        }
        return Textures(textures: textures, views: views)
    }
}
