import VitrineGPU
import VitrineMath
import VitrineScene

/// The meaning of a texture's values, which decides format and mip levels. One image used in two ways is uploaded twice.
enum TextureUse: Hashable {
    /// Integer formats contain sRGB.
    case color
    /// Linear numbers.
    case data
    /// Directions: mip levels are normalized.
    case normal
}

/// Textures on the GPU with all their mip levels, by texture and use.
final class TextureCache {
    private struct Key: Hashable {
        let texture: ObjectIdentifier
        let use: TextureUse
    }

    /// One uploaded texture.
    final class Entry {
        private(set) var owner: Texture
        let version: Int
        let view: GPUTextureView
        let memory: Int

        init(owner: Texture, version: Int, view: GPUTextureView, memory: Int) {
            (self.owner, self.version, self.view, self.memory) = (owner, version, view, memory)
        }

        /// Whether the scene's texture has no other reference than this one.
        func isOnlyReference() -> Bool { isKnownUniquelyReferenced(&owner) }
    }

    private let device: GPUDevice
    private let mipmaps: MipmapGenerator
    private var entries: [Key: Entry] = [:]
    /// Uploads in progress.
    private var uploads: [Key: TextureUpload] = [:]
    private var samplers: [SamplerKey: GPUSampler] = [:]
    private(set) var memory = 0
    /// White, for slots without a map.
    let white: GPUTextureView

    private struct SamplerKey: Hashable {
        let sampler: Sampler
        let anisotropy: Int
    }

    init(_ device: GPUDevice, _ pipelines: PipelineCache) throws(GPUError) {
        self.device = device
        mipmaps = try MipmapGenerator(device, pipelines)
        let texture = try device.makeTexture(
            GPUTextureDescriptor("white", size: GPUExtent(1, 1), format: .rgba8Unorm, usage: [.textureBinding, .copyDestination]))
        device.queue.write([UInt8](repeating: 255, count: 4), to: texture.copyInfo())
        white = try texture.makeView()
    }

    /// The texture on the GPU, uploaded if it is new or has changed.
    func view(of texture: Texture, as use: TextureUse) throws(RenderError) -> GPUTextureView {
        let key = Key(texture: ObjectIdentifier(texture), use: use)
        if let entry = entries[key], entry.version == texture.version { return entry.view }
        while true { if let entry = try advance(texture, as: use) { return entry.view } }
    }

    /// Uploads for about a millisecond.
    ///
    /// - Returns: The texture when the upload is complete, else nil.
    @discardableResult
    func advance(_ texture: Texture, as use: TextureUse) throws(RenderError) -> Entry? {
        let key = Key(texture: ObjectIdentifier(texture), use: use)
        if let entry = entries[key], entry.version == texture.version { return entry }
        let upload: TextureUpload
        // An upload of changed contents starts again.
        if let known = uploads[key], known.version == texture.version {
            upload = known
        } else {
            upload = try begin(texture, as: use)
            uploads[key] = upload
        }
        let entry = try attempting("uploading texture '\(texture.name)'") { () throws(GPUError) -> Entry? in
            guard try upload.advance(device.queue, mipmaps) else { return nil }
            return Entry(owner: texture, version: upload.version, view: try upload.makeView(), memory: upload.memory)
        }
        guard let entry else { return nil }
        uploads[key] = nil
        if let old = entries.updateValue(entry, forKey: key) { memory -= old.memory }
        memory += entry.memory
        return entry
    }

    /// Compiles the pipeline that makes a texture's mip levels, or records it as missing.
    func compile(for texture: Texture, as use: TextureUse) throws(RenderError) {
        guard let source = TextureUpload.Source(texture, as: use), source.size.width > 1 || source.size.height > 1 else { return }
        try attempting("preparing texture '\(texture.name)'") { () throws(GPUError) in
            _ = try mipmaps.pipeline(source.format(as: use), isNormalMap: use == .normal)
        }
    }

    func sampler(_ sampler: Sampler, anisotropy: Int) throws(RenderError) -> GPUSampler {
        let allowsAnisotropy = sampler.magnification == .linear && sampler.minification == .linear && sampler.mip == .linear
        let degree = allowsAnisotropy ? min(max(sampler.maximumAnisotropy, anisotropy, 1), 16) : 1
        let key = SamplerKey(sampler: sampler, anisotropy: degree)
        if let known = samplers[key] { return known }
        var descriptor = GPUSamplerDescriptor("texture", maxAnisotropy: degree)
        descriptor.addressU = GPUAddressMode(sampler.wrapS)
        descriptor.addressV = GPUAddressMode(sampler.wrapT)
        descriptor.magnification = GPUFilterMode(sampler.magnification)
        descriptor.minification = GPUFilterMode(sampler.minification)
        descriptor.mipmap = GPUFilterMode(sampler.mip ?? .nearest)
        if sampler.mip == nil { descriptor.levels = 0...0 }
        let made = try attempting("sampler") { () throws(GPUError) in try device.makeSampler(descriptor) }
        samplers[key] = made
        return made
    }

    /// Frees textures that only the cache refers to.
    func purge() {
        uploads = [:]
        for key in Array(entries.keys) {
            guard let entry = entries[key], entry.isOnlyReference() else { continue }
            memory -= entry.memory
            entries[key] = nil
        }
    }

    private func begin(_ texture: Texture, as use: TextureUse) throws(RenderError) -> TextureUpload {
        guard let source = TextureUpload.Source(texture, as: use) else { throw .encodedTexture(name: texture.name) }
        let limit = device.limits.maxTextureDimension2D
        let (width, height) = source.size
        guard width <= limit, height <= limit else {
            throw .textureTooLarge(name: texture.name, width: width, height: height, limit: limit)
        }
        return try attempting("uploading texture '\(texture.name)'") { () throws(GPUError) in
            try TextureUpload(texture, source, as: use, on: device)
        }
    }
}

extension GPUAddressMode {
    init(_ mode: WrapMode) {
        switch mode {
        case .repeat: self = .repeat
        case .mirroredRepeat: self = .mirrorRepeat
        case .clampToEdge: self = .clampToEdge
        }
    }
}

extension GPUFilterMode {
    init(_ mode: FilterMode) { self = mode == .nearest ? .nearest : .linear }
}
