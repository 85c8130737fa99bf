/// Writes a USD layer in its binary form ("crate"), version 0.8.0, which OpenUSD has written since 2020 and every reader supports.
///
/// The file has a header, the values that do not fit into eight bytes, then six tables (tokens, strings, fields, field sets, paths, specs) and their
/// offsets. A spec is a path with a set of fields; a field is a name with a value or the offset of one. Derived from OpenUSD's documentation and
/// from files that it writes.
struct CrateWriter {
    private var file = ByteWriter()
    private var tokens: [String] = []
    private var tokenIndices: [String: Int] = [:]
    /// The token indices of strings.
    private var strings: [UInt32] = []
    private var stringIndices: [String: Int] = [:]
    private var fields: [Field] = []
    private var fieldIndices: [Field: Int32] = [:]
    private var fieldSets: [Int32] = []
    private var fieldSetStarts: [[Int32]: Int32] = [:]
    private var paths: [String] = []
    private var pathIndices: [String: UInt32] = [:]
    /// The representations of sample times, which animations often share.
    private var timeReps: [[Double]: UInt64] = [:]
    private var specs: [(path: Int32, fieldSet: Int32, kind: Int32)] = []

    private struct Field: Hashable {
        let name: Int32
        let value: UInt64
    }

    /// The raw values of the kinds of specs.
    private enum Kind: Int32 {
        case attribute = 1
        case prim = 6
        case layer = 7
        case relationship = 8
    }

    static func write(_ layer: USDLayer) -> [UInt8] {
        var writer = CrateWriter()
        return writer.write(layer)
    }

    private mutating func write(_ layer: USDLayer) -> [UInt8] {
        file.append("PXR-USDC".utf8)
        file.append([0, 8, 0, 0, 0, 0, 0, 0])
        // The offset of the table of contents is filled in at the end. Then reserved bytes.
        file.append(repeatElement(0, count: 72))
        // The name of a property cannot be token 0, because its number is stored negated.
        _ = token(";-)")
        addPaths(of: layer)
        addSpecs(of: layer)
        let sections: [(String, [UInt8])] = [
            ("PATHS", encodedPaths(layer)), ("FIELDSETS", counted(fieldSets.count, [fieldSets])), ("SPECS", encodedSpecs()),
            ("FIELDS", encodedFields()), ("STRINGS", encodedStrings()), ("TOKENS", encodedTokens()),
        ]
        var table = ByteWriter()
        table.append(UInt64(sections.count))
        for name in ["TOKENS", "STRINGS", "FIELDS", "FIELDSETS", "PATHS", "SPECS"] {
            guard let section = sections.first(where: { $0.0 == name }) else { continue }
            table.append(name.utf8)
            table.append(repeatElement(0, count: 16 - name.utf8.count))
            table.append(Int64(file.bytes.count))
            table.append(Int64(section.1.count))
            file.append(section.1)
        }
        file.overwrite(at: 16, with: Int64(file.bytes.count))
        file.append(table.bytes)
        return file.bytes
    }

    // MARK: Specs

    /// Adds the layer's path first, then each prim followed by its properties.
    private mutating func addPaths(of layer: USDLayer) {
        add(path: "/")
        for prim in layer.prims {
            add(path: prim.path)
            for property in prim.properties { add(path: "\(prim.path).\(property.name)") }
        }
    }

    private mutating func add(path: String) {
        pathIndices[path] = UInt32(paths.count)
        paths.append(path)
    }

    private mutating func addSpecs(of layer: USDLayer) {
        var root = layer.metadata.map { field($0.name, rep($0.value)) }
        root.append(field("primChildren", tokenVector(layer.roots.map { layer.prims[$0].name })))
        addSpec("/", .layer, root)
        for prim in layer.prims {
            addSpec(prim.path, .prim, primFields(prim, in: layer))
            for property in prim.properties { addSpec(property, of: prim) }
        }
    }

