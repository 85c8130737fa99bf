internal import CWebGPU

/// The width, height, and depth (or number of layers) of a texture or of a part of it, in texels.
public struct GPUExtent: Sendable, Equatable {
    /// The width of mip level 0 in texels.
    public var width: Int
    /// The height of mip level 0 in texels.
    public var height: Int
    /// The depth of a volume in texels, the number of layers of an array (6 for a cube), or 1 for a single image.
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

    /// Converts a value for C. Negative and too large values become the maximum, which WebGPU rejects.
    static func raw(_ value: Int) -> UInt32 { UInt32(exactly: value) ?? .max }
}

/// The description of a texture to create.
public struct GPUTextureDescriptor: Sendable {
    /// The name of the texture in errors.
    public var label: String
    /// The size of mip level 0; the third number is the number of layers (6 for a cube) or the depth of a volume.
    public var size: GPUExtent
    /// The format of the texels.
    public var format: GPUTextureFormat
    /// All uses of the texture.
    public var usage: GPUTextureUsage
    /// The dimension; two-dimensional by default.
    public var dimension: GPUTextureDimension
    /// The number of mip levels, 1 by default; `GPUTexture.fullMipLevelCount(width:height:)` returns that of a full chain.
    public var mipLevelCount: Int
    /// The number of samples per texel, 1 or 4.
    public var sampleCount: Int
    /// Further formats that views may have: the sRGB or linear counterpart of `format`.
    public var viewFormats: [GPUTextureFormat]

    /// Creates a description; by default of a two-dimensional texture with one mip level and one sample.
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

/// A texture on the GPU: an image, an image array, a cube, a volume or a render target.
public final class GPUTexture {
    /// The device that created the texture; the texture cannot be used with another one.
    public let device: GPUDevice
    /// The name of the object in errors and graphics debuggers.
    public let label: String
    /// The size of mip level 0.
    public let size: GPUExtent
    /// The format of the texels.
    public let format: GPUTextureFormat
    /// The uses declared at creation; any other is a validation error.
    public let usage: GPUTextureUsage
    /// The dimension of the texture's storage.
    public let dimension: GPUTextureDimension
    /// The number of mip levels, at least 1.
    public let mipLevelCount: Int
    /// The number of samples per texel: 1, or 4 for multisampled targets.
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

    /// Releases the current handle, unless `releases` is false, and uses that of `other` instead.
    func replace(with other: GPUTexture, releases: Bool = true) {
        wgpuTextureAddRef(other.handle)
        if releases { wgpuTextureRelease(handle) }
        handle = other.handle
    }

    /// The width of mip level 0 in texels.
    public var width: Int { size.width }
    /// The height of mip level 0 in texels.
    public var height: Int { size.height }

    /// The number of layers of an array or cube; 1 for a volume.
    public var layerCount: Int { dimension == .threeDimensional ? 1 : size.depthOrLayers }

    /// The size of one mip level: width, height and depth halve per level, down to 1; the number of layers is constant.
    public func size(ofMipLevel level: Int) -> GPUExtent {
        GPUExtent(
            max(size.width >> level, 1), max(size.height >> level, 1),
            dimension == .threeDimensional ? max(size.depthOrLayers >> level, 1) : size.depthOrLayers)
    }

    /// The number of levels of a full mip chain for an image: 1 + ⌊log₂ max(width, height)⌋.
    public static func fullMipLevelCount(width: Int, height: Int) -> Int {
        Int.bitWidth - max(width, height, 1).leadingZeroBitCount
    }

    /// Returns a position in this texture, for copies.
    public func copyInfo(mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0) -> GPUTexelCopyTextureInfo {
        copyInfo(mipLevel: mipLevel, x: x, y: y, layer: layer, aspect: .all)
    }

    /// Returns a position in one aspect of this texture, for copies.
    package func copyInfo(mipLevel: Int = 0, x: Int = 0, y: Int = 0, layer: Int = 0, aspect: GPUTextureAspect) -> GPUTexelCopyTextureInfo {
        GPUTexelCopyTextureInfo(texture: self, mipLevel: mipLevel, x: x, y: y, layer: layer, aspect: aspect)
    }
}

/// A position in one mip level of a texture at which a copy begins.
public struct GPUTexelCopyTextureInfo {
    /// The texture that is read or written.
    public var texture: GPUTexture
    /// The mip level; 0 is the full size.
    public var mipLevel: Int
    /// The distance from the left edge in texels; a multiple of the block width in compressed formats.
    public var x: Int
    /// The distance from the top edge in texels; a multiple of the block height in compressed formats.
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

