internal import CWebGPU

extension GPUCommandEncoder {
    /// Copies bytes between buffers; offsets and size are multiples of 4.
    public func copy(
        from source: GPUBuffer, at sourceOffset: Int = 0, to destination: GPUBuffer, at destinationOffset: Int = 0, size: Int
    ) {
        wgpuCommandEncoderCopyBufferToBuffer(
            handle, source.handle, UInt64(sourceOffset), destination.handle, UInt64(destinationOffset), UInt64(size))
    }

    /// Copies rows of texels from a buffer into a texture.
    ///
    /// - Parameters:
    ///   - bytesPerRow: from one row of texels (or blocks) to the next: a multiple of 256.
    ///   - size: in texels; the rest of the mip level's layer when nil.
    public func copy(
        from source: GPUBuffer, at offset: Int = 0, bytesPerRow: Int, to destination: GPUTexturePlace, size: GPUExtent? = nil
    ) {
        var extent = (size ?? destination.restOfLevel).raw
        var buffer = Self.rows(of: source, offset, bytesPerRow, destination.texture.format, Int(extent.height))
        var texture = destination.raw
        wgpuCommandEncoderCopyBufferToTexture(handle, &buffer, &texture, &extent)
    }

    /// Copies texels into a buffer as rows.
    ///
    /// - Parameters:
    ///   - bytesPerRow: from one row of texels (or blocks) to the next: a multiple of 256.
    ///   - size: in texels; the rest of the mip level's layer when nil.
    public func copy(
        from source: GPUTexturePlace, to destination: GPUBuffer, at offset: Int = 0, bytesPerRow: Int, size: GPUExtent? = nil
    ) {
        var extent = (size ?? source.restOfLevel).raw
        var buffer = Self.rows(of: destination, offset, bytesPerRow, source.texture.format, Int(extent.height))
        var texture = source.raw
        wgpuCommandEncoderCopyTextureToBuffer(handle, &texture, &buffer, &extent)
    }

    /// Copies texels between textures of the same format; `size` is the rest of the source's layer when nil.
    public func copy(from source: GPUTexturePlace, to destination: GPUTexturePlace, size: GPUExtent? = nil) {
        var extent = (size ?? source.restOfLevel).raw
        var from = source.raw
        var to = destination.raw
        wgpuCommandEncoderCopyTextureToTexture(handle, &from, &to, &extent)
    }

    /// Fills bytes of a buffer with zeros; the range's ends are multiples of 4, the whole buffer when nil.
    public func clear(_ buffer: GPUBuffer, _ range: Range<Int>? = nil) {
        let range = range ?? 0..<buffer.size
        wgpuCommandEncoderClearBuffer(handle, buffer.handle, UInt64(range.lowerBound), UInt64(range.count))
    }

    private static func rows(
        of buffer: GPUBuffer, _ offset: Int, _ bytesPerRow: Int, _ format: GPUTextureFormat, _ height: Int
    ) -> WGPUTexelCopyBufferInfo {
        var info = WGPUTexelCopyBufferInfo()
        info.buffer = buffer.handle
        info.layout.offset = UInt64(offset)
        info.layout.bytesPerRow = GPUExtent.raw(bytesPerRow)
        info.layout.rowsPerImage = GPUExtent.raw(format.blockRows(height: height))
        return info
    }
}
