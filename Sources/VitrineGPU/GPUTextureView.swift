internal import CWebGPU

/// A view of some mip levels and layers of a texture, for shaders and render passes.
public final class GPUTextureView {
    /// The texture of the view; the view retains it.
    public let texture: GPUTexture
    /// The dimension with which WGSL declares the view.
    public let dimension: GPUTextureViewDimension
    /// The format in which shaders and passes read and write texels.
    public let format: GPUTextureFormat

    let handle: WGPUTextureView

    init(texture: GPUTexture, handle: WGPUTextureView, dimension: GPUTextureViewDimension, format: GPUTextureFormat) {
        self.texture = texture
        self.handle = handle
        self.dimension = dimension
        self.format = format
    }

    deinit { wgpuTextureViewRelease(handle) }
}

extension GPUTexture {
    /// Creates a view.
    ///
    /// - Parameters:
    ///   - dimension: The dimension of the view; by default that of the texture, or an array if it has several layers. Cubes must be explicit.
    ///   - format: The format of the texels, one of `viewFormats`; by default the texture's format.
    ///   - mipLevels: The mip levels of the view; by default all.
    ///   - layers: The layers of the view; by default all. One layer gives a two-dimensional view, unless `dimension` is given.
    public func makeView(
        dimension: GPUTextureViewDimension? = nil, format: GPUTextureFormat? = nil, mipLevels: Range<Int>? = nil,
        layers: Range<Int>? = nil
    ) throws(GPUError) -> GPUTextureView {
        try makeView(dimension: dimension, format: format, mipLevels: mipLevels, layers: layers, aspect: .all)
    }

    /// Creates a view of one aspect of a depth-stencil format.
    package func makeView(
        dimension: GPUTextureViewDimension? = nil, format: GPUTextureFormat? = nil, mipLevels: Range<Int>? = nil,
        layers: Range<Int>? = nil, aspect: GPUTextureAspect
    ) throws(GPUError) -> GPUTextureView {
        let levels = mipLevels ?? 0..<mipLevelCount
        let layers = layers ?? 0..<layerCount
        guard levels.lowerBound >= 0, levels.upperBound <= mipLevelCount, !levels.isEmpty,
            layers.lowerBound >= 0, layers.upperBound <= layerCount, !layers.isEmpty
        else {
            throw .validation(
                resource: label,
                message: "a view of mip levels \(levels.lowerBound)..<\(levels.upperBound) of \(mipLevelCount), "
                    + "layers \(layers.lowerBound)..<\(layers.upperBound) of \(layerCount)")
        }
        let dimension = dimension ?? naturalDimension(layers: layers.count)
        let format = format ?? self.format
        let mark = device.state.mark
        var memory = DescriptorMemory()
        defer { memory.free() }
        var descriptor = WGPUTextureViewDescriptor()
        descriptor.label = memory.string(label)
        descriptor.format = format.raw
        descriptor.dimension = WGPUTextureViewDimension(rawValue: dimension.rawValue)
        descriptor.baseMipLevel = UInt32(levels.lowerBound)
        descriptor.mipLevelCount = UInt32(levels.count)
        descriptor.baseArrayLayer = UInt32(layers.lowerBound)
        descriptor.arrayLayerCount = UInt32(layers.count)
        descriptor.aspect = WGPUTextureAspect(rawValue: aspect.rawValue)
        return try device.adopt(wgpuTextureCreateView(handle, &descriptor), named: label, since: mark) {
            GPUTextureView(texture: self, handle: $0, dimension: dimension, format: format)
        }
    }

    private func naturalDimension(layers: Int) -> GPUTextureViewDimension {
        switch dimension {
        case .oneDimensional: .oneDimensional
        case .twoDimensional: layers > 1 ? .twoDimensionalArray : .twoDimensional
        case .threeDimensional: .threeDimensional
        }
    }
}