    /// The size from here to the far corner of the mip level: one layer, or in a volume all slices from here.
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
    /// Creates a texture filled with zeros.
    public func makeTexture(_ texture: GPUTextureDescriptor) throws(GPUError) -> GPUTexture {
        guard !texture.size.isEmpty, texture.mipLevelCount > 0, texture.sampleCount > 0 else {
            throw .validation(resource: texture.label, message: "the sizes and counts of a texture must be positive")
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

#if arch(wasm32)
    extension GPUTexture {
        /// Creates a texture object for a texture that the web page created, such as the current one of a canvas.
        ///
        /// - Parameters:
        ///   - number: Its number in the table of the page's GPU objects, which this object owns from now on.
        ///   - descriptor: The description with which the page created it.
        package convenience init?(device: GPUDevice, number: UInt, descriptor: GPUTextureDescriptor) {
            guard let handle = OpaquePointer(bitPattern: number) else { return nil }
            self.init(device: device, handle: handle, descriptor: descriptor)
        }

        /// The number of this texture in the table of the page's GPU objects.
        package var number: UInt { UInt(bitPattern: handle) }
    }
#endif

extension GPUTexture {
    /// Fills the first mip level with an image that the browser has decoded.
    ///
    /// - Parameter image: Its number in the page's table of images. The image must have the size of the texture.
    package func copyPlatformImage(_ image: UInt32) {
        #if arch(wasm32)
            vitrineTextureCopyImage(handle, image)
        #endif
    }
}

/// WebGPU copies texture rows to buffers only at multiples of this number of bytes.
private let rowAlignment = 256

extension GPUTexture {
    /// Waits for the GPU and copies one mip level of the texture, which needs the usage `copySource`.
    ///
    /// - Parameters:
    ///   - mipLevel: The mip level; 0 is the full size.
    ///   - layers: The array layers, or the slices of a volume.
    /// - Returns: Rows from the top, layer after layer, tightly packed in the texture's format.
    public func read(mipLevel: Int = 0, layers: Range<Int> = 0..<1) throws(GPUError) -> [UInt8] {
        try read(mipLevel: mipLevel, layers: layers, aspect: .all)
    }

    /// Waits for the GPU and copies one mip level of one aspect; depth-stencil formats require the choice of one aspect.
    package func read(mipLevel: Int = 0, layers: Range<Int> = 0..<1, aspect: GPUTextureAspect) throws(GPUError) -> [UInt8] {
        let size = try sizeToRead(mipLevel: mipLevel, layers: layers)
        let tightRow = format.bytesPerRow(width: size.width, aspect: aspect)
        let rows = format.blockRows(height: size.height) * layers.count
        let stagingRow = (tightRow + rowAlignment - 1) / rowAlignment * rowAlignment
        let (byteCount, overflow) = stagingRow.multipliedReportingOverflow(by: rows)
        guard tightRow > 0, !overflow else {
            throw .mapping(resource: label, message: "textures of this format cannot be copied to a buffer")
        }

        let staging = try device.makeBuffer(label + " (read)", size: byteCount, usage: [.mapRead, .copyDestination])
        let encoder = try device.makeCommandEncoder(label + " (read)")
        encoder.copy(
            from: copyInfo(mipLevel: mipLevel, layer: layers.lowerBound, aspect: aspect), to: staging,
            bytesPerRow: stagingRow, size: size)
        device.queue.submit(try encoder.finish())
        return try staging.withMapped(0..<byteCount) { bytes in
            [UInt8](unsafeUninitializedCapacity: tightRow * rows) { packed, initialized in
                let target = UnsafeMutableRawBufferPointer(packed)
                for row in 0..<rows {
                    UnsafeMutableRawBufferPointer(rebasing: target[(row * tightRow)..<((row + 1) * tightRow)])
                        .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[(row * stagingRow)..<(row * stagingRow + tightRow)]))
                }
                initialized = tightRow * rows
            }
        }
    }

    private func sizeToRead(mipLevel: Int, layers: Range<Int>) throws(GPUError) -> GPUExtent {
        guard mipLevel >= 0, mipLevel < mipLevelCount else {
            throw .validation(resource: label, message: "mip level \(mipLevel) does not exist: the texture has \(mipLevelCount)")
        }
        var size = size(ofMipLevel: mipLevel)
        guard layers.lowerBound >= 0, layers.upperBound <= size.depthOrLayers, !layers.isEmpty else {
            throw .validation(
                resource: label,
                message: "layers \(layers.lowerBound)..<\(layers.upperBound) do not exist: the texture has \(size.depthOrLayers)")
        }
        size.depthOrLayers = layers.count
        return size
    }
}
