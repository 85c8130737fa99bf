extension GLTFImporter {
    /// An accessor's values as floats, normalized integers scaled, matrices by columns without padding.
    func floats(_ index: Int) throws(GLTFError) -> [Float] {
        if let decoded = decodedAccessors[index] { return decoded }
        let accessor = accessors[index]
        try reserve(count: accessor.count, componentCount: accessor.componentCount, for: accessor.json)
        var values =
            if let source = accessor.source {
                decode(source, count: accessor.count, layout: accessor)
            } else {
                [Float](repeating: 0, count: accessor.count * accessor.componentCount)
            }
        if let sparse = accessor.sparse {
            let width = accessor.componentCount
            let replacements = decode(sparse.values, count: sparse.count, layout: accessor)
            for (position, index) in try sparseIndices(sparse, below: accessor.count).enumerated() {
                for component in 0..<width { values[index * width + component] = replacements[position * width + component] }
            }
        }
        replaceNotFinite(&values, of: accessor)
        decodedAccessors[index] = values
        return values
    }

    /// The values of an accessor of unsigned integers.
    func unsignedIntegers(_ index: Int) throws(GLTFError) -> [UInt32] {
        let accessor = accessors[index]
        try reserve(count: accessor.count, componentCount: accessor.componentCount, for: accessor.json)
        var values =
            if let source = accessor.source {
                unsignedIntegers(source, type: accessor.type, count: accessor.count)
            } else {
                [UInt32](repeating: 0, count: accessor.count)
            }
        if let sparse = accessor.sparse {
            let replacements = unsignedIntegers(sparse.values, type: accessor.type, count: sparse.count)
            for (position, index) in try sparseIndices(sparse, below: accessor.count).enumerated() {
                values[index] = replacements[position]
            }
        }
        return values
    }

    private func sparseIndices(_ sparse: GLTFAccessor.Sparse, below count: Int) throws(GLTFError) -> [Int] {
        let indices = unsignedIntegers(sparse.indices, type: sparse.indexType, count: sparse.count)
        var result: [Int] = []
        result.reserveCapacity(indices.count)
        for index in indices {
            guard index < count else { throw sparse.json.failure("index \(index), but the accessor has \(count) elements") }
            if let last = result.last, last >= Int(index) { throw sparse.json.failure("the indices don't rise: \(index) follows \(last)") }
            result.append(Int(index))
        }
        return result
    }

    /// NaN and infinity would spread through bounds, matrices and pictures.
    func replaceNotFinite(_ values: inout [Float], of accessor: GLTFAccessor) {
        guard accessor.type == .float32 else { return }
        // A finite number times zero is zero; anything else is not a number.
        let probe = values.withUnsafeBufferPointer { $0.reduce(into: Float(0)) { $0 += $1 * 0 } }
        guard probe.isNaN else { return }
        var replaced = 0
        for index in values.indices where !values[index].isFinite {
            values[index] = 0
            replaced += 1
        }
        warn(accessor.json, "\(replaced) values are infinite or not a number and were set to 0")
    }

    // MARK: Loops over bytes

    private func decode(_ source: GLTFAccessor.Source, count: Int, layout: GLTFAccessor) -> [Float] {
        buffers[source.buffer].bytes.withUnsafeBytes { bytes in
            let elements = StridedElements(
                bytes: UnsafeRawBufferPointer(rebasing: bytes[source.offset...]), stride: source.stride, layout: layout, count: count)
            return switch layout.type {
            case .float32: elements.floats()
            case .int8: layout.isNormalized ? elements.normalized(Int8.self) : elements.plain(Int8.self)
            case .uint8: layout.isNormalized ? elements.normalized(UInt8.self) : elements.plain(UInt8.self)
            case .int16: layout.isNormalized ? elements.normalized(Int16.self) : elements.plain(Int16.self)
            case .uint16: layout.isNormalized ? elements.normalized(UInt16.self) : elements.plain(UInt16.self)
            case .uint32: elements.plain(UInt32.self)
            }
        }
    }

    private func unsignedIntegers(_ source: GLTFAccessor.Source, type: GLTFComponentType, count: Int) -> [UInt32] {
        buffers[source.buffer].bytes.withUnsafeBytes { bytes in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[source.offset...])
            return switch type {
            case .uint8, .int8: GLTFImporter.widened(UInt8.self, bytes, stride: source.stride, count: count)
            case .uint16, .int16: GLTFImporter.widened(UInt16.self, bytes, stride: source.stride, count: count)
            case .uint32, .float32: GLTFImporter.widened(UInt32.self, bytes, stride: source.stride, count: count)
            }
        }
    }

    @inline(__always)
    private static func widened<T: FixedWidthInteger & UnsignedInteger>(
        _ type: T.Type, _ bytes: UnsafeRawBufferPointer, stride: Int, count: Int
    ) -> [UInt32] {
        [UInt32](unsafeUninitializedCapacity: count) { result, initialized in
            for index in 0..<count {
                result[index] = UInt32(T(littleEndian: bytes.loadUnaligned(fromByteOffset: index * stride, as: T.self)))
            }
            initialized = count
        }
    }
}

/// Elements in memory that was checked to hold them all.
private struct StridedElements {
    let bytes: UnsafeRawBufferPointer
    let stride: Int
    let layout: GLTFAccessor
    let count: Int

    func floats() -> [Float] {
        let width = layout.componentCount
        if stride == width * 4 {
            return [Float](unsafeUninitializedCapacity: count * width) { result, initialized in
                UnsafeMutableRawBufferPointer(result).copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * width * 4)]))
                initialized = count * width
            }
        }
        return map(UInt32.self) { Float(bitPattern: $0) }
    }

    @inline(__always)
    func plain<T: FixedWidthInteger>(_ type: T.Type) -> [Float] { map(type) { Float($0) } }

    /// Signed values reach from −max to max; the one below means −1 as well.
    @inline(__always)
    func normalized<T: FixedWidthInteger>(_ type: T.Type) -> [Float] { map(type) { max(Float($0) / Float(T.max), -1) } }

    @inline(__always)
    private func map<T: FixedWidthInteger>(_ type: T.Type, _ convert: (T) -> Float) -> [Float] {
        let (rows, columns, columnStride) = (layout.shape.rows, layout.shape.columns, layout.columnStride)
        return [Float](unsafeUninitializedCapacity: count * rows * columns) { result, initialized in
            var written = 0
            for element in 0..<count {
                for column in 0..<columns {
                    let start = element * stride + column * columnStride
                    for row in 0..<rows {
                        let value = bytes.loadUnaligned(fromByteOffset: start + row * MemoryLayout<T>.size, as: T.self)
                        result[written] = convert(T(littleEndian: value))
                        written += 1
                    }
                }
            }
            initialized = written
        }
    }
}
