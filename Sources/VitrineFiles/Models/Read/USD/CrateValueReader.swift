/// The numbers of value types ("Crate data types" in OpenUSD).
private enum CrateType {
    static let bool = 1, uchar = 2, int = 3, uint = 4, int64 = 5, uint64 = 6, string = 10, token = 11, asset = 12
    static let dictionary = 31, tokenEdits = 32, stringEdits = 33, pathEdits = 34, referenceEdits = 35, paths = 40, tokens = 41
    static let specifier = 42, permission = 43, variability = 44, variantSelection = 45, timeSamples = 46, payload = 47, doubles = 48
    static let layerOffsets = 49, strings = 50, block = 51, value = 52, unregistered = 53, payloadEdits = 55, timeCode = 56
    static let relocates = 58, spline = 59, animationBlock = 60
}

/// Decodes the values of a USD crate file.
struct CrateValueReader {
    private var reader: CrateBytes
    private let tables: CrateTables
    private let version: Int

    /// - Parameters:
    ///   - reader: The whole file, with the remaining budget.
    ///   - version: The minor version of the file.
    init(_ reader: CrateBytes, tables: CrateTables, version: Int) { (self.reader, self.tables, self.version) = (reader, tables, version) }

    /// The kinds of numbers in types.
    private enum Scalar {
        case bool, uchar, half, float, double, int32, uint32, int64, uint64

        var size: Int {
            switch self {
            case .bool, .uchar: 1
            case .half: 2
            case .float, .int32, .uint32: 4
            case .double, .int64, .uint64: 8
            }
        }

        var isWhole: Bool {
            switch self {
            case .half, .float, .double: false
            default: true
            }
        }
    }

    /// Returns the kind and count of the numbers of a type; nil for other types.
    private static func layout(_ type: Int) -> (scalar: Scalar, width: Int)? {
        switch type {
        case 1: (.bool, 1)
        case 2: (.uchar, 1)
        case 3: (.int32, 1)
        case 4: (.uint32, 1)
        case 5: (.int64, 1)
        case 6: (.uint64, 1)
        case 7: (.half, 1)
        case 8: (.float, 1)
        case 9, CrateType.timeCode: (.double, 1)
        case 13: (.double, 4)
        case 14: (.double, 9)
        case 15: (.double, 16)
        case 16: (.double, 4)
        case 17: (.float, 4)
        case 18: (.half, 4)
        case 19: (.double, 2)
        case 20: (.float, 2)
        case 21: (.half, 2)
        case 22: (.int32, 2)
        case 23: (.double, 3)
        case 24: (.float, 3)
        case 25: (.half, 3)
        case 26: (.int32, 3)
        case 27: (.double, 4)
        case 28: (.float, 4)
        case 29: (.half, 4)
        case 30: (.int32, 4)
        default: nil
        }
    }

    /// The number of bytes that may still be decompressed.
    var budget: Int { reader.budget }

    /// Decodes a value.
    ///
    /// - Parameters:
    ///   - representation: The type, the flags, and the value or its offset, as stored in a field.
    ///   - depth: The number of values that contain this one.
    mutating func value(_ representation: UInt64, depth: Int = 0) throws(ModelFileError) -> USDField {
        guard depth < 64 else { throw reader.failure("values are nested more than 64 deep") }
        let (type, payload) = (Int(representation >> 48 & 0xFF), Int(representation & 0xFFFF_FFFF_FFFF))
        let (isArray, isInlined, isPacked) = (
            representation >> 63 & 1 == 1, representation >> 62 & 1 == 1, representation >> 61 & 1 == 1
        )
        if isArray { return try array(type, at: payload, isPacked: isPacked) }
        switch type {
        case CrateType.bool: return .bool(payload != 0)
        case CrateType.string: return tables.string(payload).map { .text($0) } ?? .other
        case CrateType.token: return tables.token(payload).map { .text($0) } ?? .other
        case CrateType.asset: return tables.token(payload).map { .asset($0) } ?? .other
        case CrateType.specifier, CrateType.permission, CrateType.variability: return .number(Double(payload))
        case CrateType.block, CrateType.animationBlock: return .blocked
        case CrateType.relocates, CrateType.spline: return .other
        default: break
        }
        if let (scalar, width) = Self.layout(type) {
            if isInlined { return Self.inlined(UInt32(truncatingIfNeeded: payload), scalar, width, type) }
            try reader.seek(payload)
            let values = try Self.numbers(&reader, scalar, count: width)
            return width == 1 ? .number(values[0]) : .numbers(values)
        }
        if isInlined, type == CrateType.dictionary { return .dictionary([:]) }
        try reader.seek(payload)
        return try stored(type, depth: depth)
    }

