import VitrineGPU
import VitrineScene

/// A compiled surface shader with the layout of its bindings: shared by all materials of one key.
final class SurfaceProgram {
    let key: SurfaceProgramKey
    /// Counts from 1; 0 is the sky.
    let number: Int
    let module: GPUShaderModule
    /// The layout of bind group 1.
    let layout: GPUBindGroupLayout
    let pipelineLayout: GPUPipelineLayout
    /// Whether the program can shade an `AttributeBuffer`.
    let isDeferred: Bool

    /// The position of the surface function's text; nil without a surface function.
    let location: SurfaceFunctionLocation?

    init(
        _ device: GPUDevice, _ key: SurfaceProgramKey, number: Int, frame: GPUBindGroupLayout, function: SurfaceFunction?
    ) throws(RenderError) {
        (self.key, self.number) = (key, number)
        let textureCount = frame.sampledTextureCount + key.samplers.count + AttributeBuffer.textureCount
        isDeferred =
            AttributeBuffer.isUseful(on: device) && key.allowsDeferredShading
            && textureCount <= device.limits.maxSampledTexturesPerShaderStage
        let source = SurfaceSource(key, isDeferred: isDeferred)
        if let function, let firstLine = source.functionLine {
            location = SurfaceFunctionLocation(function, program: number, firstLine: firstLine)
        } else {
            location = nil
        }
        module = try Self.compile(device, source, location)
        let bindings = SurfaceBindings(key)
        var entries: [GPUBindGroupLayoutEntry] = [
            .uniformBuffer(SurfaceBindings.block, .fragment, minSize: MaterialUniforms.byteCount(key))
        ]
        for index in 0..<bindings.textureCount { entries.append(.texture(bindings.texture(index), .fragment)) }
        for index in 0..<bindings.samplerCount { entries.append(.sampler(bindings.sampler(index), .fragment)) }
        if bindings.hasUniforms { entries.append(.uniformBuffer(bindings.uniforms, .fragment)) }
        if bindings.isShadowReceiver {
            let first = bindings.keptShadow
            entries += [.texture(first, .fragment), .sampler(first + 1, .fragment), .uniformBuffer(first + 2, .render, minSize: 16)]
        }
        do throws(GPUError) {
            layout = try device.makeBindGroupLayout("material", entries)
            pipelineLayout = try device.makePipelineLayout("surface", [frame, layout])
        } catch {
            throw .gpu(error, doing: "laying out a material")
        }
    }

    private static func compile(
        _ device: GPUDevice, _ source: SurfaceSource, _ location: SurfaceFunctionLocation?
    ) throws(RenderError) -> GPUShaderModule {
        do throws(GPUError) {
            return try device.makeShader(location?.label ?? "surface.wgsl", wgsl: source.code)
        } catch {
            guard let location, case .shader(_, let messages) = error else { throw .gpu(error, doing: "compiling a surface's shader") }
            throw .surfaceFunction(location.error(messages))
        }
    }
}

/// The position of a surface function in its file and in the module that is compiled.
struct SurfaceFunctionLocation {
    /// Names the module in errors; unique among the programs of a cache.
    let label: String
    private let name, file: String
    /// The line before the function's first line in its file; the line of its first line in the module.
    private let line, firstLine: Int

    init(_ function: SurfaceFunction, program: Int, firstLine: Int) {
        label = "\(function.file)#\(program)"
        (name, file, line, self.firstLine) = (function.code.name, function.file, function.line, firstLine)
    }

    /// The compiler's first message, at its position in the function's own file. A message about a line before the function (a name that the
    /// renderer uses too, or another signature) refers to the whole function.
    func error(_ messages: [GPUShaderMessage]) -> SurfaceFunctionError {
        let message = messages.first { $0.line >= firstLine } ?? messages.first ?? GPUShaderMessage(line: 0, column: 0, text: "unknown")
        guard message.line >= firstLine else {
            return SurfaceFunctionError(file: file, line: line + 1, .compiler("'\(name)' does not fit: \(message.text)"))
        }
        return SurfaceFunctionError(file: file, line: line + 1 + message.line - firstLine, column: message.column, .compiler(message.text))
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

    /// Refuses the program whose compilation failed after `program` returned it: a browser reports errors later.
    ///
    /// - Returns: nil if the error does not concern a surface function.
    func refuse(_ error: GPUError) -> (key: SurfaceProgramKey, reason: SurfaceFunctionError)? {
        guard case .shader(let label, let messages) = error else { return nil }
        for (key, program) in programs {
            guard let location = program.location, location.label == label else { continue }
            let reason = location.error(messages)
            programs[key] = nil
            refused[key] = reason
            return (key, reason)
        }
        return nil
    }

    /// Adds a program that was compiled elsewhere, unless it was compiled here meanwhile.
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
