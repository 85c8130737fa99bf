import VitrineGPU
import VitrineGeometry
import VitrineMath
import VitrineRender

/// Simulates and draws particle clouds on one device.
package final class ParticleRenderer {
    private let device: GPUDevice
    private let updateLayout, drawLayout: GPUBindGroupLayout
    private var updates: [ParticleFunction?: GPUComputePipeline] = [:]
    private var draws: [DrawKey: GPURenderPipeline] = [:]
    /// The errors of invalid functions, which are not compiled again.
    private var refused: [ParticleFunction: LayerError] = [:]
    /// The numbers of simulated and of drawn clouds.
    package private(set) var updateCount = 0, drawCount = 0

    private struct DrawKey: Hashable {
        let sprite: ParticleSprite
        let outline: ParticleOutline
        let blending: BlendMode
        let format: GPUTextureFormat
    }

    /// Creates a renderer.
    package init(_ device: GPUDevice) throws(LayerError) {
        self.device = device
        do throws(GPUError) {
            updateLayout = try device.makeBindGroupLayout(
                "particle update", [.uniformBuffer(0, .compute), .storageBuffer(1, .compute, isReadOnly: false)])
            drawLayout = try device.makeBindGroupLayout(
                "particles", [.uniformBuffer(0, .vertex, minSize: ParticleFrame.byteCount), .storageBuffer(1, .vertex)])
        } catch {
            throw .gpu(error, doing: "preparing particles")
        }
    }

    /// Simulates the pending ticks and draws the cloud over `surface`. Records no commands at progress 0.
    ///
    /// - Parameter time: The time in seconds, for update functions.
    /// - Throws: The errors of the settings, the update function or the GPU.
    package func draw(
        _ cloud: ParticleCloud, over surface: LayerSurface, time: Float = 0, _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) {
        let size = surface.bounds.size
        let clip = Matrix4(
            Vector4(2 / size.x, 0, 0, 0), Vector4(0, -2 / size.y, 0, 0), Vector4(0, 0, 1, 0), Vector4(-1, 1, 0, 1))
        guard try update(cloud, size: size, scale: surface.scale, clipFromPoints: clip, time: time, encoder) else { return }
        let pass = encoder.beginRenderPass(
            GPURenderPassDescriptor("particles", colors: [GPUColorAttachment(surface.view, load: .load)]))
        try draw(cloud, format: LayerSurface.format, pass)
        pass.end()
    }

    /// Simulates the pending ticks and sets the geometry of the next draw.
    ///
    /// - Parameters:
    ///   - size: The size of the cloud's plane in points.
    ///   - scale: The number of pixels per point.
    ///   - clipFromPoints: The transform from points of that plane, y down, to clip space.
    /// - Returns: Whether the cloud is visible.
    package func update(
        _ cloud: ParticleCloud, size: Vector2, scale: Float, clipFromPoints: Matrix4, time: Float = 0,
        _ encoder: borrowing GPUCommandEncoder
    ) throws(LayerError) -> Bool {
        guard cloud.isVisible, size.x > 0, size.y > 0, size.x.isFinite, size.y.isFinite else { return false }
        try cloud.settings.validate()
        let pipeline = try updatePipeline(cloud.settings.update)
        let state = try state(of: cloud)
        // The simulation uses the cloud's unit: `unitsPerPoint` units per point.
        let unitsPerPoint = cloud.settings.unit == .pixels ? scale : 1
        state.scale = scale / unitsPerPoint
        let ticks = cloud.takeTicks()
        let clipFromUnits = clipFromPoints * Matrix4(scale: Vector3(1 / unitsPerPoint, 1 / unitsPerPoint, 1))
        ParticleFrame(
            cloud, ticks: ticks, size: size * unitsPerPoint, scale: state.scale, clipFromUnits: clipFromUnits, time: time
        ).write(to: state)
        guard ticks > 0 else { return true }
        try attempting("simulating particles") { () throws(GPUError) in
            let group = try device.makeBindGroup(
                "particle update", layout: updateLayout, [.buffer(0, state.frame), .buffer(1, state.particles)])
            let pass = encoder.beginComputePass("particle update")
            pass.setPipeline(pipeline)
            pass.setBindGroup(0, group)
            let groups = (state.count + 63) / 64
            pass.dispatch(min(groups, 65_535), (groups + 65_534) / 65_535)
            pass.end()
        }
        updateCount += 1
        return true
    }

    /// Draws an updated cloud into a pass with one target and one sample.
    package func draw(_ cloud: ParticleCloud, format: GPUTextureFormat, _ pass: borrowing GPURenderPass) throws(LayerError) {
        guard cloud.isVisible, let state = cloud.state, state.device === device else { return }
        let settings = cloud.settings
        let outline = ParticleOutline(radius: settings.radius.upperBound * state.scale)
        let pipeline = try drawPipeline(
            DrawKey(sprite: settings.sprite, outline: outline, blending: settings.blending, format: format))
        let group = try attempting("drawing particles") { () throws(GPUError) in
            try device.makeBindGroup("particles", layout: drawLayout, [.buffer(0, state.frame), .buffer(1, state.particles)])
        }
        pass.setPipeline(pipeline)
        pass.setBindGroup(0, group)
        let batch = ParticleOutline.batch
        pass.draw(vertexCount: outline.vertexCount * batch, instanceCount: (state.count + batch - 1) / batch)
        drawCount += 1
    }

    private func state(of cloud: ParticleCloud) throws(LayerError) -> ParticleState {
        let count = cloud.settings.count
        if let known = cloud.state, known.device === device, known.count == count { return known }
        let limit = min(device.limits.maxStorageBufferBindingSize, device.limits.maxBufferSize) / Particle.byteCount
        guard count <= limit else {
            throw .invalidOption(name: "ParticleSettings.count", reason: "is \(count); the GPU supports at most \(limit)")
        }
        let made = try attempting("creating \(count) particles") { () throws(GPUError) in try ParticleState(device, count: count) }
        cloud.state = made
        return made
    }
}

