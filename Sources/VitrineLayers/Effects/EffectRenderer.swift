import VitrineGPU
import VitrineMath
import VitrineScene

/// Draws effects: from one picture of a layer to another.
///
/// ```swift
/// let renderer = try EffectRenderer(device)
/// let encoder = try device.makeCommandEncoder("effects")
/// let result = try renderer.apply([.color(ShaderLibrary.default.grayscale(.float(1)))], to: picture, with: encoder)
/// device.queue.submit(try encoder.finish())
/// ```
/// Nothing is read back and nothing waits. Pipelines are compiled when an effect is first drawn, unless that was done before: `missingWork`.
public final class EffectRenderer {
    public let device: GPUDevice
    private let programs: EffectProgramCache
    private let transfer: ImageTransfer
    private let sampler: GPUSampler
    private var buffers: ArgumentBuffers
    /// Pictures between two passes, free for the next ones: passes of one queue run in order.
    private var spare: [LayerSurface] = []
    private var images: [UploadedImage] = []
    private var clock = 0

    private struct UploadedImage {
        let image: Image
        let space: ShaderEffect.WorkingSpace
        let surface: LayerSurface
        var lastUse: Int
    }

    /// How often `apply` may be called before an image that it didn't use is let go.
    private static let imageLifetime = 240
    private static let spareLimit = 4

    public init(_ device: GPUDevice) throws(ShaderError) {
        self.device = device
        programs = EffectProgramCache(device)
        transfer = ImageTransfer(device)
        buffers = ArgumentBuffers(device)
        do throws(GPUError) {
            sampler = try device.makeSampler(GPUSamplerDescriptor("effect", mipmap: .nearest))
        } catch {
            throw .gpu(error, doing: "making a sampler for effects")
        }
    }

    /// Images that one effect can take.
    public var imageLimit: Int { device.limits.maxSampledTexturesPerShaderStage - 1 }

    // MARK: Drawing

    /// Records the passes of all effects that are on, in their order.
    ///
    /// - Parameters:
    ///   - picture: what they work on; stays as it is.
    ///   - bounds: of the layer, points: what `.boundingRect` tells. By default the picture's.
    ///   - old: a picture of before that nobody needs any more; it is drawn into where it has the right size.
    /// - Returns: the last effect's picture, larger than the first by what offsets add on each side; `picture` itself where no effect is on.
    /// - Throws: what is wrong with an effect, before anything is recorded.
    public func apply(
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
        letGoOfImages()
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

    /// Grown by whole texels, so that what stays in place stays sharp.
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
                    function: pass.key.name, problem: "makes a surface of more than \(limit) × \(limit) pixels, which this GPU can't hold"))
        }
        let size = GPUExtent(Int(texels.x), Int(texels.y))
        let bounds = Rectangle(origin: source.bounds.origin - added / source.scale, size: texels / source.scale)
        func fits(_ surface: LayerSurface) -> Bool {
            surface.texture.size == size && surface.bounds.origin == bounds.origin && surface.scale == source.scale
                && surface.texture !== source.texture
        }
        if let old, fits(old) { return old }
        if !isKept, let index = spare.firstIndex(where: fits) { return spare.remove(at: index) }
        do throws(GPUError) {
            return try LayerSurface(device, bounds: bounds, scale: source.scale, label: "effect")
        } catch {
            throw .gpu(error, doing: "making a surface for an effect")
        }
    }

    private func recycle(_ surface: LayerSurface) {
        spare.append(surface)
        if spare.count > Self.spareLimit { spare.removeFirst() }
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

    private func letGoOfImages() { images.removeAll { clock - $0.lastUse > Self.imageLifetime } }

    // MARK: Compiling before it is needed

    /// What is to be compiled before these effects can be drawn: may be done on any thread, and is handed to `take`. Empty: all is there.
    ///
    /// - Throws: as `apply`, where an effect is wrong.
    public func missingWork(for effects: [ShaderEffect]) throws(ShaderError) -> [EffectWork] {
        var keys: [EffectProgramKey] = []
        for pass in try EffectPlan(effects, imageLimit: imageLimit).passes
        where !programs.contains(pass.key) && !keys.contains(pass.key) { keys.append(pass.key) }
        return keys.map { EffectWork(device: device, key: $0) }
    }

    /// Takes what was compiled elsewhere. What the compiler refused is told by `apply`.
    public func take(_ result: EffectWork.Result) { programs.take(result.key, result.outcome) }
}

/// A pass to compile before effects can be drawn: takes longer than a frame, and may be done on any thread.
///
/// Unchecked for the reasons that `ShaderWork` gives: devices make modules, layouts and pipelines on any thread and take their errors under
/// a lock; what else is held here never changes.
public struct EffectWork: @unchecked Sendable {
    let device: GPUDevice
    let key: EffectProgramKey

    /// What came out.
    public struct Result: @unchecked Sendable {
        let key: EffectProgramKey
        let outcome: Swift.Result<EffectProgram, ShaderError>
    }

    public func run() -> Result { Result(key: key, outcome: EffectProgramCache.compile(device, key)) }
}
