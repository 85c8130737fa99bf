/// What a field of a crate file holds, as far as models need it. Vectors, and arrays of them, are flat.
enum CrateValue {
    case bool(Bool)
    case number(Double)
    /// Of tokens, strings and paths of assets.
    case text(String)
    case texts([String])
    case numbers([Double])
    case floats([Float])
    case integers([Int32])
    /// Indices of paths.
    case paths([Int])
    /// Something that isn't read.
    case other

    var number: Double? {
        switch self {
        case .number(let value): value
        case .bool(let value): value ? 1 : 0
        default: nil
        }
    }

    var text: String? { if case .text(let text) = self { text } else { nil } }

    var numbers: [Double]? {
        switch self {
        case .numbers(let values): values
        case .floats(let values): values.map { Double($0) }
        case .number(let value): [value]
        default: nil
        }
    }

    var floats: [Float]? {
        switch self {
        case .floats(let values): values
        case .numbers(let values): values.map { Float($0) }
        default: nil
        }
    }
}

extension CrateFile {
    /// The kinds of numbers that types are made of.
    private enum Scalar { case half, float, double, int32 }

    /// A type's number of numbers and their kind; nil for others.
    private static func layout(_ type: Int) -> (scalar: Scalar, width: Int)? {
        switch type {
        case 3, 4: (.int32, 1)
        case 7: (.half, 1)
        case 8: (.float, 1)
        case 9: (.double, 1)
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
        case 56: (.double, 1)
        default: nil
        }
    }

    mutating func value(_ rep: UInt64) throws(ModelFileError) -> CrateValue {
        let (type, payload) = (Int(rep >> 48 & 0xFF), Int(rep & 0xFFFF_FFFF_FFFF))
        let (isArray, isInlined, isPacked) = (rep >> 63 & 1 == 1, rep >> 62 & 1 == 1, rep >> 61 & 1 == 1)
        if isArray { return try array(type, at: payload, isPacked: isPacked) }
        switch type {
        case 1: return .bool(payload != 0)
        case 10:
            guard strings.indices.contains(payload), tokens.indices.contains(strings[payload]) else { return .other }
            return .text(tokens[strings[payload]])
        case 11, 12: return tokens.indices.contains(payload) ? .text(tokens[payload]) : .other
        case 42, 44: return .number(Double(payload))
        case 32: return .texts(try listOp(at: payload).compactMap { tokens.indices.contains($0) ? tokens[$0] : nil })
        case 34: return .paths(try listOp(at: payload).filter { paths.indices.contains($0) })
        case 41: return .texts(try vector(at: payload).compactMap { tokens.indices.contains($0) ? tokens[$0] : nil })
        default: break
        }
        guard let (scalar, width) = Self.layout(type) else { return .other }
        if isInlined { return Self.inlined(UInt32(truncatingIfNeeded: payload), scalar, width, type) }
        let values = try withReader { (reader) throws(ModelFileError) in
            try reader.seek(payload)
            return try Self.numbers(&reader, scalar, count: width)
        }
        return width == 1 ? .number(values[0]) : .numbers(values)
    }

    /// Four bytes: the number, or small whole numbers one a byte; of a matrix its diagonal.
    private static func inlined(_ bits: UInt32, _ scalar: Scalar, _ width: Int, _ type: Int) -> CrateValue {
        func small(_ index: Int) -> Double { Double(Int8(truncatingIfNeeded: bits >> (8 * UInt32(index)))) }
        if width > 1 {
            guard (13...15).contains(type) else { return .numbers((0..<width).map { small($0) }) }
            let side = type - 11
            return .numbers((0..<width).map { $0 % (side + 1) == 0 ? small($0 / (side + 1)) : 0 })
        }
        switch scalar {
        case .int32: return .number(Double(Int32(bitPattern: bits)))
        case .half: return .number(Double(half(UInt16(truncatingIfNeeded: bits))))
        case .float, .double: return .number(Double(Float(bitPattern: bits)))
        }
    }

