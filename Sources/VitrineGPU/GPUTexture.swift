internal import CWebGPU

/// The width, height, and depth (or number of layers) of a texture or of a part of it, in texels.
public struct GPUExtent: Sendable, Equatable {
    /// Of mip level 0, in texels.
    public var width: Int
    /// Of mip level 0, in texels.
    public var height: Int
    public var depthOrLayers: Int

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
    public var format: GPUTextureFormat
    public var usage: GPUTextureUsage
    public var dimension: GPUTextureDimension
    public var mipLevelCount: Int
    /// 1 or 4.
    public var sampleCount: Int
    /// Other formats that views may have: the sRGB twin of `format`.
    public var viewFormats: [GPUTextureFormat]

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
    public let device: GPUDevice
    public let label: String
    /// Size of mip level 0.
    public let size: GPUExtent
    public let format: GPUTextureFormat
    public let usage: GPUTextureUsage
    public let dimension: GPUTextureDimension
    public let mipLevelCount: Int
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

    public var width: Int { size.width }
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
    public func place(
        mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0, aspect: GPUTextureAspect = .all
    ) -> GPUTexturePlace {
        GPUTexturePlace(texture: self, mipLevel: mipLevel, x: x, y: y, layer: layer, aspect: aspect)
    }
}

/// A corner in one mip level of a texture: where a copy begins.
public struct GPUTexturePlace {
    public var texture: GPUTexture
    public var mipLevel: Int
    public var x: Int
    public var y: Int
    /// The array layer, or the slice of a volume.
    public var layer: Int
    public var aspect: GPUTextureAspect

    public init(texture: GPUTexture, mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0, aspect: GPUTextureAspect = .all) {
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
