import VitrineGeometry

extension Geometry {
    /// Calls `body` with the index and the three vertices of every triangle, counter-clockwise, strips and fans unrolled. Triangle
    /// indices count a strip's or fan's degenerate triangles too.
    func forEachTriangle(_ body: (_ triangle: Int, _ a: Int, _ b: Int, _ c: Int) -> Void) {
        for triangle in 0..<triangleCount {
            let (a, b, c) = corners(ofTriangle: triangle)
            body(triangle, a, b, c)
        }
    }

    /// The vertices of a triangle (0 ..< `triangleCount`), counter-clockwise.
    public func corners(ofTriangle triangle: Int) -> (Int, Int, Int) {
        switch topology {
        case .triangles: (vertex(3 * triangle), vertex(3 * triangle + 1), vertex(3 * triangle + 2))
        case .triangleStrip:
            // Every other triangle of a strip has reversed winding.
            (vertex(triangle), vertex(triangle + 1 + triangle % 2), vertex(triangle + 2 - triangle % 2))
        case .triangleFan: (vertex(triangle + 1), vertex(triangle + 2), vertex(0))
        case .points, .lines, .lineLoop, .lineStrip: preconditionFailure("no triangles")
        }
    }

    private func vertex(_ element: Int) -> Int { indices.map { Int($0[element]) } ?? element }

    /// The vertices of all triangles, three each: strips and fans unrolled. Empty for points and lines.
    public var triangleIndices: [UInt32] {
        if topology == .triangles, let indices { return Array(indices[..<(triangleCount * 3)]) }
        var result: [UInt32] = []
        result.reserveCapacity(triangleCount * 3)
        forEachTriangle { _, a, b, c in
            result.append(UInt32(a))
            result.append(UInt32(b))
            result.append(UInt32(c))
        }
        return result
    }

    /// Returns the same triangles with other vertices: vertex i is a copy of this geometry's vertex `sources[i]`, with `replacement` in place of,
    /// or added to, its attributes.
    func rebuilt(vertices sources: [UInt32], indices: [UInt32]?, replacing replacement: VertexAttribute) throws(GeometryError) -> Geometry {
        let isUnchanged = sources.count == vertexCount && sources.indices.allSatisfy { Int(sources[$0]) == $0 }
        func gathered(_ values: [Float], _ componentCount: Int) -> [Float] {
            guard !isUnchanged, !values.isEmpty else { return values }
            var result: [Float] = []
            result.reserveCapacity(sources.count * componentCount)
            for source in sources {
                let base = Int(source) * componentCount
                result.append(contentsOf: values[base..<base + componentCount])
            }
            return result
        }
        var attributes: [VertexAttribute] = []
        for attribute in self.attributes where attribute.semantic != replacement.semantic {
            let values = gathered(attribute.values, attribute.componentCount)
            attributes.append(VertexAttribute(attribute.semantic, componentCount: attribute.componentCount, values: values))
        }
        attributes.append(replacement)
        let targets = morphTargets.map {
            MorphTarget(
                name: $0.name, positionOffsets: gathered($0.positionOffsets, 3), normalOffsets: gathered($0.normalOffsets, 3),
                tangentOffsets: gathered($0.tangentOffsets, 3))
        }
        return try Geometry(topology: .triangles, attributes: attributes, indices: indices, morphTargets: targets)
    }
}

/// Reads packed vertex data as vectors.
extension VertexAttribute {
    func vector2(at vertex: Int) -> Vector2 { Vector2(values[vertex * componentCount], values[vertex * componentCount + 1]) }

    func vector3(at vertex: Int) -> Vector3 {
        let base = vertex * componentCount
        return Vector3(values[base], values[base + 1], values[base + 2])
    }
}
