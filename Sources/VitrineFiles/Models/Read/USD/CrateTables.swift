/// The tables of a USD crate file: tokens, strings, paths, and the specs with their fields, whose values remain encoded.
struct CrateTables {
    struct Path {
        /// The index of the parent path; −1 for the root.
        let parent: Int
        /// The name of the last element.
        let name: String
        let isProperty: Bool
    }

    struct Spec {
        let path: Int
        let fieldSet: Int
        /// The kind: 1 attribute, 6 prim, 7 layer, 8 relationship, 10 variant, 11 variant set.
        let kind: Int32
    }

    private var tokens: [String] = []
    private var strings: [Int] = []
    private(set) var paths: [Path] = []
    private(set) var specs: [Spec] = []
    private var pathTexts: [String] = []
    private var fields: [(token: Int, value: UInt64)] = []
    private var fieldSets: [Int32] = []

    /// Reads the tables.
    ///
    /// - Parameter reader: The whole file. Its budget is reduced by the memory of the tables.
    init(_ reader: inout CrateBytes) throws(ModelFileError) {
        try reader.seek(16)
        let sections = try Self.readSections(&reader)
        func start(_ name: String) throws(ModelFileError) -> Int {
            guard let start = sections[name] else { throw reader.failure("the section \(name) is missing") }
            return start
        }
        try reader.seek(try start("TOKENS"))
        try readTokens(&reader)
        try reader.seek(try start("STRINGS"))
        for _ in 0..<(try reader.count(4)) { strings.append(Int(try reader.number(UInt32.self))) }
        try reader.seek(try start("FIELDS"))
        try readFields(&reader)
        try reader.seek(try start("FIELDSETS"))
        fieldSets = try reader.integers(try reader.count(4, isPacked: true))
        try reader.seek(try start("PATHS"))
        try readPaths(&reader)
        try reader.seek(try start("SPECS"))
        try readSpecs(&reader)
    }

    // MARK: Queries

    /// Returns a token; nil if the index is invalid.
    func token(_ index: Int) -> String? { tokens.indices.contains(index) ? tokens[index] : nil }

    /// Returns a string; nil if the index is invalid.
    func string(_ index: Int) -> String? { strings.indices.contains(index) ? token(strings[index]) : nil }

    /// Returns a path as text (see `USDPath`); empty if the index is invalid or the path is incomplete.
    func text(ofPath index: Int) -> String { pathTexts.indices.contains(index) ? pathTexts[index] : "" }

    /// Returns the names of a spec's fields with the encoded representations of their values.
    func representations(of spec: Spec) -> [(name: String, representation: UInt64)] {
        var result: [(name: String, representation: UInt64)] = []
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

    // MARK: Sections

    private static func readSections(_ reader: inout CrateBytes) throws(ModelFileError) -> [String: Int] {
        try reader.seek(Int(clamping: try reader.number(Int64.self)))
        var sections: [String: Int] = [:]
        let count = try reader.count(32)
        guard count <= 64 else { throw reader.failure("\(count) sections are too many") }
        for _ in 0..<count {
            let name = String(decoding: try reader.slice(16).prefix { $0 != 0 }, as: UTF8.self)
            sections[name] = Int(clamping: try reader.number(Int64.self))
            _ = try reader.number(Int64.self)
        }
        return sections
    }

    private mutating func readTokens(_ reader: inout CrateBytes) throws(ModelFileError) {
        let count = try reader.count(1, isPacked: true)
        let (size, packed) = (try reader.count(1, isPacked: true), try reader.count(1))
        let text = try reader.unpack(packed, upTo: size)
        tokens.reserveCapacity(min(count, text.count))
        var start = 0
        for (index, byte) in text.enumerated() where byte == 0 && tokens.count < count {
            tokens.append(String(decoding: text[start..<index], as: UTF8.self))
            start = index + 1
        }
        guard tokens.count == count else { throw reader.failure("there are \(tokens.count) tokens instead of \(count)") }
    }

    private mutating func readFields(_ reader: inout CrateBytes) throws(ModelFileError) {
        let count = try reader.count(12, isPacked: true)
        let names = try reader.integers(count)
        let values = try reader.unpack(try reader.count(1), upTo: count * 8)
        guard values.count == count * 8 else { throw reader.failure("fields end early") }
        for (index, name) in names.enumerated() {
            let value = (0..<8).reduce(UInt64(0)) { $0 | UInt64(values[index * 8 + $1]) << (8 * UInt64($1)) }
            guard tokens.indices.contains(Int(name)) else { throw reader.failure("a field has no name") }
            fields.append((Int(name), value))
        }
    }

    private mutating func readPaths(_ reader: inout CrateBytes) throws(ModelFileError) {
        let total = try reader.count(1, isPacked: true)
        let count = try reader.count(12, isPacked: true)
        guard count <= total else { throw reader.failure("there are \(count) paths in a table of \(total)") }
        let (indices, elements, jumps) = (try reader.integers(count), try reader.integers(count), try reader.integers(count))
        try reader.spend(total * 32)
        paths = Array(repeating: Path(parent: -2, name: "", isProperty: false), count: total)
        // The pending entries with their parent paths. Each entry is read at most once.
        var isRead = [Bool](repeating: false, count: count)
        var stack: [(entry: Int, parent: Int)] = count > 0 ? [(0, -1)] : []
        // Parents come first.
        var order: [Int] = []
        while let (start, above) = stack.popLast() {
            var (entry, parent) = (start, above)
            while true {
                guard entry < count, !isRead[entry] else { throw reader.failure("the tree of paths is invalid") }
                isRead[entry] = true
                let (path, element, jump) = (Int(indices[entry]), elements[entry], Int(jumps[entry]))
                guard paths.indices.contains(path), tokens.indices.contains(Int(element.magnitude)) else {
                    throw reader.failure("a path has no name")
                }
                guard paths[path].parent == -2 else { throw reader.failure("a path occurs twice") }
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
        try readPathTexts(&reader, in: order)
    }

    private mutating func readSpecs(_ reader: inout CrateBytes) throws(ModelFileError) {
        let count = try reader.count(12, isPacked: true)
        let (pathIndices, sets, kinds) = (try reader.integers(count), try reader.integers(count), try reader.integers(count))
        for index in 0..<count {
            let (path, set) = (Int(pathIndices[index]), Int(sets[index]))
            guard paths.indices.contains(path), paths[path].parent != -2, set >= 0, set < fieldSets.count else {
                throw reader.failure("a spec has no path")
            }
            specs.append(Spec(path: path, fieldSet: set, kind: kinds[index]))
        }
    }

    private mutating func readPathTexts(_ reader: inout CrateBytes, in order: [Int]) throws(ModelFileError) {
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
