/// The tables of a USD crate file, versions 0.4 to 0.12: what `CrateWriter` writes, and what OpenUSD does.
struct CrateFile {
    struct Path {
        /// Index of the path above; −1 for the root.
        let parent: Int
        /// The last element's name.
        let name: String
        let isProperty: Bool
    }

    struct Spec {
        let path: Int
        let fieldSet: Int
        /// 1 attribute, 6 prim, 7 the layer, 8 relationship, 10 variant, 11 variant set.
        let kind: Int32
    }

    var reader: CrateBytes
    let version: Int
    private(set) var tokens: [String] = []
    private(set) var strings: [Int] = []
    private(set) var paths: [Path] = []
    private(set) var specs: [Spec] = []
    private var pathTexts: [String] = []
    private var fields: [(token: Int, value: UInt64)] = []
    private var fieldSets: [Int32] = []

    init(_ bytes: [UInt8], file: String, budget: Int) throws(ModelFileError) {
        reader = CrateBytes(bytes, file: file, budget: budget)
        guard bytes.count >= 88, bytes.starts(with: "PXR-USDC".utf8) else { throw reader.failure("is no crate file") }
        version = Int(bytes[9])
        guard bytes[8] == 0, (4...12).contains(version) else {
            throw ModelFileError(
                file: file, place: "byte 8", reason: .malformed("version \(bytes[8]).\(bytes[9]), only 0.4 to 0.12 are read"))
        }
        try reader.seek(16)
        let sections = try readSections()
        func open(_ name: String) throws(ModelFileError) -> Int {
            guard let start = sections[name] else { throw reader.failure("the section \(name) is missing") }
            return start
        }
        try reader.seek(try open("TOKENS"))
        try readTokens()
        try reader.seek(try open("STRINGS"))
        for _ in 0..<(try reader.count(4)) { strings.append(Int(try reader.number(UInt32.self))) }
        try reader.seek(try open("FIELDS"))
        try readFields()
        try reader.seek(try open("FIELDSETS"))
        fieldSets = try reader.integers(try reader.count(4, isPacked: true))
        try reader.seek(try open("PATHS"))
        try readPaths()
        try reader.seek(try open("SPECS"))
        try readSpecs()
    }

    private mutating func readSections() throws(ModelFileError) -> [String: Int] {
        try reader.seek(Int(clamping: try reader.number(Int64.self)))
        var sections: [String: Int] = [:]
        let count = try reader.count(32)
        guard count <= 64 else { throw reader.failure("\(count) sections") }
        for _ in 0..<count {
            let name = String(decoding: try reader.slice(16).prefix { $0 != 0 }, as: UTF8.self)
            sections[name] = Int(clamping: try reader.number(Int64.self))
            _ = try reader.number(Int64.self)
        }
        return sections
    }

    private mutating func readTokens() throws(ModelFileError) {
        let count = try reader.count(1, isPacked: true)
        let (size, packed) = (try reader.count(1, isPacked: true), try reader.count(1))
        let text = try reader.unpack(packed, upTo: size)
        tokens.reserveCapacity(min(count, text.count))
        var start = 0
        for (index, byte) in text.enumerated() where byte == 0 && tokens.count < count {
            tokens.append(String(decoding: text[start..<index], as: UTF8.self))
            start = index + 1
        }
        guard tokens.count == count else { throw reader.failure("\(tokens.count) of \(count) tokens") }
    }

    private mutating func readFields() throws(ModelFileError) {
        let count = try reader.count(12, isPacked: true)
        let names = try reader.integers(count)
        let values = try reader.unpack(try reader.count(1), upTo: count * 8)
        guard values.count == count * 8 else { throw reader.failure("fields end early") }
        for (index, name) in names.enumerated() {
            let value = (0..<8).reduce(UInt64(0)) { $0 | UInt64(values[index * 8 + $1]) << (8 * UInt64($1)) }
            guard tokens.indices.contains(Int(name)) else { throw reader.failure("a field without a name") }
            fields.append((Int(name), value))
        }
    }