    private mutating func primFields(_ prim: USDPrim, in layer: USDLayer) -> [Int32] {
        var result = [field("specifier", inlined(42, prim.specifier.rawValue))]
        if !prim.typeName.isEmpty { result.append(field("typeName", rep(.token(prim.typeName)))) }
        if prim.isInstance { result.append(field("instanceable", rep(.bool(true)))) }
        if let reference = prim.reference { result.append(field("references", prepended(reference: reference))) }
        if !prim.apiSchemas.isEmpty { result.append(field("apiSchemas", prepended(prim.apiSchemas))) }
        for (name, value) in prim.metadata { result.append(field(name, rep(value))) }
        if !prim.properties.isEmpty { result.append(field("properties", tokenVector(prim.properties.map(\.name)))) }
        if !prim.children.isEmpty { result.append(field("primChildren", tokenVector(prim.children.map { layer.prims[$0].name }))) }
        return result
    }

    private mutating func addSpec(_ property: USDProperty, of prim: USDPrim) {
        let path = "\(prim.path).\(property.name)"
        let uniform = inlined(44, 1)
        if !property.targets.isEmpty {
            addSpec(path, .relationship, [field("variability", uniform), field("targetPaths", explicit(property.targets))])
            return
        }
        var result = [field("typeName", rep(.token(property.typeName)))]
        if property.isUniform { result.append(field("variability", uniform)) }
        if let interpolation = property.interpolation { result.append(field("interpolation", rep(.token(interpolation)))) }
        if let size = property.elementSize { result.append(field("elementSize", inlined(3, UInt64(size)))) }
        if let value = property.value { result.append(field("default", rep(value))) }
        if !property.samples.isEmpty { result.append(field("timeSamples", samples(property.samples))) }
        if let connection = property.connection { result.append(field("connectionPaths", explicit([connection]))) }
        addSpec(path, .attribute, result)
    }

    private mutating func addSpec(_ path: String, _ kind: Kind, _ set: [Int32]) {
        let start = fieldSetStarts[set] ?? Int32(fieldSets.count)
        if start == Int32(fieldSets.count) {
            fieldSets += set + [-1]
            fieldSetStarts[set] = start
        }
        specs.append((Int32(pathIndices[path] ?? 0), start, kind.rawValue))
    }

    private mutating func field(_ name: String, _ value: UInt64) -> Int32 {
        let field = Field(name: Int32(token(name)), value: value)
        if let index = fieldIndices[field] { return index }
        fieldIndices[field] = Int32(fields.count)
        fields.append(field)
        return Int32(fields.count - 1)
    }

    private mutating func token(_ text: String) -> Int {
        if let index = tokenIndices[text] { return index }
        tokenIndices[text] = tokens.count
        tokens.append(text)
        return tokens.count - 1
    }

    private mutating func string(_ text: String) -> Int {
        if let index = stringIndices[text] { return index }
        stringIndices[text] = strings.count
        strings.append(UInt32(token(text)))
        return strings.count - 1
    }

    // MARK: Values

    /// Returns a value's type and, in 48 bits, the value itself or its offset.
    private func inlined(_ type: UInt64, _ payload: UInt64) -> UInt64 { 1 << 62 | type << 48 | payload }
    private func stored(_ type: UInt64, isArray: Bool = false, isPacked: Bool = false) -> UInt64 {
        (isArray ? 1 << 63 : 0) | (isPacked ? 1 << 61 : 0) | type << 48 | UInt64(file.bytes.count)
    }

