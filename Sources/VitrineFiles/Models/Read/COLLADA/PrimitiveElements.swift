import VitrineMath
import VitrineScene

/// The corners of one primitive element, and the triangles or lines that they form.
struct PrimitiveElements {
    let element: XMLElement
    let inputs: [StreamInput]
    /// The number of indices per corner.
    let stride: Int
    /// The indices, `stride` per corner, as in the file.
    private(set) var indices: [Int32] = []
    private(set) var topology = PrimitiveTopology.triangles
    /// The corner numbers of the primitives.
    private(set) var order: [Int32] = []

    var cornerCount: Int { indices.count / stride }
    var symbol: String { element["material"] ?? "" }

    static let names: Set = ["triangles", "polylist", "polygons", "trifans", "tristrips", "lines", "linestrips"]

    /// Reads the elements of a primitive.
    ///
    /// - Parameter point: Returns the position with an index.
    init(_ element: XMLElement, inputs: [StreamInput], positionOffset: Int, point: (Int32) -> Vector3) throws(ModelFileError) {
        (self.element, self.inputs) = (element, inputs)
        // Unknown inputs count, too.
        stride = (inputs.map { $0.offset }.max() ?? 0) + 1
        switch element.name {
        case "triangles", "lines":
            for list in element.children("p") { try append(list) }
            let size = element.name == "lines" ? 2 : 3
            topology = size == 2 ? .lines : .triangles
            order = (0..<Int32(cornerCount - cornerCount % size)).map { $0 }
        case "linestrips":
            topology = .lines
            for list in element.children("p") {
                let corners = try append(list)
                for corner in corners.dropLast() { order += [corner, corner + 1] }
            }
        case "trifans":
            for list in element.children("p") {
                let corners = try append(list)
                for corner in corners.dropFirst().dropLast() { order += [corners.lowerBound, corner, corner + 1] }
            }
        case "tristrips":
            for list in element.children("p") {
                let corners = try append(list)
                for (number, corner) in corners.dropLast(2).enumerated() {
                    order += number % 2 == 0 ? [corner, corner + 1, corner + 2] : [corner + 1, corner, corner + 2]
                }
            }
        case "polylist": try readPolylist(positionOffset, point)
        default: try readPolygons(positionOffset, point)
        }
    }

    /// Appends the corners of a list.
    ///
    /// - Returns: The numbers of the added corners.
    @discardableResult
    private mutating func append(_ list: XMLElement) throws(ModelFileError) -> Range<Int32> {
        let start = Int32(clamping: cornerCount)
        let values = try list.integers()
        guard values.count % stride == 0 else { throw list.failure("\(values.count) indices are not a multiple of \(stride)") }
        guard cornerCount + values.count / stride < Int32.max else { throw list.failure("too many corners") }
        if indices.isEmpty { indices = values } else { indices += values }
        return start..<Int32(cornerCount)
    }

    private mutating func readPolylist(_ positionOffset: Int, _ point: (Int32) -> Vector3) throws(ModelFileError) {
        for list in element.children("p") { try append(list) }
        let counts = try element.child("vcount")?.integers() ?? []
        var triangulator = PolygonTriangulator()
        let (indices, stride) = (indices, stride)
        var first: Int32 = 0
        for count in counts {
            guard count >= 0, Int(first) + Int(count) <= cornerCount else {
                throw element.failure("the polygons have more corners than the \(cornerCount) in the list")
            }
            if count == 3 {
                triangulator.add(triangle: first)
                first += 3
                continue
            }
            triangulator.add(Array(first..<first + count)) { point(indices[Int($0) * stride + positionOffset]) }
            first += count
        }
        order = triangulator.triangles
    }

    private mutating func readPolygons(_ positionOffset: Int, _ point: (Int32) -> Vector3) throws(ModelFileError) {
        var triangulator = PolygonTriangulator()
        for child in element.children {
            var outline: Range<Int32>?
            var holes: [[Int32]] = []
            if child.name == "p" {
                outline = try append(child)
            } else if child.name == "ph" {
                if let list = child.child("p") { outline = try append(list) }
                for hole in child.children("h") { holes.append(Array(try append(hole))) }
            }
            guard let outline else { continue }
            let (indices, stride) = (indices, stride)
            triangulator.add(Array(outline), holes: holes) { point(indices[Int($0) * stride + positionOffset]) }
        }
        order = triangulator.triangles
    }
}