    private mutating func readPaths() throws(ModelFileError) {
        let total = try reader.count(1, isPacked: true)
        let count = try reader.count(12, isPacked: true)
        guard count <= total else { throw reader.failure("\(count) of \(total) paths") }
        let (indices, elements, jumps) = (try reader.integers(count), try reader.integers(count), try reader.integers(count))
        try reader.spend(total * 32)
        paths = Array(repeating: Path(parent: -2, name: "", isProperty: false), count: total)
        // Entries to go on with, and the path above them. Each entry is read once at most.
        var isRead = [Bool](repeating: false, count: count)
        var stack: [(entry: Int, parent: Int)] = count > 0 ? [(0, -1)] : []
        // Parents first.
        var order: [Int] = []
        while let (start, above) = stack.popLast() {
            var (entry, parent) = (start, above)
            while true {
                guard entry < count, !isRead[entry] else { throw reader.failure("the tree of paths is broken") }
                isRead[entry] = true
                let (path, element, jump) = (Int(indices[entry]), elements[entry], Int(jumps[entry]))
                guard paths.indices.contains(path), tokens.indices.contains(Int(element.magnitude)) else {
                    throw reader.failure("a path without a name")
                }
                guard paths[path].parent == -2 else { throw reader.failure("a path that is there twice") }
                order.append(path)
                paths[path] = Path(parent: parent, name: tokens[Int(element.magnitude)], isProperty: element < 0)
                let (hasChild, hasSibling) = (jump > 0 || jump == -1, jump >= 0)
                if hasChild {
                    if hasSibling { stack.append((entry + jump, parent)) }
                    parent = path
                } else if !hasSibling {
                    break
                }
                entry += 1
            }
        }
        try readPathTexts(in: order)
    }

    private mutating func readSpecs() throws(ModelFileError) {
        let count = try reader.count(12, isPacked: true)
        let (pathIndices, sets, kinds) = (try reader.integers(count), try reader.integers(count), try reader.integers(count))
        for index in 0..<count {
            let (path, set) = (Int(pathIndices[index]), Int(sets[index]))
            guard paths.indices.contains(path), paths[path].parent != -2, set >= 0, set < fieldSets.count else {
                throw reader.failure("a spec without a place")
            }
            specs.append(Spec(path: path, fieldSet: set, kind: kinds[index]))
        }
    }

    /// Names and values of a spec's fields, values still where they lie.
    func reps(of spec: Spec) -> [(name: String, rep: UInt64)] {
        var result: [(name: String, rep: UInt64)] = []
        var index = spec.fieldSet
        while index < fieldSets.count, fieldSets[index] >= 0 {
            if fields.indices.contains(Int(fieldSets[index])) {
                let field = fields[Int(fieldSets[index])]
                result.append((tokens[field.token], field.value))
            }
            index += 1
        }
        return result
    }

    /// A path as text (see `USDPath`): one that isn't whole is empty.
    func text(ofPath index: Int) -> String { pathTexts.indices.contains(index) ? pathTexts[index] : "" }

    private mutating func readPathTexts(in order: [Int]) throws(ModelFileError) {
        pathTexts = Array(repeating: "", count: paths.count)
        for index in order {
            let path = paths[index]
            guard path.parent >= 0 else {
                pathTexts[index] = "/"
                continue
            }
            let parent = pathTexts[path.parent]
            try reader.spend(parent.utf8.count + path.name.utf8.count + 16)
            if path.isProperty {
                pathTexts[index] = parent + "." + path.name
            } else if path.name.hasPrefix("{") {
                pathTexts[index] = parent + path.name
            } else if path.name.hasPrefix("[") {
                pathTexts[index] = parent + path.name
            } else {
                pathTexts[index] = USDPath.child(path.name, of: parent)
            }
        }
    }
}
