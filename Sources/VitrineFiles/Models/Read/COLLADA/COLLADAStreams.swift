/// The numbers of a `<source>`, one after the other.
struct Stream {
    let values: [Float]
    /// Numbers an element.
    let width: Int

    var count: Int { width > 0 ? values.count / width : 0 }
}

/// One `<input>`: what an index into a source means.
struct StreamInput {
    let semantic: String
    /// Where its index stands among a corner's.
    let offset: Int
    /// As written; nil: none.
    let set: Int?
    let source: XMLElement
    let element: XMLElement
}

/// The number and name streams of a document and the files that it refers to. Reads each source once.
final class COLLADAStreams {
    let files: COLLADAFiles
    private var streams: [XMLElement: Stream] = [:]

    init(_ files: COLLADAFiles) { self.files = files }

    private func warn(_ element: XMLElement?, _ message: String, kind: String? = nil) { files.warn(element, message, kind: kind) }

    /// Those of a primitive, of vertices, of joints … With `VERTEX`, what the vertices have comes in its place.
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
                guard semantic == "VERTEX" else { throw element.failure("\(semantic) can't come from vertices") }
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

    /// The numbers of a source as its accessor takes them: parameters without a name are left out.
    func stream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        if let known = streams[source] { return known }
        let stream = try readStream(source)
        streams[source] = stream
        return stream
    }

    private func readStream(_ source: XMLElement) throws(ModelFileError) -> Stream {
        guard source.name == "source" else { throw source.failure("is no source") }
        let accessor = source.child("technique_common", "accessor")
        var array = accessor == nil ? nil : try files.resolve(accessor?["source"], from: source)
        if array == nil || !["float_array", "int_array"].contains(array?.name ?? "") {
            array = source.child("float_array") ?? source.child("int_array")
        }
        guard let array else {
            guard let bytes = accessor else { throw source.failure("the source has no numbers") }
            throw bytes.failure("the numbers \"\((bytes["source"] ?? "").prefix(80))\" are not there")
        }
        var all = try array.floats()
        if let bad = all.firstIndex(where: { !$0.isFinite }) {
            warn(array, "number \(bad) is not finite: such numbers are read as 0", kind: "not finite")
            all = all.map { $0.isFinite ? $0 : 0 }
        }
        guard let accessor else { return Stream(values: all, width: 1) }
        return try gather(all, accessor)
    }

    private func gather(_ all: [Float], _ accessor: XMLElement) throws(ModelFileError) -> Stream {
        let stride = Int(accessor["stride"] ?? "1") ?? 0
        let offset = Int(accessor["offset"] ?? "0") ?? -1
        guard (1...4096).contains(stride), offset >= 0 else { throw accessor.failure("the accessor's stride or offset is no use") }
        let parameters = accessor.children("param")
        var places: [Int] = []
        var place = 0
        for parameter in parameters {
            let width = parameter["type"].map(Self.width) ?? 1
            // Without a name: passed over. Old files have no names at all: then all count.
            if parameter["name"] != nil || !parameters.contains(where: { $0["name"] != nil }) { places += Array(place..<place + width) }
            place += width
            guard places.count <= 64 else { throw accessor.failure("more than 64 numbers an element") }
        }
        places.removeAll { $0 >= stride }
        if places.isEmpty { places = Array(0..<min(stride, 64)) }
        let promised = accessor["count"].flatMap { Int($0) } ?? .max
        // The components after the last one of the first element.
        let rest = all.count - offset - (places.last ?? 0) - 1
        let there = rest >= 0 ? rest / stride + 1 : 0
        let count = min(max(promised, 0), max(there, 0))
        if promised != .max, promised > count { warn(accessor, "\(promised) elements are promised, \(count) are there", kind: "accessor") }
        if offset == 0, stride == places.count, count * stride == all.count { return Stream(values: all, width: stride) }
        var values: [Float] = []
        values.reserveCapacity(count * places.count)
        for element in 0..<count { for place in places { values.append(all[offset + element * stride + place]) } }
        return Stream(values: values, width: places.count)
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

    /// The words of a source of names.
    func names(_ source: XMLElement) throws(ModelFileError) -> [String] {
        let kinds = ["Name_array", "IDREF_array", "SIDREF_array", "token_array"]
        var array = try files.resolve(source.child("technique_common", "accessor")?["source"], from: source)
        if array == nil || !kinds.contains(array?.name ?? "") { array = source.children.first { kinds.contains($0.name) } }
        guard let array else { throw source.failure("the source has no names") }
        return array.words
    }
}
