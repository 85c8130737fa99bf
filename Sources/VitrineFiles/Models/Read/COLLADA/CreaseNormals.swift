import VitrineMath

/// Computes missing normals: smooth over faces that meet at a flat angle, sharp where they meet at a steep one, as in the programs that wrote such
/// files.
enum CreaseNormals {
    /// The cosine of 45°, the largest angle between the normals of faces with smooth shading.
    private static let cosine: Float = 0.707
    /// The largest number of faces at a smooth corner, because the work grows with its square.
    private static let maximumFaces = 256

    /// Returns smooth normals with creases.
    ///
    /// - Parameters:
    ///   - positions: Three floats per corner, three corners per triangle.
    ///   - indices: The index of the position of each corner; corners with the same index share a position.
    /// - Returns: Unit vectors, three floats per corner.
    static func make(_ positions: [Float], _ indices: [Int32]) -> [Float] {
        let faces = faces(positions)
        let (starts, members) = cornersByPosition(indices)
        var normals: [Float] = []
        normals.reserveCapacity(positions.count)
        for corner in 0..<faces.count * 3 {
            let own = faces[corner / 3]
            let index = Int(indices[corner])
            let around = members[Int(starts[index])..<Int(starts[index + 1])]
            var sum = own
            if around.count <= maximumFaces {
                sum = Vector3(repeating: 0)
                for other in around {
                    let face = faces[Int(other) / 3]
                    if dot(face, own) >= cosine { sum += face * angle(at: Int(other), positions) }
                }
            }
            let unit = normalize(sum)
            let normal = unit != Vector3(repeating: 0) ? unit : own != Vector3(repeating: 0) ? own : .up
            normals.append(normal.x)
            normals.append(normal.y)
            normals.append(normal.z)
        }
        return normals
    }

    private static func point(_ corner: Int, _ positions: [Float]) -> Vector3 {
        Vector3(positions[corner * 3], positions[corner * 3 + 1], positions[corner * 3 + 2])
    }

    /// Returns unit face normals; zero for triangles without area.
    private static func faces(_ positions: [Float]) -> [Vector3] {
        (0..<positions.count / 9).map { face in
            let (a, b, c) = (point(face * 3, positions), point(face * 3 + 1, positions), point(face * 3 + 2, positions))
            let normal = normalize(cross(b - a, c - a))
            return normal.x.isFinite && normal.y.isFinite && normal.z.isFinite ? normal : Vector3(repeating: 0)
        }
    }

    /// Returns the triangle's inner angle at a corner, so that large triangles have no more weight than small ones.
    private static func angle(at corner: Int, _ positions: [Float]) -> Float {
        let first = corner / 3 * 3
        let (here, next) = (point(corner, positions), point(first + (corner + 1) % 3, positions))
        let previous = point(first + (corner + 2) % 3, positions)
        let value = acos(clamp(dot(normalize(next - here), normalize(previous - here)), -1, 1))
        return value.isFinite ? value : 0
    }

    private static func cornersByPosition(_ indices: [Int32]) -> (starts: [Int32], members: [Int32]) {
        let count = Int(indices.max() ?? -1) + 1
        var starts = [Int32](repeating: 0, count: count + 1)
        for index in indices { starts[Int(index) + 1] += 1 }
        for index in 0..<count { starts[index + 1] += starts[index] }
        var next = starts
        var members = [Int32](repeating: 0, count: indices.count)
        for (corner, index) in indices.enumerated() {
            members[Int(next[Int(index)])] = Int32(corner)
            next[Int(index)] += 1
        }
        return (starts, members)
    }
}