    /// Reads a value of several parts at the current offset.
    private mutating func stored(_ type: Int, depth: Int) throws(ModelFileError) -> USDField {
        switch type {
        case CrateType.dictionary: return .dictionary(try dictionary(depth: depth))
        case CrateType.tokenEdits:
            return .textEdits(try edits { (values) throws(ModelFileError) in try values.token(try values.reader.number(UInt32.self)) })
        case CrateType.stringEdits:
            return .textEdits(try edits { (values) throws(ModelFileError) in try values.readString() })
        case CrateType.pathEdits:
            return .paths(try edits { (values) throws(ModelFileError) in try values.readPath() })
        case CrateType.referenceEdits:
            return .references(
                try edits { (values) throws(ModelFileError) in try values.readReference(hasOffset: true, hasData: true, depth: depth) })
        case CrateType.payloadEdits:
            let hasOffset = version >= 8
            return .references(
                try edits { (values) throws(ModelFileError) in
                    try values.readReference(hasOffset: hasOffset, hasData: false, depth: depth)
                })
        case CrateType.payload:
            var result = USDListEdits<USDReference>()
            let payload = try readReference(hasOffset: version >= 8, hasData: false, depth: depth)
            result.explicit = payload.asset.isEmpty && payload.path.isEmpty ? [] : [payload]
            return .references(result)
        case CrateType.paths: return .texts(try items(4) { (values) throws(ModelFileError) in try values.readPath() })
        case CrateType.tokens:
            return .texts(try items(4) { (values) throws(ModelFileError) in try values.token(try values.reader.number(UInt32.self)) })
        case CrateType.strings: return .texts(try items(4) { (values) throws(ModelFileError) in try values.readString() })
        case CrateType.doubles:
            let doubles = try items(8) { (values) throws(ModelFileError) in Double(bitPattern: try values.reader.number(UInt64.self)) }
            return .numbers(doubles)
        case CrateType.layerOffsets: return .offsets(try items(16) { (values) throws(ModelFileError) in try values.readOffset() })
        case CrateType.variantSelection:
            var result: [String: USDField] = [:]
            for _ in 0..<(try reader.count(8)) {
                let set = try readString()
                result[set] = .text(try readString())
            }
            return .dictionary(result)
        case CrateType.timeSamples: return .samples(try timeSamples(depth: depth))
        case CrateType.value, CrateType.unregistered: return try nested(depth: depth)
        default: return .other
        }
    }

    // MARK: Parts

    private mutating func readString() throws(ModelFileError) -> String {
        guard let text = tables.string(Int(try reader.number(UInt32.self))) else { throw reader.failure("a string does not exist") }
        return text
    }

    private func token(_ index: UInt32) throws(ModelFileError) -> String {
        guard let token = tables.token(Int(index)) else { throw reader.failure("a token does not exist") }
        return token
    }

    private mutating func readPath() throws(ModelFileError) -> String {
        let index = Int(try reader.number(UInt32.self))
        guard tables.paths.indices.contains(index) else { throw reader.failure("a path does not exist") }
        return tables.text(ofPath: index)
    }

    private mutating func readOffset() throws(ModelFileError) -> USDTimeOffset {
        let offset = Double(bitPattern: try reader.number(UInt64.self))
        return USDTimeOffset(offset: offset, scale: Double(bitPattern: try reader.number(UInt64.self)))
    }

    private mutating func readReference(hasOffset: Bool, hasData: Bool, depth: Int) throws(ModelFileError) -> USDReference {
        let asset = try readString()
        let index = Int(try reader.number(UInt32.self))
        // An index of no path represents the default prim.
        let path = tables.text(ofPath: index)
        var reference = USDReference(asset: asset, path: path == "/" ? "" : path)
        if hasOffset { reference.offset = try readOffset() }
        guard reference.offset.isUsable else { throw reader.failure("an offset or scale of times is invalid") }
        if hasData { _ = try dictionary(depth: depth + 1) }
        return reference
    }