// MARK: - Pipelines

extension ParticleRenderer {
    private func updatePipeline(_ function: ParticleFunction?) throws(LayerError) -> GPUComputePipeline {
        if let known = updates[function] { return known }
        if let function, let error = refused[function] { throw error }
        do throws(LayerError) {
            let made = try makeUpdatePipeline(function)
            updates[function] = made
            return made
        } catch {
            if let function { refused[function] = error }
            throw error
        }
    }

    private func makeUpdatePipeline(_ function: ParticleFunction?) throws(LayerError) -> GPUComputePipeline {
        let ours = Self.generated(function)
        do throws(GPUError) {
            let module = try device.makeShader(label(function), wgsl: ours + (function?.source ?? ""))
            return try device.makeComputePipeline(
                "particle update", layout: try device.makePipelineLayout("particle update", [updateLayout]),
                GPUShaderStage(module, "updateParticles"))
        } catch {
            if let function, case .shader(_, let messages) = error { throw Self.error(in: function, messages) }
            throw .gpu(error, doing: "compiling the simulation of particles")
        }
    }

    /// Returns the name of a function's module in errors.
    private func label(_ function: ParticleFunction?) -> String { function.map { "\($0.file):\($0.line) \($0.name)" } ?? "particles.wgsl" }

    /// Returns the error of a function that was compiled in an earlier frame, because a browser reports errors later; nil for other errors. The function
    /// is rejected from now on.
    func lateError(_ error: GPUError) -> LayerError? {
        guard case .shader(let label, let messages) = error else { return nil }
        for case let function? in updates.keys where self.label(function).utf8.elementsEqual(label.utf8) {
            let reason = Self.error(in: function, messages)
            updates[function] = nil
            refused[function] = reason
            return reason
        }
        return nil
    }

    private static func generated(_ function: ParticleFunction?) -> String {
        let call = "fn updateParticle(p: Particle, frame: ParticleFrame) -> Particle { return \(function?.name ?? "gather")(p, frame); }\n"
        return particleDataShader + particleUpdateShader + call
    }

    /// Returns the compiler's first message in the user's source. A message in the generated code concerns the function's signature.
    private static func error(in function: ParticleFunction, _ messages: [GPUShaderMessage]) -> LayerError {
        let prefix = generated(function)
        var first = 1
        for byte in prefix.utf8 where byte == UInt8(ascii: "\n") { first += 1 }
        guard let message = messages.first(where: { $0.line >= first }) else {
            let said = messages.first.map { ": \($0.text)" } ?? ""
            let wanted = "fn \(function.name)(particle: Particle, frame: ParticleFrame) -> Particle"
            return .shader(
                ShaderError(file: function.file, line: function.line + 1, .compiler("the source must declare '\(wanted)'\(said)")))
        }
        let line = function.line + 1 + message.line - first
        return .shader(ShaderError(file: function.file, line: line, column: message.column, .compiler(message.text)))
    }

    private func drawPipeline(_ key: DrawKey) throws(LayerError) -> GPURenderPipeline {
        if let known = draws[key] { return known }
        let made = try attempting("compiling the drawing of particles") { () throws(GPUError) in
            let module = try device.makeShader(
                "particles.wgsl", wgsl: particleDataShader + key.outline.shader + particleDrawShader + key.sprite.shader)
            // Adds colour; coverage saturates.
            let light = GPUBlendState(color: GPUBlendState.additive.color, alpha: GPUBlendState.premultiplied.alpha)
            let blend = key.blending == .plusLighter ? light : .premultiplied
            return try device.makeRenderPipeline(
                GPURenderPipelineDescriptor(
                    "particles", layout: try device.makePipelineLayout("particles", [drawLayout]),
                    vertex: GPUShaderStage(module, "placeSprite"), fragment: GPUShaderStage(module, "drawSprite"),
                    targets: [GPUColorTarget(key.format, blend: blend)]))
        }
        draws[key] = made
        return made
    }
}