    private static func numbers(_ reader: inout CrateBytes, _ scalar: Scalar, count: Int) throws(ModelFileError) -> [Double] {
        var values: [Double] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            switch scalar {
            case .half: values.append(Double(half(try reader.number(UInt16.self))))
            case .float: values.append(Double(Float(bitPattern: try reader.number(UInt32.self))))
            case .double: values.append(Double(bitPattern: try reader.number(UInt64.self)))
            case .int32: values.append(Double(try reader.number(Int32.self)))
            }
        }
        return values
    }

    /// IEEE 754 binary16.
    private static func half(_ bits: UInt16) -> Float {
        let (sign, exponent, fraction): (Float, Int, UInt32) = (bits >> 15 == 1 ? -1 : 1, Int(bits >> 10 & 31), UInt32(bits & 1023))
        switch exponent {
        case 0: return sign * Float(fraction) / 16_777_216
        case 31: return fraction == 0 ? sign * .infinity : .nan
        default: return sign * Float(bitPattern: UInt32(exponent + 112) << 23 | fraction << 13)
        }
    }

    // MARK: Arrays and lists

    private mutating func array(_ type: Int, at place: Int, isPacked: Bool) throws(ModelFileError) -> CrateValue {
        let isTokens = type == 11 || type == 12
        guard let (scalar, width) = isTokens ? (.int32, 1) : Self.layout(type) else { return .other }
        if place == 0 { return isTokens ? .texts([]) : scalar == .int32 ? .integers([]) : .floats([]) }
        let (isShort, hasRank) = (version < 7, version < 5)
        let values: CrateValue = try withReader { (reader) throws(ModelFileError) in
            try reader.seek(place)
            if hasRank { _ = try reader.number(UInt32.self) }
            let size = width * (scalar == .double ? 8 : scalar == .half ? 2 : 4)
            let count = try reader.count(size, isPacked: isPacked, isShort: isShort) * width
            let isReallyPacked = isPacked && count >= 16
            if scalar == .int32 {
                if isReallyPacked { return .integers(try reader.integers(count)) }
                try reader.spend(count * 4)
                var integers: [Int32] = []
                integers.reserveCapacity(count)
                for _ in 0..<count { integers.append(try reader.number(Int32.self)) }
                return .integers(integers)
            }
            if isReallyPacked { return .floats(try Self.packedFloats(&reader, scalar, count)) }
            try reader.spend(count * 4)
            var floats: [Float] = []
            floats.reserveCapacity(count)
            for _ in 0..<count {
                switch scalar {
                case .half: floats.append(Self.half(try reader.number(UInt16.self)))
                case .double: floats.append(Float(Double(bitPattern: try reader.number(UInt64.self))))
                case .float, .int32: floats.append(Float(bitPattern: try reader.number(UInt32.self)))
                }
            }
            return .floats(floats)
        }
        guard isTokens, case .integers(let indices) = values else { return values }
        return .texts(indices.compactMap { tokens.indices.contains(Int($0)) ? tokens[Int($0)] : nil })
    }

    /// Whole numbers, or places in a table of few values.
    private static func packedFloats(_ reader: inout CrateBytes, _ scalar: Scalar, _ count: Int) throws(ModelFileError) -> [Float] {
        switch try reader.number(UInt8.self) {
        case UInt8(ascii: "i"): return try reader.integers(count).map { Float($0) }
        case UInt8(ascii: "t"):
            let size = try reader.count(scalar == .double ? 8 : scalar == .half ? 2 : 4, isShort: true)
            let table = try numbers(&reader, scalar, count: size).map { Float($0) }
            let indices = try reader.integers(count)
            guard indices.allSatisfy({ table.indices.contains(Int($0)) }) else { throw reader.failure("a place outside of a table") }
            return indices.map { table[Int($0)] }
        default: throw reader.failure("packed numbers of an unknown kind")
        }
    }

    private mutating func vector(at place: Int) throws(ModelFileError) -> [Int] {
        try withReader { (reader) throws(ModelFileError) in
            try reader.seek(place)
            return try Self.indices(&reader)
        }
    }

    private static func indices(_ reader: inout CrateBytes) throws(ModelFileError) -> [Int] {
        let count = try reader.count(4)
        try reader.spend(count * 8)
        var result: [Int] = []
        for _ in 0..<count { result.append(Int(try reader.number(UInt32.self))) }
        return result
    }

    /// A list edit's result over an empty list: explicit items, or those added, prepended and appended.
    private mutating func listOp(at place: Int) throws(ModelFileError) -> [Int] {
        try withReader { (reader) throws(ModelFileError) in
            try reader.seek(place)
            let flags = try reader.number(UInt8.self)
            var result: [Int] = []
            // Explicit, added, deleted, ordered, prepended, appended; written in this order, deleted and ordered last.
            for flag: UInt8 in [0x02, 0x04, 0x20, 0x40] where flags & flag != 0 { result += try Self.indices(&reader) }
            return result
        }
    }
}
