import VitrineGPU
import VitrineMath
import VitrineScene

/// Applies effects to surfaces.
///
/// ```swift
/// let renderer = try EffectRenderer(device)
/// let encoder = try device.makeCommandEncoder("effects")
/// let result = try renderer.apply([.color(ShaderLibrary.default.grayscale(.float(1)))], to: surface, with: encoder)
/// device.queue.submit(try encoder.finish())
/// ```
/// Recording does not wait for the GPU. Pipelines are compiled when an effect is first drawn, or earlier by `missingWork`.
package final class EffectRenderer {
    /// The device that draws.
    package let device: GPUDevice
    private let programs: EffectProgramCache
    private let transfer: ImageTransfer
    private let sampler: GPUSampler
    private var buffers: ArgumentBuffers
    /// Free surfaces between passes. Passes of one queue are executed in order, so they can be reused.
    private var unusedSurfaces: [LayerSurface] = []
    private var images: [UploadedImage] = []
    private var clock = 0

    private struct UploadedImage {
        let image: Image
        let space: ShaderEffect.WorkingSpace
        let surface: LayerSurface
        var lastUse: Int
    }

    /// The number of calls of `apply` after which an unused image is released.
    private static let imageLifetime = 240
    private static let unusedSurfaceLimit = 4

    /// Creates a renderer.
    ///
    /// - Parameter other: A renderer with which to share compiled effects; nil for none.
    package init(_ device: GPUDevice, sharing other: EffectRenderer? = nil) throws(ShaderError) {
        self.device = device
        programs = other?.programs ?? EffectProgramCache(device)
        transfer = ImageTransfer(device)
        buffers = ArgumentBuffers(device)
        do throws(GPUError) {
            sampler = try device.makeSampler(GPUSamplerDescriptor("effect", mipmap: .nearest))
        } catch {
            throw .gpu(error, doing: "creating a sampler for effects")
        }
    }

    /// The largest number of images of one effect.
    package var imageLimit: Int { device.limits.maxSampledTexturesPerShaderStage - 1 }

    // MARK: Drawing

    /// Records the passes of all enabled effects, in order.
    ///
    /// - Parameters:
    ///   - surface: The input, which is not changed.
    ///   - bounds: The bounds of the layer in points, for `.boundingRect`; nil for those of the surface.
    ///   - old: A surface to reuse for the result if its size matches.
    /// - Returns: The result, larger than the input by the effects' sample offsets on each side; `surface` itself if no effect is enabled.
    /// - Throws: The error of an effect, before any pass is recorded.
    package func apply(
        _ effects: [ShaderEffect], to surface: LayerSurface, bounds: Rectangle? = nil, reusing old: LayerSurface? = nil,
        with encoder: borrowing GPUCommandEncoder
    ) throws(ShaderError) -> LayerSurface {
        let plan = try EffectPlan(effects, imageLimit: imageLimit)
        if plan.passes.isEmpty { return surface }
        var prepared: [Prepared] = []
        for pass in plan.passes { prepared.append(Prepared(pass: pass, program: try programs.program(pass.key), views: try views(pass))) }
        clock += 1
        var source = surface
        for (index, pass) in prepared.enumerated() {
            let isLast = index == prepared.count - 1
            let target = try target(for: pass.pass, from: source, reusing: isLast ? old : nil, isKept: isLast)
            do throws(GPUError) {
                try draw(pass, from: source, to: target, bounds: bounds ?? surface.bounds, encoder)
            } catch {
                throw .gpu(error, doing: "drawing the effect '\(pass.pass.key.name)'")
            }
            if index > 0 { recycle(source) }
            source = target
        }
        releaseUnusedImages()
        return source
    }

    private struct Prepared {
        let pass: EffectPlan.Pass
        let program: EffectProgram
        let views: [GPUTextureView]
    }

    private func draw(
        _ prepared: Prepared, from source: LayerSurface, to target: LayerSurface, bounds: Rectangle, _ encoder: borrowing GPUCommandEncoder
    ) throws(GPUError) {
        let arguments = EffectArguments(
            prepared.pass.arguments, in: prepared.pass.key.space, from: source, to: target, bounds: bounds)
        let (buffer, range) = try buffers.write(arguments.words)
        let given = (EffectArguments.headerCount + prepared.pass.key.givenCount) * 16
        var entries: [GPUBindGroupEntry] = [
            .buffer(EffectBindings.words, buffer, range), .texture(EffectBindings.source, source.view),
            .sampler(EffectBindings.sampler, sampler),
            .buffer(EffectBindings.given, buffer, range.lowerBound..<range.lowerBound + given),
        ]
        for (index, view) in prepared.views.enumerated() { entries.append(.texture(EffectBindings.image(index), view)) }
        let group = try device.makeBindGroup("effect", layout: prepared.program.layout, entries)
        encoder.renderPass(GPURenderPassDescriptor("effect", colors: [GPUColorAttachment(target.view)])) { pass in
            pass.setPipeline(prepared.program.pipeline)
            pass.setBindGroup(0, group)
            pass.draw(vertexCount: 3)
        }
    }

    // MARK: Targets

    /// Returns the target of a pass. The margin is a whole number of texels, so that unchanged content stays sharp.
    private func target(
        for pass: EffectPlan.Pass, from source: LayerSurface, reusing old: LayerSurface?, isKept: Bool
    ) throws(ShaderError) -> LayerSurface {
        let added = (pass.margin * source.scale).rounded(.up)
        let texels = Vector2(Float(source.texture.width), Float(source.texture.height)) + 2 * added
        let limit = device.limits.maxTextureDimension2D
        guard texels.max() <= Float(limit) else {
            throw ShaderError(
                file: pass.key.library.file, line: 0,
                .sampleOffset(
                    function: pass.key.name,
                    problem: "requires a surface of more than \(limit) × \(limit) pixels, which the GPU does not support"))
        }
        let size = GPUExtent(Int(texels.x), Int(texels.y))
        let bounds = Rectangle(origin: source.bounds.origin - added / source.scale, size: texels / source.scale)
        func fits(_ surface: LayerSurface) -> Bool {
            surface.texture.size == size && surface.bounds.origin == bounds.origin && surface.scale == source.scale
                && surface.texture !== source.texture
        }
        if let old, fits(old) { return old }
        if !isKept, let index = unusedSurfaces.firstIndex(where: fits) { return unusedSurfaces.remove(at: index) }
        do throws(GPUError) {
            return try LayerSurface(device, bounds: bounds, scale: source.scale, label: "effect")
        } catch {
            throw .gpu(error, doing: "creating a surface for an effect")
        }
    }

    private func recycle(_ surface: LayerSurface) {
        unusedSurfaces.append(surface)
        if unusedSurfaces.count > Self.unusedSurfaceLimit { unusedSurfaces.removeFirst() }
    }

    // MARK: Images

    private func views(_ pass: EffectPlan.Pass) throws(ShaderError) -> [GPUTextureView] {
        let (size, limit) = (EffectArguments.size(of: pass.arguments), device.limits.maxStorageBufferBindingSize)
        guard size <= limit else { throw ShaderError(file: pass.key.library.file, line: 0, .tooMuchData(bytes: size, limit: limit)) }
        var views: [GPUTextureView] = []
        for image in pass.images { views.append(try view(of: image, in: pass.key.space)) }
        return views
    }

    private func view(of image: Image, in space: ShaderEffect.WorkingSpace) throws(ShaderError) -> GPUTextureView {
        if let index = images.firstIndex(where: { $0.image === image && $0.space == space }) {
            images[index].lastUse = clock
            return images[index].surface.view
        }
        let made: LayerSurface
        do throws(GPUError) {
            made = try transfer.surface(of: image, in: space)
        } catch {
            throw .gpu(error, doing: "uploading the image '\(image.name)'")
        }
        images.append(UploadedImage(image: image, space: space, surface: made, lastUse: clock))
        return made.view
    }

    private func releaseUnusedImages() { images.removeAll { clock - $0.lastUse > Self.imageLifetime } }

    // MARK: Compiling in advance

    /// Returns the passes to compile before these effects can be drawn. Run them on any thread and pass the results to `take`.
    ///
    /// - Throws: The error of an effect, as `apply`.
    package func missingWork(for effects: [ShaderEffect]) throws(ShaderError) -> [EffectWork] {
        var keys: [EffectProgramKey] = []
        for pass in try EffectPlan(effects, imageLimit: imageLimit).passes
        where !programs.contains(pass.key) && !keys.contains(pass.key) { keys.append(pass.key) }
        return keys.map { EffectWork(device: device, key: $0, number: programs.nextNumber()) }
    }

    /// Returns the error of an effect that was compiled in an earlier frame; nil for other errors. `apply` throws it from now on.
    func lateError(_ error: GPUError) -> ShaderError? { programs.refuse(error) }

    /// Stores a compiled pass. `apply` throws its errors.
    package func take(_ result: EffectWork.Result) { programs.take(result.key, result.outcome) }
}

/// A pass to compile. It takes longer than a frame and may run on any thread.
///
/// Unchecked Sendable for the same reasons as `ShaderWork`: devices create modules, layouts and pipelines on any thread and collect errors under a
/// lock; the other properties are immutable.
package struct EffectWork: @unchecked Sendable {
    let device: GPUDevice
    let key: EffectProgramKey
    let number: Int

    /// The compiled pass or its error. Unchecked Sendable: no other code has the pass before `take`.
    package struct Result: @unchecked Sendable {
        let key: EffectProgramKey
        let outcome: Swift.Result<EffectProgram, ShaderError>
    }

    package func run() -> Result { Result(key: key, outcome: EffectProgramCache.compile(device, key, number: number)) }
}
