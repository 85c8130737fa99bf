import VitrineGPU
import VitrineRender

/// The key of a compiled pass.
struct EffectProgramKey: Hashable {
    struct Call: Hashable {
        let kind: ShaderEffect.Kind
        let name: String
        let slots: [ShaderSignature.Slot]
    }

    let library: ShaderCode
    /// The calls. All but the first are colour effects. Empty for a pass that only converts between working spaces.
    var calls: [Call]
    /// The encodings of the functions, the input and the output. Passes that sample their source read their own space.
    var space, source, target: ShaderEffect.WorkingSpace

    /// The name in messages and labels.
    var name: String { calls.first.map { $0.name } ?? "working space" }

    var imageCount: Int {
        var count = 0
        for call in calls { count += call.slots.count { $0 == .image } }
        return count
    }

    /// The number of arguments without images.
    var givenCount: Int {
        var count = 0
        for call in calls { count += call.slots.count { $0 != .image } }
        return count
    }
}

/// The bindings of group 0.
enum EffectBindings {
    static let words = 0
    static let source = 1
    static let sampler = 2
    static let given = 3
    static func image(_ index: Int) -> Int { 4 + index }
}

/// A compiled pass.
final class EffectProgram {
    let layout: GPUBindGroupLayout
    let pipeline: GPURenderPipeline
    /// The name of the module in errors; unique among the programs of a cache.
    let label: String
    /// The line of the module where the library's source begins.
    let firstLine: Int

    init(_ device: GPUDevice, _ key: EffectProgramKey, number: Int) throws(ShaderError) {
        let source = EffectSource(key)
        (label, firstLine) = ("\(key.library.file)#\(number)", source.firstLine)
        let module = try Self.compile(device, key.library, source, label: label)
        var entries: [GPUBindGroupLayoutEntry] = [
            .storageBuffer(EffectBindings.words, .fragment), .texture(EffectBindings.source, .fragment),
            .sampler(EffectBindings.sampler, .fragment), .uniformBuffer(EffectBindings.given, .fragment),
        ]
        for index in 0..<key.imageCount { entries.append(.texture(EffectBindings.image(index), .fragment)) }
        do throws(GPUError) {
            layout = try device.makeBindGroupLayout("effect", entries)
            pipeline = try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "effect \(key.name)", layout: try device.makePipelineLayout("effect", [layout]),
                    vertex: GPUShaderStage(module, "vitrineCover"), fragment: GPUShaderStage(module, "vitrineDraw"),
                    targets: [GPUColorTarget(LayerSurface.format)]))
        } catch {
            throw .gpu(error, doing: "compiling the effect '\(key.name)'")
        }
    }

    static func compile(
        _ device: GPUDevice, _ library: ShaderCode, _ source: EffectSource, label: String? = nil
    ) throws(ShaderError) -> GPUShaderModule {
        do throws(GPUError) {
            return try device.makeShader(label ?? library.file, wgsl: source.code)
        } catch {
            guard case .shader(_, let messages) = error else { throw .gpu(error, doing: "compiling '\(library.file)'") }
            throw .compiling(library, messages, firstLine: source.firstLine)
        }
    }
}

extension ShaderLibrary {
    /// Compiles the whole library, to detect errors before an effect is drawn.
    ///
    /// - Throws: The compiler's first message, with its position.
    public func compile(adapter: RenderAdapter = .automatic) throws(ShaderError) {
        let device: GPUDevice
        do throws(GPUError) { device = try GPUDevice.make(adapter.choice) } catch { throw .gpu(error, doing: "opening the GPU") }
        try compile(with: device)
    }

    package func compile(with device: GPUDevice) throws(ShaderError) { _ = try EffectProgram.compile(device, code, EffectSource(code)) }
}

/// The compiled passes by key, including errors, which are not compiled again.
final class EffectProgramCache {
    private struct Entry {
        let result: Result<EffectProgram, ShaderError>
        var lastUse: Int
    }

    private let device: GPUDevice
    private var entries: [EffectProgramKey: Entry] = [:]
    private var clock = 0
    /// The number of the last program, including those compiled elsewhere.
    private var lastNumber = 0

    /// The largest number of entries; the least recently used ones are removed, because shaders that are edited at run time leave many entries.
    static let capacity = 256

    init(_ device: GPUDevice) { self.device = device }

    var count: Int { entries.count }

    func program(_ key: EffectProgramKey) throws(ShaderError) -> EffectProgram {
        clock += 1
        if let known = entries[key]?.result {
            entries[key]?.lastUse = clock
            return try known.get()
        }
        let result = Self.compile(device, key, number: nextNumber())
        take(key, result)
        return try result.get()
    }

    /// Returns the number for a program that is about to be compiled.
    func nextNumber() -> Int {
        lastNumber += 1
        return lastNumber
    }

    static func compile(_ device: GPUDevice, _ key: EffectProgramKey, number: Int) -> Result<EffectProgram, ShaderError> {
        do throws(ShaderError) { return .success(try EffectProgram(device, key, number: number)) } catch { return .failure(error) }
    }

    /// Rejects the program whose compilation failed after `program` returned it: a browser reports errors later.
    ///
    /// - Returns: The error at its position in the library; nil if the error does not concern an effect.
    func refuse(_ error: GPUError) -> ShaderError? {
        guard case .shader(let label, let messages) = error else { return nil }
        for (key, entry) in entries {
            guard case .success(let program) = entry.result, program.label.utf8.elementsEqual(label.utf8) else { continue }
            let reason = ShaderError.compiling(key.library, messages, firstLine: program.firstLine)
            entries[key] = Entry(result: .failure(reason), lastUse: clock)
            return reason
        }
        return nil
    }

    func contains(_ key: EffectProgramKey) -> Bool { entries[key] != nil }

    /// Stores a compiled pass, unless there is one. Errors of the GPU are not stored, because they may be temporary.
    func take(_ key: EffectProgramKey, _ result: Result<EffectProgram, ShaderError>) {
        if entries[key] != nil { return }
        if case .failure(let error) = result, case .device = error.reason { return }
        if entries.count >= Self.capacity { forgetHalf() }
        entries[key] = Entry(result: result, lastUse: clock)
    }

    private func forgetHalf() {
        let uses = entries.values.map { $0.lastUse }.sorted()
        let middle = uses[uses.count / 2]
        entries = entries.filter { $0.value.lastUse > middle }
    }
}
