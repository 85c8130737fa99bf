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
    /// x and y of unit normals with z ≥ 0, and two linear numbers.
    case packedNormal
}

/// Textures on the GPU with all their mip levels, by texture and use.
final class TextureCache {
    private struct Key: Hashable {
        let texture: ObjectIdentifier
        let use: TextureUse
        let other: ObjectIdentifier?
        let channels: [PackedChannel]

        init(_ contents: TextureContents) {
            (texture, use) = (ObjectIdentifier(contents.texture), contents.use)
            (other, channels) = (contents.packed.map { ObjectIdentifier($0.texture) }, contents.packed?.channels ?? [])
        }
    }

    /// The cache's only reference to one of the scene's textures.
    private final class Owner {
        private var texture: Texture

        init(_ texture: Texture) { self.texture = texture }

        /// Whether the texture has no other reference than this one.
        func isOnlyReference() -> Bool { isKnownUniquelyReferenced(&texture) }
    }

    /// One uploaded texture.
    struct Entry {
        /// Of the textures in it.
        let versions: [Int]
        let view: GPUTextureView
        let memory: Int
    }

    private let device: GPUDevice
    private let mipmaps: MipmapGenerator
    private var entries: [Key: Entry] = [:]
    /// The textures in `entries`.
    private var owners: [ObjectIdentifier: Owner] = [:]
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
    func view(of contents: TextureContents) throws(RenderError) -> GPUTextureView {
        if let entry = entries[Key(contents)], entry.versions == contents.versions { return entry.view }
        while true { if let entry = try advance(contents) { return entry.view } }
    }

    /// Uploads for about a millisecond.
    ///
    /// - Returns: The texture when the upload is complete, else nil.
    @discardableResult
    func advance(_ contents: TextureContents) throws(RenderError) -> Entry? {
        let key = Key(contents)
        if let entry = entries[key], entry.versions == contents.versions { return entry }
        let upload: TextureUpload
        // An upload of changed contents starts again.
        if let known = uploads[key], known.versions == contents.versions {
            upload = known
        } else {
            upload = try begin(contents)
            uploads[key] = upload
        }
        let entry = try attempting("uploading texture '\(contents.texture.name)'") { () throws(GPUError) -> Entry? in
            guard try upload.advance(device.queue, mipmaps) else { return nil }
            return Entry(versions: upload.versions, view: try upload.makeView(), memory: upload.memory)
        }
        guard let entry else { return nil }
        uploads[key] = nil
        for texture in contents.textures where owners[ObjectIdentifier(texture)] == nil {
            owners[ObjectIdentifier(texture)] = Owner(texture)
        }
        if let old = entries.updateValue(entry, forKey: key) { memory -= old.memory }
        memory += entry.memory
        return entry
    }

    /// Compiles the pipeline that makes a texture's mip levels, or records it as missing.
    func compile(for contents: TextureContents) throws(RenderError) {
        guard let source = TextureUpload.Source(contents), source.size.width > 1 || source.size.height > 1 else { return }
        try attempting("preparing texture '\(contents.texture.name)'") { () throws(GPUError) in
            _ = try mipmaps.pipeline(source.format(as: contents.use), contents.use)
        }
    }

    /// The degree with which a sampler filters, 1…16.
    ///
    /// - Parameter anisotropy: The least degree, for samplers that are linear in all directions.
    static func degree(of sampler: Sampler, anisotropy: Int) -> Int {
        guard sampler.magnification == .linear, sampler.minification == .linear, sampler.mip == .linear else { return 1 }
        return min(max(sampler.maximumAnisotropy, anisotropy, 1), 16)
    }

    func sampler(_ sampler: Sampler, anisotropy: Int) throws(RenderError) -> GPUSampler {
        let degree = Self.degree(of: sampler, anisotropy: anisotropy)
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
        var unused: Set<ObjectIdentifier> = []
        for (texture, owner) in owners where owner.isOnlyReference() { unused.insert(texture) }
        for key in Array(entries.keys) {
            guard let entry = entries[key], unused.contains(key.texture) || (key.other.map { unused.contains($0) } ?? false) else {
                continue
            }
            memory -= entry.memory
            entries[key] = nil
        }
        for texture in unused { owners[texture] = nil }
    }

    private func begin(_ contents: TextureContents) throws(RenderError) -> TextureUpload {
        let texture = contents.texture
        guard let source = TextureUpload.Source(contents) else { throw .encodedTexture(name: texture.name) }
        let limit = device.limits.maxTextureDimension2D
        let (width, height) = source.size
        guard width <= limit, height <= limit else {
            throw .textureTooLarge(name: texture.name, width: width, height: height, limit: limit)
        }
        return try attempting("uploading texture '\(texture.name)'") { () throws(GPUError) in
            try TextureUpload(contents, source, on: device)
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
