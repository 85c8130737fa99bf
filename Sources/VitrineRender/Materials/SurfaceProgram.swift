import VitrineGPU
import VitrineScene

/// A compiled surface shader with the layout of its bindings: shared by all materials of one key.
final class SurfaceProgram {
    let key: SurfaceProgramKey
    /// Counts from 1; 0 is the sky.
    let number: Int
    let module: GPUShaderModule
    /// Group 1.
    let layout: GPUBindGroupLayout
    let pipelineLayout: GPUPipelineLayout

    init(
        _ device: GPUDevice, _ key: SurfaceProgramKey, number: Int, frame: GPUBindGroupLayout, function: SurfaceFunction?
    ) throws(RenderError) {
        (self.key, self.number) = (key, number)
        let source = SurfaceSource(key)
        module = try Self.compile(device, source, function)
        let bindings = SurfaceBindings(key)
        var entries: [GPUBindGroupLayoutEntry] = [
            .uniformBuffer(SurfaceBindings.block, .fragment, minSize: MaterialUniforms.byteCount(samples: key.samplers.count))
        ]
        for index in 0..<bindings.textureCount { entries.append(.texture(bindings.texture(index), .fragment)) }
        for index in 0..<bindings.samplerCount { entries.append(.sampler(bindings.sampler(index), .fragment)) }
        if bindings.hasUniforms { entries.append(.uniformBuffer(bindings.uniforms, .fragment)) }
        do throws(GPUError) {
            layout = try device.makeBindGroupLayout("material", entries)
            pipelineLayout = try device.makePipelineLayout("surface", [frame, layout])
        } catch {
            throw .gpu(error, doing: "laying out a material")
        }
    }

    private static func compile(
        _ device: GPUDevice, _ source: SurfaceSource, _ function: SurfaceFunction?
    ) throws(RenderError) -> GPUShaderModule {
        do throws(GPUError) {
            return try device.makeShader(function.map { $0.file } ?? "surface.wgsl", wgsl: source.code)
        } catch {
            guard let function, let first = source.functionLine, case .shader(_, let messages) = error else {
                throw .gpu(error, doing: "compiling a surface's shader")
            }
            throw .surfaceFunction(.compiling(function, messages, firstLine: first))
        }
    }
}

/// Surface programs by key, compiled when first asked for.
final class SurfaceProgramCache {
    private let device: GPUDevice
    private let frame: GPUBindGroupLayout
    private var programs: [SurfaceProgramKey: SurfaceProgram] = [:]
    /// Functions with errors, which are not compiled again every frame.
    private var refused: [SurfaceProgramKey: SurfaceFunctionError] = [:]

    init(_ device: GPUDevice, frame: GPUBindGroupLayout) { (self.device, self.frame) = (device, frame) }

    var count: Int { programs.count }
    /// Number of the last program, including those compiled elsewhere.
    private var lastNumber = 0

    /// The program to compile for a material; nil if it is compiled, or was refused.
    func pendingWork(_ key: SurfaceProgramKey, function: SurfaceFunction?) -> ShaderWork? {
        guard programs[key] == nil, refused[key] == nil else { return nil }
        lastNumber += 1
        return ShaderWork(task: .program(key, number: lastNumber, device, frame: frame, function))
    }

    /// Takes a program that was compiled elsewhere, unless it was needed meanwhile.
    func take(_ key: SurfaceProgramKey, _ program: SurfaceProgram) { if programs[key] == nil { programs[key] = program } }

    func program(_ key: SurfaceProgramKey, function: SurfaceFunction?) throws(RenderError) -> SurfaceProgram {
        if let known = programs[key] { return known }
        if let error = refused[key] { throw .surfaceFunction(error) }
        do throws(RenderError) {
            lastNumber += 1
            let made = try SurfaceProgram(device, key, number: lastNumber, frame: frame, function: function)
            programs[key] = made
            return made
        } catch {
            if case .surfaceFunction(let reason) = error { refused[key] = reason }
            throw error
        }
    }
}