    private mutating func rep(_ value: USDValue) -> UInt64 {
        switch value {
        case .bool(let value): return inlined(1, value ? 1 : 0)
        case .float(let value): return inlined(8, UInt64(value.bitPattern))
        case .double(let value):
            if Double(Float(value)) == value { return inlined(9, UInt64(Float(value).bitPattern)) }
            defer { file.append(value) }
            return stored(9)
        case .token(let text): return inlined(11, UInt64(token(text)))
        case .string(let text): return inlined(10, UInt64(string(text)))
        case .asset(let path): return inlined(12, UInt64(token(path)))
        case .float2(let x, let y): return vector(20, [x, y])
        case .float3(let x, let y, let z): return vector(24, [x, y, z])
        case .float4(let x, let y, let z, let w): return vector(28, [x, y, z, w])
        case .matrix4(let rows):
            defer { for value in rows { file.append(value) } }
            return stored(15)
        case .tokens(let texts):
            let indices = texts.map { UInt32(token($0)) }
            return array(11, count: indices.count) { $0.append(values: indices) }
        case .integers(let values): return integers(values)
        case .floats(let values): return array(8, count: values.count) { $0.append(floats: values) }
        case .float2s(let values): return array(20, count: values.count / 2) { $0.append(floats: values) }
        case .float3s(let values): return array(24, count: values.count / 3) { $0.append(floats: values) }
        case .half3s(let values):
            return array(25, count: values.count / 3) { file in for value in values { file.append(Self.half(value)) } }
        case .quaternion(let values): return vector(17, values)
        case .quaternions(let values): return array(17, count: values.count / 4) { $0.append(floats: values) }
        case .matrices(let values):
            return array(15, count: values.count / 16) { file in for value in values { file.append(value) } }
        }
    }

    /// Converts to IEEE 754 binary16, rounded to the nearest.
    private static func half(_ value: Float) -> UInt16 {
        let (bits, sign) = (value.bitPattern & 0x7FFF_FFFF, UInt16(value.bitPattern >> 16 & 0x8000))
        // From 65,520 on, the value is infinite.
        if bits >= 0x477F_F000 { return sign | 0x7C00 }
        // Below 2⁻¹⁴, the step is 2⁻²⁴.
        if bits < 0x3880_0000 { return sign | UInt16((Float(bitPattern: bits) * 16_777_216).rounded(.toNearestOrEven)) }
        let rounded = bits + 0xFFF + (bits >> 13 & 1)
        return sign | UInt16((rounded - 0x3800_0000) >> 13)
    }

    private mutating func vector(_ type: UInt64, _ values: [Float]) -> UInt64 {
        defer { file.append(floats: values) }
        return stored(type)
    }

    private mutating func array(_ type: UInt64, count: Int, _ write: (inout ByteWriter) -> Void) -> UInt64 {
        if count == 0 { return 1 << 63 | type << 48 }
        // Readers that map the file use arrays in place.
        file.pad(to: 8)
        let value = stored(type, isArray: true)
        file.append(UInt64(count))
        write(&file)
        return value
    }

    /// Adds integers; short arrays are not compressed.
    private mutating func integers(_ values: [Int32]) -> UInt64 {
        guard values.count >= 16 else { return array(3, count: values.count) { $0.append(values: values) } }
        let value = stored(3, isArray: true, isPacked: true)
        let packed = CrateIntegers.pack(values)
        file.append(UInt64(values.count))
        file.append(UInt64(packed.count))
        file.append(packed)
        return value
    }

    private mutating func tokenVector(_ texts: [String]) -> UInt64 {
        let indices = texts.map { UInt32(token($0)) }
        let value = stored(41)
        file.append(UInt64(indices.count))
        file.append(values: indices)
        return value
    }

    /// Adds a list edit that prepends these tokens.
    private mutating func prepended(_ texts: [String]) -> UInt64 {
        let indices = texts.map { UInt32(token($0)) }
        let value = stored(32)
        file.append(UInt8(0x20))
        file.append(UInt64(indices.count))
        file.append(values: indices)
        return value
    }

    /// Adds a list edit that makes these paths the whole list.
    private mutating func explicit(_ paths: [String]) -> UInt64 {
        let value = stored(34)
        file.append(UInt8(0x03))
        file.append(UInt64(paths.count))
        for path in paths { file.append(pathIndices[path] ?? 0) }
        return value
    }

    /// Adds a list edit that prepends a reference to a prim of this layer: no file, the path, no time offset, no further data.
    private mutating func prepended(reference path: String) -> UInt64 {
        let (none, value) = (UInt32(string("")), stored(35))
        file.append(UInt8(0x20))
        file.append(UInt64(1))
        file.append(none)
        file.append(pathIndices[path] ?? 0)
        file.append(Double(0))
        file.append(Double(1))
        file.append(UInt64(0))
        return value
    }

