internal import CWebGPU

/// WebGPU copies texture rows to buffers only at multiples of this many bytes.
private let rowAlignment = 256

extension GPUTexture {
    /// Waits for the GPU and copies one mip level out of the texture, which needs `copySource`.
    ///
    /// - Parameters:
    ///   - layers: array layers or slices of a volume.
    /// - Returns: rows from the top, then layers, tightly packed in the texture's format.
    public func read(mipLevel: Int = 0, layers: Range<Int> = 0..<1) throws(GPUError) -> [UInt8] {
        try read(mipLevel: mipLevel, layers: layers, aspect: .all)
    }

    /// Copies one mip level of one aspect: of depth-stencil formats, one must be chosen.
    package func read(mipLevel: Int = 0, layers: Range<Int> = 0..<1, aspect: GPUTextureAspect) throws(GPUError) -> [UInt8] {
        let size = try sizeToRead(mipLevel: mipLevel, layers: layers)
        let tightRow = format.bytesPerRow(width: size.width, aspect: aspect)
        let rows = format.blockRows(height: size.height) * layers.count
        let stagingRow = (tightRow + rowAlignment - 1) / rowAlignment * rowAlignment
        let (byteCount, overflow) = stagingRow.multipliedReportingOverflow(by: rows)
        guard tightRow > 0, !overflow else {
            throw .mapping(resource: label, message: "its format cannot be copied to a buffer")
        }

        let staging = try device.makeBuffer(label + " (read)", size: byteCount, usage: [.mapRead, .copyDestination])
        let encoder = try device.makeCommandEncoder(label + " (read)")
        encoder.copy(
            from: place(mipLevel: mipLevel, layer: layers.lowerBound, aspect: aspect), to: staging,
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
            throw .validation(resource: label, message: "reading mip level \(mipLevel) of \(mipLevelCount)")
        }
        var size = size(ofMipLevel: mipLevel)
        guard layers.lowerBound >= 0, layers.upperBound <= size.depthOrLayers, !layers.isEmpty else {
            throw .validation(
                resource: label, message: "reading layers \(layers.lowerBound)..<\(layers.upperBound) of \(size.depthOrLayers)")
        }
        size.depthOrLayers = layers.count
        return size
    }
}