    private mutating func items<Item>(
        _ size: Int, _ item: (inout CrateValueReader) throws(ModelFileError) -> Item
    ) throws(ModelFileError) -> [Item] {
        let count = try reader.count(size)
        try reader.spend(count * 16)
        var result: [Item] = []
        result.reserveCapacity(count)
        for _ in 0..<count { result.append(try item(&self)) }
        return result
    }

    private mutating func edits<Item>(_ item: (inout CrateValueReader) throws(ModelFileError) -> Item) throws(ModelFileError)
        -> USDListEdits<Item>
    {
        let flags = try reader.number(UInt8.self)
        var result = USDListEdits<Item>()
        if flags & 1 != 0 { result.explicit = [] }
        if flags & 0x02 != 0 { result.explicit = try items(4, item) }
        if flags & 0x04 != 0 { result.added = try items(4, item) }
        if flags & 0x20 != 0 { result.prepended = try items(4, item) }
        if flags & 0x40 != 0 { result.appended = try items(4, item) }
        if flags & 0x08 != 0 { result.deleted = try items(4, item) }
        if flags & 0x10 != 0 { result.ordered = try items(4, item) }
        return result
    }

    /// Moves by the offset in the next eight bytes, relative to their position.
    private mutating func follow() throws(ModelFileError) {
        let start = reader.offset
        let (offset, overflow) = start.addingReportingOverflow(Int(truncatingIfNeeded: try reader.number(Int64.self)))
        try reader.seek(overflow ? -1 : offset)
    }

    /// Reads a value at a relative offset; the reader then is after the offset.
    private mutating func nested(depth: Int) throws(ModelFileError) -> USDField {
        try follow()
        let representation = try reader.number(UInt64.self)
        let offset = reader.offset
        let value = try value(representation, depth: depth + 1)
        try reader.seek(offset)
        return value
    }

    private mutating func dictionary(depth: Int) throws(ModelFileError) -> [String: USDField] {
        let count = try reader.count(12)
        try reader.spend(count * 64)
        var result: [String: USDField] = [:]
        for _ in 0..<count {
            let key = try readString()
            result[key] = try nested(depth: depth)
        }
        return result
    }

    private mutating func timeSamples(depth: Int) throws(ModelFileError) -> [USDSample] {
        guard case let times? = try nested(depth: depth).numbers else { throw reader.failure("time samples have no times") }
        try follow()
        let count = try reader.count(8)
        guard count == times.count, times.allSatisfy(\.isFinite) else { throw reader.failure("\(count) values for \(times.count) times") }
        try reader.spend(count * 64)
        let start = reader.offset
        var result: [USDSample] = []
        result.reserveCapacity(count)
        for index in 0..<count {
            try reader.seek(start + index * 8)
            result.append(USDSample(time: times[index], value: try value(try reader.number(UInt64.self), depth: depth + 1)))
        }
        let isSorted = zip(times, times.dropFirst()).allSatisfy { $0 <= $1 }
        return isSorted ? result : result.sorted { $0.time < $1.time }
    }

    // MARK: Numbers

    /// Decodes a value in four bytes: a number, small whole numbers of one byte each, or the diagonal of a matrix.
    private static func inlined(_ bits: UInt32, _ scalar: Scalar, _ width: Int, _ type: Int) -> USDField {
        func small(_ index: Int) -> Double { Double(Int8(truncatingIfNeeded: bits >> (8 * UInt32(index)))) }
        if width > 1 {
            guard (13...15).contains(type) else { return .numbers((0..<width).map { small($0) }) }
            let side = type - 11
            return .numbers((0..<width).map { $0 % (side + 1) == 0 ? small($0 / (side + 1)) : 0 })
        }
        switch scalar {
        case .bool: return .bool(bits != 0)
        case .uchar, .uint32, .uint64: return .number(Double(bits))
        case .int32, .int64: return .number(Double(Int32(bitPattern: bits)))
        case .half: return .number(Double(half(UInt16(truncatingIfNeeded: bits))))
        case .float, .double: return .number(Double(Float(bitPattern: bits)))
        }
    }