    /// Adds the times, then the offsets of values, each after an offset over preceding data, which is empty because values come first.
    private mutating func samples(_ samples: [(time: Double, value: USDValue)]) -> UInt64 {
        let values = samples.map { rep($0.value) }
        let times = samples.map(\.time)
        let timesRep: UInt64
        if let known = timeReps[times] {
            timesRep = known
        } else {
            timesRep = stored(48)
            file.append(UInt64(times.count))
            for time in times { file.append(time) }
            timeReps[times] = timesRep
        }
        let value = stored(46)
        file.append(Int64(8))
        file.append(timesRep)
        file.append(Int64(8))
        file.append(UInt64(values.count))
        for value in values { file.append(value) }
        return value
    }

    // MARK: Tables

    private func encodedTokens() -> [UInt8] {
        var text: [UInt8] = []
        for token in tokens {
            text += token.utf8
            text.append(0)
        }
        let packed = LZ4Block.crate(text)
        var section = ByteWriter()
        section.append(UInt64(tokens.count))
        section.append(UInt64(text.count))
        section.append(UInt64(packed.count))
        section.append(packed)
        return section.bytes
    }

    private func encodedStrings() -> [UInt8] {
        var section = ByteWriter()
        section.append(UInt64(strings.count))
        section.append(values: strings)
        return section.bytes
    }

    private func encodedFields() -> [UInt8] {
        var values = ByteWriter()
        for field in fields { values.append(field.value) }
        let packed = LZ4Block.crate(values.bytes)
        var section = ByteWriter()
        section.append(counted(fields.count, [fields.map(\.name)]))
        section.append(UInt64(packed.count))
        section.append(packed)
        return section.bytes
    }

    private func encodedSpecs() -> [UInt8] { counted(specs.count, [specs.map(\.path), specs.map(\.fieldSet), specs.map(\.kind)]) }

    /// Returns a count, then compressed columns, each after its length.
    private func counted(_ count: Int, _ columns: [[Int32]]) -> [UInt8] {
        var section = ByteWriter()
        section.append(UInt64(count))
        for column in columns {
            let packed = CrateIntegers.pack(column)
            section.append(UInt64(packed.count))
            section.append(packed)
        }
        return section.bytes
    }

    /// Returns the tree of paths, depth first: for each entry its path, its last element (negated for a property) and the offset to the next entries.
    private mutating func encodedPaths(_ layer: USDLayer) -> [UInt8] {
        var (indices, elements, jumps): ([Int32], [Int32], [Int32]) = ([0], [Int32(token(""))], [layer.roots.isEmpty ? -2 : -1])
        // The pending prims, with whether another sibling follows, and the entry whose jump leads to them.
        var stack = pending(layer.roots)
        while let (prim, hasNext, jumpFrom) = stack.popLast() {
            if let jumpFrom { jumps[jumpFrom] = Int32(indices.count - jumpFrom) }
            let entry = indices.count
            let (properties, children) = (layer.prims[prim].properties, layer.prims[prim].children)
            let hasInside = !properties.isEmpty || !children.isEmpty
            indices.append(Int32(pathIndices[layer.prims[prim].path] ?? 0))
            elements.append(Int32(token(layer.prims[prim].name)))
            // −2 for a leaf, −1 for children only, 0 for a sibling only; with both, the distance to the sibling, set when it is reached.
            jumps.append(hasInside ? -1 : hasNext ? 0 : -2)
            if hasNext, hasInside, let next = stack.indices.last { stack[next].jumpFrom = entry }
            for (number, property) in properties.enumerated() {
                indices.append(Int32(pathIndices["\(layer.prims[prim].path).\(property.name)"] ?? 0))
                elements.append(-Int32(token(property.name)))
                jumps.append(number + 1 == properties.count && children.isEmpty ? -2 : 0)
            }
            stack += pending(children)
        }
        var section = ByteWriter()
        section.append(UInt64(paths.count))
        section.append(counted(indices.count, [indices, elements, jumps]))
        return section.bytes
    }

    private func pending(_ siblings: [Int]) -> [(prim: Int, hasNext: Bool, jumpFrom: Int?)] {
        siblings.enumerated().reversed().map { ($0.element, $0.offset + 1 < siblings.count, nil) }
    }
}
