import VitrineMath

/// A transform element of a node, in document order: the first is the outermost.
struct TransformStep {
    enum Kind: String {
        case matrix, translate, rotate, scale, skew, lookat

        /// The number of values.
        var count: Int {
            switch self {
            case .matrix: 16
            case .translate, .scale: 3
            case .rotate: 4
            case .skew: 7
            case .lookat: 9
            }
        }

        /// Returns the index of a member of a target.
        func index(ofMember member: String) -> Int? {
            switch (self, member.uppercased()) {
            case (.rotate, "ANGLE"), (.rotate, "W"): 3
            case (.skew, "ANGLE"), (_, "X"), (_, "R"), (_, "U"), (_, "S"): 0
            case (_, "Y"), (_, "G"), (_, "V"), (_, "T"): 1
            case (_, "Z"), (_, "B"), (_, "P"): 2
            default: nil
            }
        }
    }

    let kind: Kind
    let element: XMLElement
    /// The values of the file: angles in degrees, matrices by rows.
    var values: [Float]

    /// Reads a transform; returns nil for other elements.
    init?(_ element: XMLElement) throws(ModelFileError) {
        guard let kind = Kind(rawValue: element.name) else { return nil }
        let values = try element.floats(limit: 64)
        guard values.count >= kind.count else {
            throw element.failure("<\(kind.rawValue)> has \(values.count) numbers instead of \(kind.count)")
        }
        guard values.allSatisfy({ $0.isFinite }) else { throw element.failure("<\(kind.rawValue)> is not finite") }
        (self.kind, self.element, self.values) = (kind, element, Array(values.prefix(kind.count)))
    }

    /// Creates a transform without an element in the file: a change of units or axes.
    init(_ matrix: Matrix4, element: XMLElement) {
        let t = matrix.transpose
        (kind, self.element) = (.matrix, element)
        values = [t.x, t.y, t.z, t.w].flatMap { [$0.x, $0.y, $0.z, $0.w] }
    }

    var matrix: Matrix4 { Self.matrix(kind, values) }

    static func matrix(_ kind: Kind, _ v: [Float]) -> Matrix4 {
        switch kind {
        case .matrix:
            return Matrix4(
                Vector4(v[0], v[4], v[8], v[12]), Vector4(v[1], v[5], v[9], v[13]), Vector4(v[2], v[6], v[10], v[14]),
                Vector4(v[3], v[7], v[11], v[15]))
        case .translate: return Matrix4(translation: Vector3(v[0], v[1], v[2]))
        case .scale: return Matrix4(scale: Vector3(v[0], v[1], v[2]))
        case .rotate:
            let axis = normalize(Vector3(v[0], v[1], v[2]))
            guard axis != Vector3(repeating: 0) else { return .identity }
            return Matrix4(Matrix3(Quaternion(angle: .degrees(v[3]), axis: axis)))
        case .lookat:
            return .lookAt(eye: Vector3(v[0], v[1], v[2]), target: Vector3(v[3], v[4], v[5]), up: Vector3(v[6], v[7], v[8]))
        case .skew:
            // Points move along the second axis by their position along the first times the tangent of the angle.
            let (along, by) = (normalize(Vector3(v[1], v[2], v[3])), normalize(Vector3(v[4], v[5], v[6])))
            let s = tan(Angle.degrees(v[0]).radians)
            let unit = Matrix3.identity
            return Matrix4(Matrix3(unit.x + by * (s * along.x), unit.y + by * (s * along.y), unit.z + by * (s * along.z)))
        }
    }

    /// Returns the product of all steps.
    static func product(_ steps: [TransformStep]) -> Matrix4 {
        // A single matrix is unchanged, bit for bit.
        guard steps.count != 1 else { return steps[0].matrix }
        return steps.reduce(.identity) { $0 * $1.matrix }
    }
}
