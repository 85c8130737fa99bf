/// A triangle mesh with shared vertices; triangles are counter-clockwise seen from outside.
@usableFromInline package struct TriangleMesh: Sendable, Equatable {
    /// The positions of the vertices.
    @usableFromInline package var positions: [Vector3]
    /// The triangles, as indices into `positions`.
    @usableFromInline package var triangles: [SIMD3<UInt32>]

    package init(positions: [Vector3] = [], triangles: [SIMD3<UInt32>] = []) { (self.positions, self.triangles) = (positions, triangles) }
}

extension TriangleMesh {
    /// Returns the positions of a triangle's corners.
    @inlinable package func corners(_ triangle: Int) -> (Vector3, Vector3, Vector3) {
        let t = triangles[triangle]
        return (positions[Int(t.x)], positions[Int(t.y)], positions[Int(t.z)])
    }

    /// Returns a triangle's outward normal, whose length is twice its area.
    @inlinable package func areaVector(_ triangle: Int) -> Vector3 {
        let (a, b, c) = corners(triangle)
        return cross(b - a, c - a)
    }

    /// The bounding box of the vertices in use.
    package var bounds: BoundingBox {
        var box = BoundingBox.empty
        for t in triangles { for index in 0..<3 { box.formUnion(positions[Int(t[index])]) } }
        return box
    }

    /// The total area of the triangles.
    package var area: Double { triangles.indices.reduce(0) { $0 + Double(length(areaVector($1))) / 2 } }

    /// The enclosed volume of a closed mesh; positive if the normals point outward.
    package var volume: Double {
        let center = bounds.center
        return triangles.indices.reduce(0) {
            let (a, b, c) = corners($1)
            return $0 + Double(dot(a - center, cross(b - center, c - center))) / 6
        }
    }

    /// Returns unit vertex normals: the area-weighted mean of the adjacent triangles; zero for unused vertices.
    package func vertexNormals() -> [Vector3] {
        var normals = [Vector3](repeating: .zero, count: positions.count)
        for index in triangles.indices {
            let (t, normal) = (triangles[index], areaVector(index))
            for corner in 0..<3 { normals[Int(t[corner])] += normal }
        }
        for index in normals.indices { normals[index] = normalize(normals[index]) }
        return normals
    }

    /// Returns the connected component of each triangle, numbered in the order of their first triangles; shared vertices connect triangles.
    package func components() -> (componentOfTriangle: [Int], count: Int) {
        var roots = positions.indices.map { UInt32($0) }
        func root(_ vertex: UInt32) -> UInt32 {
            var vertex = vertex
            while roots[Int(vertex)] != vertex {
                roots[Int(vertex)] = roots[Int(roots[Int(vertex)])]
                vertex = roots[Int(vertex)]
            }
            return vertex
        }
        for t in triangles {
            for (a, b) in [(t.x, t.y), (t.y, t.z)] {
                let (low, high) = (min(root(a), root(b)), max(root(a), root(b)))
                roots[Int(high)] = low
            }
        }
        var numbers = [Int](repeating: -1, count: positions.count)
        var count = 0
        let components = triangles.map { t in
            let root = Int(root(t.x))
            if numbers[root] < 0 {
                numbers[root] = count
                count += 1
            }
            return numbers[root]
        }
        return (components, count)
    }

    /// Returns the mesh of the triangles for which `isKept` is true, without unused vertices, in the same order.
    package func filtered(_ isKept: (Int) -> Bool) -> TriangleMesh {
        TriangleMesh(positions: positions, triangles: triangles.indices.filter(isKept).map { triangles[$0] }).compacted()
    }

    /// Returns the mesh without unused vertices, in the same order.
    package func compacted() -> TriangleMesh {
        var isUsed = [Bool](repeating: false, count: positions.count)
        for t in triangles { (isUsed[Int(t.x)], isUsed[Int(t.y)], isUsed[Int(t.z)]) = (true, true, true) }
        var result = TriangleMesh()
        var numbers = [UInt32](repeating: 0, count: positions.count)
        for index in positions.indices where isUsed[index] {
            numbers[index] = UInt32(result.positions.count)
            result.positions.append(positions[index])
        }
        result.triangles = triangles.map { SIMD3(numbers[Int($0.x)], numbers[Int($0.y)], numbers[Int($0.z)]) }
        return result
    }

    /// Returns a bounding volume hierarchy for ray casting.
    package func hierarchy() -> TriangleHierarchy {
        TriangleHierarchy(
            positions: positions.flatMap { [$0.x, $0.y, $0.z] }, indices: triangles.flatMap { [$0.x, $0.y, $0.z] })
    }
}
