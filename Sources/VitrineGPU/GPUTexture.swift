internal import CWebGPU

/// The width, height, and depth (or number of layers) of a texture or of a part of it, in texels.
public struct GPUExtent: Sendable, Equatable {
    /// Of mip level 0, in texels.
    public var width: Int
    /// Of mip level 0, in texels.
    public var height: Int
    /// Texels of depth in a volume; layers of an array, 6 for a cube; 1 for a single image.
    public var depthOrLayers: Int

    /// Creates a size; height and depth are 1 by default.
    public init(_ width: Int, _ height: Int = 1, _ depthOrLayers: Int = 1) {
        self.width = width
        self.height = height
        self.depthOrLayers = depthOrLayers
    }

    var isEmpty: Bool { width <= 0 || height <= 0 || depthOrLayers <= 0 }

    var raw: WGPUExtent3D {
        WGPUExtent3D(width: Self.raw(width), height: Self.raw(height), depthOrArrayLayers: Self.raw(depthOrLayers))
    }

    /// What does not fit (a negative rest of a texture) becomes so large that the call refuses it.
    static func raw(_ value: Int) -> UInt32 { UInt32(exactly: value) ?? .max }
}

/// What a texture is to be.
public struct GPUTextureDescriptor: Sendable {
    /// Names the texture in errors.
    public var label: String
    /// Size of mip level 0; the third number counts layers (6 for a cube) or, in three dimensions, depth.
    public var size: GPUExtent
    /// The format of the texels.
    public var format: GPUTextureFormat
    /// Everything that the texture will be used for.
    public var usage: GPUTextureUsage
    /// Two-dimensional by default.
    public var dimension: GPUTextureDimension
    /// 1 by default; `GPUTexture.fullMipLevelCount(width:height:)` for a full chain.
    public var mipLevelCount: Int
    /// 1 or 4.
    public var sampleCount: Int
    /// Other formats that views may have: the sRGB twin of `format`.
    public var viewFormats: [GPUTextureFormat]

    /// Describes a two-dimensional texture with one mip level and one sample by default.
    public init(
        _ label: String, size: GPUExtent, format: GPUTextureFormat, usage: GPUTextureUsage,
        dimension: GPUTextureDimension = .twoDimensional, mipLevelCount: Int = 1, sampleCount: Int = 1,
        viewFormats: [GPUTextureFormat] = []
    ) {
        self.label = label
        self.size = size
        self.format = format
        self.usage = usage
        self.dimension = dimension
        self.mipLevelCount = mipLevelCount
        self.sampleCount = sampleCount
        self.viewFormats = viewFormats
    }
}

/// Texels on the GPU: an image, a stack of them, a cube, a volume, or a target to draw into.
public final class GPUTexture {
    /// The device that made the texture; use the texture with no other.
    public let device: GPUDevice
    /// Names the object in errors and graphics debuggers.
    public let label: String
    /// Size of mip level 0.
    public let size: GPUExtent
    /// The format of the texels.
    public let format: GPUTextureFormat
    /// The uses declared at creation; any other is a validation error.
    public let usage: GPUTextureUsage
    /// The shape of the texture's storage.
    public let dimension: GPUTextureDimension
    /// The number of mip levels, at least 1.
    public let mipLevelCount: Int
    /// Samples per texel: 1, or 4 for multisampled targets.
    public let sampleCount: Int

    private(set) var handle: WGPUTexture

    init(device: GPUDevice, handle: WGPUTexture, descriptor: GPUTextureDescriptor) {
        self.device = device
        self.handle = handle
        label = descriptor.label
        size = descriptor.size
        format = descriptor.format
        usage = descriptor.usage
        dimension = descriptor.dimension
        mipLevelCount = descriptor.mipLevelCount
        sampleCount = descriptor.sampleCount
    }

    deinit { wgpuTextureRelease(handle) }

    /// Lets go of its own texels and stands for those of `other` from now on.
    func replace(with other: GPUTexture) {
        wgpuTextureAddRef(other.handle)
        wgpuTextureRelease(handle)
        handle = other.handle
    }

