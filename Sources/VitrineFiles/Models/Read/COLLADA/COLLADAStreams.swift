/// The numbers of a `<source>`.
struct Stream {
    let values: [Float]
    /// The number of values per element.
    let width: Int

    var count: Int { width > 0 ? values.count / width : 0 }
}

/// An `<input>`: the meaning of an index into a source.
struct StreamInput {
    let semantic: String
    /// The position of its index among those of a corner.
    let offset: Int
    /// The number of the set in the file; nil for none.
    let set: Int?
    let source: XMLElement
    let element: XMLElement
}

/// The number and name streams of a document and the files that it refers to. Reads each source once.
final class COLLADAStreams {
    let files: COLLADAFiles
    private var streams: [XMLElement: Stream] = [:]
    private var curves: [XMLElement: AnimationCurve?] = [:]

    init(_ files: COLLADAFiles) { self.files = files }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// Returns the curve of a sampler, which any number of channels may share; nil, with a warning, if it has no keys.
    func curve(_ sampler: XMLElement) throws(ModelFileError) -> AnimationCurve? {
        if let known = curves[sampler] { return known }
        let curve = try readCurve(sampler)
        curves[sampler] = .some(curve)
        return curve
    }

    /// Returns the inputs of a primitive, of vertices, of joints … `VERTEX` is replaced by the inputs of the vertices.
    func inputs(_ parent: XMLElement) throws(ModelFileError) -> [StreamInput] {
        var found: [StreamInput] = []
        for element in parent.children("input") {
            guard let source = try files.resolve(element["source"], from: element) else {
                throw element.failure("there is no source \"\((element["source"] ?? "").prefix(80))\"")
            }
            let offset = Int(element["offset"] ?? element["idx"] ?? "0") ?? -1
            guard (0..<64).contains(offset) else { throw element.failure("offset \"\(element["offset"] ?? "")\" is not 0 to 63") }
            let semantic = element["semantic"] ?? ""
            if source.name == "vertices" {
                guard semantic == "VERTEX" else { throw element.failure("\(semantic) must not refer to vertices") }
                for inner in try inputsOfVertices(source) {
                    found.append(
                        StreamInput(semantic: inner.semantic, offset: offset, set: inner.set, source: inner.source, element: inner.element))
                }
            } else {
                found.append(
                    StreamInput(
                        semantic: semantic, offset: offset, set: element["set"].flatMap { Int($0) }, source: source, element: element))
            }
        }
        return found
    }

    private func inputsOfVertices(_ vertices: XMLElement) throws(ModelFileError) -> [StreamInput] {
        var found: [StreamInput] = []
        for element in vertices.children("input") {
            guard let source = try files.resolve(element["source"], from: element), source.name == "source" else {
                throw element.failure("there is no source \"\((element["source"] ?? "").prefix(80))\"")
            }
            found.append(
                StreamInput(
                    semantic: element["semantic"] ?? "", offset: 0, set: element["set"].flatMap { Int($0) }, source: source,
                    element: element))
        }
        return found
    }

    /// Returns the numbers of a source in the layout of its accessor, without parameters that have no name.
    func stream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        if let known = streams[source] { return known }
        let stream = try readStream(source)
        streams[source] = stream
        return stream
    }

    private func readStream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        guard source.name == "source" else { throw source.failure("is not a source") }
        let accessor = source.child("technique_common", "accessor")
        var array = accessor == nil ? nil : try files.resolve(accessor?["source"], from: source)
        if array == nil || !["float_array", "int_array"].contains(array?.name ?? "") {
            array = source.child("float_array") ?? source.child("int_array")
        }
        guard let array else {
            guard let bytes = accessor else { throw source.failure("the source has no numbers") }
            throw bytes.failure("the numbers \"\((bytes["source"] ?? "").prefix(80))\" do not exist")
        }
        var all = try array.floats()
        if let bad = all.firstIndex(where: { !$0.isFinite }) {
            warn(array, "number \(bad) is not finite; such numbers are replaced by 0", kind: "not finite")
            all = all.map { $0.isFinite ? $0 : 0 }
        }
        guard let accessor else { return Stream(values: all, width: 1) }
        return try gather(all, accessor)
    }

    private func gather(_ all: [Float], _ accessor: XMLElement) throws(ModelFileError) -> Stream {
        let stride = Int(accessor["stride"] ?? "1") ?? 0
        let offset = Int(accessor["offset"] ?? "0") ?? -1
        guard (1...4096).contains(stride), offset >= 0 else { throw accessor.failure("the accessor's stride or offset is invalid") }
        let parameters = accessor.children("param")
        var components: [Int] = []
        var nextComponent = 0
        for parameter in parameters {
            let width = parameter["type"].map(Self.width) ?? 1
            // Parameters without a name are skipped, unless no parameter has a name, as in old files.
            if parameter["name"] != nil || !parameters.contains(where: { $0["name"] != nil }) {
                components += Array(nextComponent..<nextComponent + width)
            }
            nextComponent += width
            guard components.count <= 64 else { throw accessor.failure("more than 64 numbers per element") }
        }
        components.removeAll { $0 >= stride }
        if components.isEmpty { components = Array(0..<min(stride, 64)) }
        let promised = accessor["count"].flatMap { Int($0) } ?? .max
        // The components after the last one of the first element.
        let rest = all.count - offset - (components.last ?? 0) - 1
        let there = rest >= 0 ? rest / stride + 1 : 0
        let count = min(max(promised, 0), max(there, 0))
        if promised != .max, promised > count {
            warn(accessor, "\(promised) elements are declared, but there are \(count)", kind: "accessor")
        }
        if offset == 0, stride == components.count, count * stride == all.count { return Stream(values: all, width: stride) }
        var values: [Float] = []
        values.reserveCapacity(count * components.count)
        for element in 0..<count { for component in components { values.append(all[offset + element * stride + component]) } }
        return Stream(values: values, width: components.count)
    }

    private static func width(_ type: String) -> Int {
        switch type.lowercased() {
        case "float4x4": 16
        case "float3x3": 9
        case "float2": 2
        case "float3": 3
        case "float4": 4
        default: 1
        }
    }

    /// Returns the words of a source of names.
    func names(_ source: XMLElement) throws(ModelFileError) -> [String] {
        let kinds = ["Name_array", "IDREF_array", "SIDREF_array", "token_array"]
        var array = try files.resolve(source.child("technique_common", "accessor")?["source"], from: source)
        if array == nil || !kinds.contains(array?.name ?? "") { array = source.children.first { kinds.contains($0.name) } }
        guard let array else { throw source.failure("the source has no names") }
        return array.words
    }
}