    private static func numbers(_ reader: inout CrateBytes, _ scalar: Scalar, count: Int) throws(ModelFileError) -> [Double] {
        var values: [Double] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            switch scalar {
            case .bool, .uchar: values.append(Double(try reader.number(UInt8.self)))
            case .half: values.append(Double(half(try reader.number(UInt16.self))))
            case .float: values.append(Double(Float(bitPattern: try reader.number(UInt32.self))))
            case .double: values.append(Double(bitPattern: try reader.number(UInt64.self)))
            case .int32: values.append(Double(try reader.number(Int32.self)))
            case .uint32: values.append(Double(try reader.number(UInt32.self)))
            case .int64: values.append(Double(try reader.number(Int64.self)))
            case .uint64: values.append(Double(try reader.number(UInt64.self)))
            }
        }
        return values
    }

    /// Decodes IEEE 754 binary16.
    private static func half(_ bits: UInt16) -> Float {
        let (sign, exponent, fraction): (Float, Int, UInt32) = (bits >> 15 == 1 ? -1 : 1, Int(bits >> 10 & 31), UInt32(bits & 1023))
        switch exponent {
        case 0: return sign * Float(fraction) / 16_777_216
        case 31: return fraction == 0 ? sign * .infinity : .nan
        default: return sign * Float(bitPattern: UInt32(exponent + 112) << 23 | fraction << 13)
        }
    }

    // MARK: Arrays

    private mutating func array(_ type: Int, at offset: Int, isPacked: Bool) throws(ModelFileError) -> USDField {
        let isText = [CrateType.string, CrateType.token, CrateType.asset].contains(type)
        guard let (scalar, width) = isText ? (.int32, 1) : Self.layout(type) else { return .other }
        if offset == 0 { return isText ? .texts([]) : scalar.isWhole ? .integers([]) : .floats([]) }
        try reader.seek(offset)
        if version < 5 { _ = try reader.number(UInt32.self) }
        let count = try reader.count(width * scalar.size, isPacked: isPacked, isShort: version < 7) * width
        // Short arrays are not compressed.
        let isReallyPacked = isPacked && count >= 16
        guard scalar.isWhole else {
            return .floats(isReallyPacked ? try Self.packedFloats(&reader, scalar, count) : try Self.floats(&reader, scalar, count))
        }
        let values: [Int32]
        if isReallyPacked {
            values = scalar.size == 8 ? try reader.longIntegers(count) : try reader.integers(count)
        } else {
            values = try Self.integers(&reader, scalar, count)
        }
        guard isText else { return .integers(values) }
        let texts = values.compactMap {
            type == CrateType.string ? tables.string(Int($0)) : tables.token(Int($0))
        }
        return type == CrateType.asset ? .assets(texts) : .texts(texts)
    }

    private static func integers(_ reader: inout CrateBytes, _ scalar: Scalar, _ count: Int) throws(ModelFileError) -> [Int32] {
        try reader.spend(count * 4)
        if scalar.size == 4 { return try reader.words(count) { Int32(bitPattern: $0) } }
        return try numbers(&reader, scalar, count: count).map { USDTextParser.whole($0) }
    }

    private static func floats(_ reader: inout CrateBytes, _ scalar: Scalar, _ count: Int) throws(ModelFileError) -> [Float] {
        try reader.spend(count * 4)
        if scalar == .float { return try reader.words(count) { Float(bitPattern: $0) } }
        return try numbers(&reader, scalar, count: count).map { Float($0) }
    }

    /// Decodes compressed floats: whole numbers, or indices into a table of few values.
    private static func packedFloats(_ reader: inout CrateBytes, _ scalar: Scalar, _ count: Int) throws(ModelFileError) -> [Float] {
        switch try reader.number(UInt8.self) {
        case UInt8(ascii: "i"): return try reader.integers(count).map { Float($0) }
        case UInt8(ascii: "t"):
            let size = try reader.count(scalar.size, isShort: true)
            let table = try numbers(&reader, scalar, count: size).map { Float($0) }
            let indices = try reader.integers(count)
            guard indices.allSatisfy({ table.indices.contains(Int($0)) }) else { throw reader.failure("an index exceeds its table") }
            return indices.map { table[Int($0)] }
        default: throw reader.failure("compressed numbers have an unknown kind")
        }
    }
}
