/// Accessors and buffer views.
extension GLBRules {
    static let widths = ["SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16]
    static let componentSizes = [5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4]

    /// States the use of an accessor: at the end its view must match.
    mutating func use(_ accessor: Int, as use: Use) {
        accessorUses[accessor, default: []].insert(use)
        if let view = accessors[accessor]["bufferView"].integer { viewUses[view, default: []].insert(use) }
    }

    func count(_ accessor: Int) -> Int { accessors[accessor]["count"].integer ?? 0 }

    /// Returns the kind of an accessor as text such as "VEC3 5126".
    func kind(_ accessor: Int) -> String {
        let json = accessors[accessor]
        let isNormalized = json["normalized"].number == 1 ? " normalized" : ""
        return "\(json["type"].text ?? "") \(json["componentType"].integer ?? 0)\(isNormalized)"
    }

    /// The numbers, element by element; nil where they are packed, or lie outside of the bytes.
    func values(_ accessor: Int) -> [Double]? {
        let json = accessors[accessor]
        guard let width = Self.widths[json["type"].text ?? ""], let type = json["componentType"].integer,
            let size = Self.componentSizes[type], !dracoAccessors.contains(accessor)
        else { return nil }
        guard let index = json["bufferView"].integer else { return Array(repeating: 0, count: count(accessor) * width) }
        guard views.indices.contains(index), (views[index]["buffer"].integer ?? 0) == 0 else { return nil }
        let start = (views[index]["byteOffset"].integer ?? 0) + (json["byteOffset"].integer ?? 0)
        let stride = views[index]["byteStride"].integer ?? width * size
        let elements = count(accessor)
        guard elements > 0, start >= 0, stride > 0, start + (elements - 1) * stride + width * size <= binary.count else { return nil }
        return binary.withUnsafeBytes { bytes in
            var values: [Double] = []
            values.reserveCapacity(elements * width)
            for element in 0..<elements {
                for component in 0..<width { values.append(Self.number(bytes, start + element * stride + component * size, type)) }
            }
            return values
        }
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, _ at: Int, _ type: Int) -> Double {
        switch type {
        case 5120: Double(bytes.loadUnaligned(fromByteOffset: at, as: Int8.self))
        case 5121: Double(bytes[at])
        case 5122: Double(Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: Int16.self)))
        case 5123: Double(UInt16(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt16.self)))
        case 5125: Double(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
        default: Double(Float(bitPattern: UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self))))
        }
    }

    mutating func checkAccessors() {
        for (index, json) in accessors.enumerated() {
            let location = "accessors/\(index)"
            guard let width = Self.widths[json["type"].text ?? ""], let type = json["componentType"].integer,
                let size = Self.componentSizes[type], let count = json["count"].integer, count > 0
            else {
                faults.append("\(location): invalid type or count")
                continue
            }
            expect(json["normalized"].number != 1 || type < 5125, "\(location): normalized, but no small integer")
            expect(accessorUses[index] != nil, "\(location): nothing uses it")
            checkExtent(json, location, elementSize: width * size, size: size, count: count)
            checkBounds(index, json, location, width: width)
        }
    }

    private mutating func checkExtent(_ json: JSONNode, _ location: String, elementSize: Int, size: Int, count: Int) {
        guard let index = reference(json["bufferView"], "bufferViews", location) else { return }
        let view = views[index]
        let (offset, base) = (json["byteOffset"].integer ?? 0, view["byteOffset"].integer ?? 0)
        let stride = view["byteStride"].integer ?? elementSize
        expect(offset >= 0 && offset % size == 0 && (base + offset) % size == 0, "\(location): not aligned to its \(size) bytes")
        expect(stride >= elementSize, "\(location): elements of \(elementSize) bytes with a stride of \(stride)")
        let end = offset + stride * (count - 1) + elementSize
        expect(end <= view["byteLength"].integer ?? 0, "\(location): ends at \(end), beyond its view")
        if viewUses[index] == [.vertices] {
            expect((base + offset) % 4 == 0 && stride % 4 == 0, "\(location): vertices that are not aligned to 4 bytes")
        }
    }

    private mutating func checkBounds(_ index: Int, _ json: JSONNode, _ location: String, width: Int) {
        guard json["min"].isThere || json["max"].isThere else { return }
        // As floats: Foundation may miss the last bit of a double.
        let lowest = json["min"].elements.compactMap(\.number).map { Float($0) }
        let highest = json["max"].elements.compactMap(\.number).map { Float($0) }
        guard lowest.count == width, highest.count == width else {
            faults.append("\(location): min and max are not of \(width) numbers")
            return
        }
        guard let values = values(index) else { return }
        for component in 0..<width {
            let own = stride(from: component, to: values.count, by: width).map { Float(values[$0]) }
            expect(own.min() == lowest[component] && own.max() == highest[component], "\(location): min or max are not its values'")
        }
    }

    mutating func checkViews() {
        var lengths = root["buffers"].elements.map { $0["byteLength"].integer ?? 0 }
        if lengths.isEmpty { lengths = [0] }
        var sharing: [Int: Int] = [:]
        for accessor in accessors { if let view = accessor["bufferView"].integer { sharing[view, default: 0] += 1 } }
        for (index, view) in views.enumerated() {
            let location = "bufferViews/\(index)"
            let (offset, length) = (view["byteOffset"].integer ?? 0, view["byteLength"].integer ?? 0)
            guard let buffer = reference(view["buffer"], "buffers", location) else { continue }
            expect(length > 0 && offset >= 0 && offset + length <= lengths[buffer], "\(location): beyond its buffer")
            checkTarget(view, viewUses[index] ?? [], location, isShared: sharing[index] ?? 0 > 1)
            let packed = view["extensions"]["EXT_meshopt_compression"]
            expect(packed.isThere == (buffer > 0), "\(location): in a buffer without bytes, and not packed")
            if packed.isThere { checkPacked(packed, location, length: length, bytes: lengths[0]) }
        }
    }

    private mutating func checkTarget(_ view: JSONNode, _ uses: Set<Use>, _ location: String, isShared: Bool) {
        expect(!uses.isEmpty, "\(location): nothing uses it")
        expect(uses.count <= 1, "\(location): used for \(uses.map(\.rawValue).sorted().joined(separator: " and "))")
        let target = view["target"].integer
        let stride = view["byteStride"].integer
        switch uses.first {
        case .vertices:
            expect(target == 34962, "\(location): vertices, but no ARRAY_BUFFER")
            expect(stride.map { (4...252).contains($0) && $0 % 4 == 0 } ?? !isShared, "\(location): an invalid stride")
        case .indices: expect(target == 34963 && stride == nil, "\(location): indices, but no ELEMENT_ARRAY_BUFFER")
        case .data, nil: expect(target == nil && stride == nil, "\(location): a target or a stride, but no vertices")
        }
    }

    private mutating func checkPacked(_ packed: JSONNode, _ location: String, length: Int, bytes: Int) {
        let (stride, count) = (packed["byteStride"].integer ?? 0, packed["count"].integer ?? 0)
        let end = (packed["byteOffset"].integer ?? 0) + (packed["byteLength"].integer ?? .max / 2)
        expect(packed["buffer"].integer == 0 && end <= bytes, "\(location): its packed bytes are not in the file")
        expect(stride * count == length && count > 0, "\(location): \(count) elements of \(stride) bytes are not \(length)")
        switch packed["mode"].text {
        case "ATTRIBUTES": expect(stride % 4 == 0 && stride <= 256, "\(location): a stride of \(stride)")
        case "TRIANGLES": expect((stride == 2 || stride == 4) && count % 3 == 0, "\(location): triangles of \(count) indices")
        case "INDICES": expect(stride == 2 || stride == 4, "\(location): indices of \(stride) bytes")
        default: faults.append("\(location): an invalid meshopt mode")
        }
        if let filter = packed["filter"].text {
            let isKnown = ["NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL"].contains(filter)
            expect(isKnown && packed["mode"].text == "ATTRIBUTES", "\(location): the filter \(filter)")
        }
    }
}