    /// Width of mip level 0, in texels.
    public var width: Int { size.width }
    /// Height of mip level 0, in texels.
    public var height: Int { size.height }

    /// Number of layers of an array or cube; 1 for a volume.
    public var layerCount: Int { dimension == .threeDimensional ? 1 : size.depthOrLayers }

    /// Size of one mip level: each halves, down to 1; layers stay.
    public func size(ofMipLevel level: Int) -> GPUExtent {
        GPUExtent(
            max(size.width >> level, 1), max(size.height >> level, 1),
            dimension == .threeDimensional ? max(size.depthOrLayers >> level, 1) : size.depthOrLayers)
    }

    /// Levels of a full mip chain for an image: 1 + ⌊log₂ max(width, height)⌋.
    public static func fullMipLevelCount(width: Int, height: Int) -> Int {
        Int.bitWidth - max(width, height, 1).leadingZeroBitCount
    }

    /// A corner of this texture, for copies.
    public func place(mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0) -> GPUTexturePlace {
        place(mipLevel: mipLevel, x: x, y: y, layer: layer, aspect: .all)
    }

    /// A corner of one aspect of this texture, for copies.
    package func place(mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0, aspect: GPUTextureAspect) -> GPUTexturePlace {
        GPUTexturePlace(texture: self, mipLevel: mipLevel, x: x, y: y, layer: layer, aspect: aspect)
    }
}

/// A corner in one mip level of a texture: where a copy begins.
public struct GPUTexturePlace {
    /// The texture that is read or written.
    public var texture: GPUTexture
    /// 0 is the full size.
    public var mipLevel: Int
    /// Texels from the left edge; a multiple of the block width in compressed formats.
    public var x: Int
    /// Texels from the top edge; a multiple of the block height in compressed formats.
    public var y: Int
    /// The array layer, or the slice of a volume.
    public var layer: Int
    package var aspect: GPUTextureAspect

    package init(texture: GPUTexture, mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0, aspect: GPUTextureAspect = .all) {
        self.texture = texture
        self.mipLevel = mipLevel
        self.x = x
        self.y = y
        self.layer = layer
        self.aspect = aspect
    }

    /// From here to the far corner of the mip level, one layer (a volume: all slices from here).
    public var restOfLevel: GPUExtent {
        let size = texture.size(ofMipLevel: mipLevel)
        return GPUExtent(size.width - x, size.height - y, texture.dimension == .threeDimensional ? size.depthOrLayers - layer : 1)
    }

    var raw: WGPUTexelCopyTextureInfo {
        WGPUTexelCopyTextureInfo(
            texture: texture.handle, mipLevel: GPUExtent.raw(mipLevel),
            origin: WGPUOrigin3D(x: GPUExtent.raw(x), y: GPUExtent.raw(y), z: GPUExtent.raw(layer)),
            aspect: WGPUTextureAspect(rawValue: aspect.rawValue))
    }
}

extension GPUDevice {
    /// Makes a texture filled with zeros.
    public func makeTexture(_ texture: GPUTextureDescriptor) throws(GPUError) -> GPUTexture {
        guard !texture.size.isEmpty, texture.mipLevelCount > 0, texture.sampleCount > 0 else {
            throw .validation(resource: texture.label, message: "a texture's sizes and counts must be positive")
        }
        let mark = state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUTextureDescriptor()
        descriptor.label = memory.string(texture.label)
        descriptor.usage = texture.usage.rawValue
        descriptor.dimension = WGPUTextureDimension(rawValue: texture.dimension.rawValue)
        descriptor.size = texture.size.raw
        descriptor.format = texture.format.raw
        descriptor.mipLevelCount = GPUExtent.raw(texture.mipLevelCount)
        descriptor.sampleCount = GPUExtent.raw(texture.sampleCount)
        descriptor.viewFormatCount = texture.viewFormats.count
        descriptor.viewFormats = memory.array(texture.viewFormats.map { $0.raw })
        return try adopt(wgpuDeviceCreateTexture(handle, &descriptor), named: texture.label, since: mark) {
            GPUTexture(device: self, handle: $0, descriptor: texture)
        }
    }
}
