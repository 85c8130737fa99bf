import CMeshOptimizer
import VitrineScene

/// Properties of the nodes and materials that use a geometry.
struct GeometryUse {
    var isSkinned = false
    /// Whether a transparent material uses the geometry, so that the order of triangles affects the image.
    var isTransparent = false
}

/// Replaces geometries in all parts that use them.
enum GeometryCleanup {
    /// Calls `change` once for each geometry of triangles.
    static func forEachGeometry(_ scene: Scene, _ change: (Geometry, GeometryUse) -> Geometry) {
        var uses: [ObjectIdentifier: GeometryUse] = [:]
        var meshes: [Mesh] = []
        var seen: Set<ObjectIdentifier> = []
        for node in scene.visibleNodes {
            guard let mesh = node.mesh else { continue }
            if seen.insert(ObjectIdentifier(mesh)).inserted { meshes.append(mesh) }
            for part in mesh.parts {
                var use = uses[ObjectIdentifier(part.geometry)] ?? GeometryUse()
                if node.skin != nil { use.isSkinned = true }
                if part.allMaterials.contains(where: { $0.alphaMode == .blend }) { use.isTransparent = true }
                uses[ObjectIdentifier(part.geometry)] = use
            }
        }
        // The originals are retained until the end, so that no new geometry gets the address of an old one.
        var originals: [Geometry] = []
        var made: [ObjectIdentifier: Geometry] = [:]
        for mesh in meshes {
            var (parts, isChanged) = (mesh.parts, false)
            for index in parts.indices where parts[index].geometry.triangleCount > 0 {
                let geometry = parts[index].geometry
                let id = ObjectIdentifier(geometry)
                if made[id] == nil {
                    originals.append(geometry)
                    made[id] = change(geometry, uses[id] ?? GeometryUse())
                }
                guard let changed = made[id], changed !== geometry else { continue }
                parts[index].geometry = changed
                isChanged = true
            }
            if isChanged { mesh.parts = parts }
        }
    }

    // MARK: Weld

    /// Merges equal vertices.
    ///
    /// - Returns: A summary for the report.
    static func weld(_ scene: Scene) -> String {
        var removed = (vertices: 0, triangles: 0)
        forEachGeometry(scene) { geometry, _ in
            let welded = geometry.welded()
            removed.vertices += geometry.vertexCount - welded.vertexCount
            removed.triangles += geometry.triangleCount - welded.triangleCount
            return welded
        }
        return OptimizeText.list([(removed.vertices, "vertex"), (removed.triangles, "degenerate triangle")], verb: "removed")
    }

    // MARK: Reorder

    /// Orders triangles and vertices for caches.
    ///
    /// - Returns: A summary for the report.
    static func reorder(_ scene: Scene) -> String {
        var count = 0
        forEachGeometry(scene) { geometry, use in
            guard !use.isTransparent, geometry.indices != nil else { return geometry }
            count += 1
            return geometry.reordered()
        }
        return count > 0 ? "ordered " + OptimizeText.plural(count, "geometry") : ""
    }
}

extension Geometry {
    /// The streams of a vertex's values, including those of morph targets, with their widths.
    private var streams: [(values: [Float], width: Int)] {
        attributes.map { ($0.values, $0.componentCount) }
            + morphTargets.flatMap { [($0.positionOffsets, 3), ($0.normalOffsets, 3), ($0.tangentOffsets, 3)] }.filter { !$0.0.isEmpty }
    }

    /// Returns indexed triangles with distinct vertices, all of which are used; triangles without area in the index buffer are removed.
    func welded() -> Geometry {
        let corners = triangleIndices
        guard !corners.isEmpty, vertexCount > 0 else { return self }
        // meshoptimizer compares rows of at most 256 bytes: longer vertices are compared in pieces, each with the number of the previous piece.
        let columns = streams
        var numbers: [UInt32] = []
        var (first, count) = (0, 0)
        while first < columns.count {
            var (last, width) = (first, numbers.isEmpty ? 0 : 1)
            while last < columns.count, last == first || width + columns[last].width <= 64 {
                width += columns[last].width
                last += 1
            }
            let rows = Self.rows(columns[first..<last], numbers: numbers, vertexCount: vertexCount, width: width)
            var remap = [UInt32](repeating: 0, count: vertexCount)
            count = meshopt_generateVertexRemap(&remap, corners, corners.count, rows, vertexCount, width * 4)
            numbers = remap
            first = last
        }
        var sources = [UInt32](repeating: 0, count: count)
        for (vertex, number) in numbers.enumerated().reversed() where number != UInt32.max { sources[Int(number)] = UInt32(vertex) }
        var kept: [UInt32] = []
        kept.reserveCapacity(corners.count)
        for start in Swift.stride(from: 0, to: corners.count - 2, by: 3) {
            let (a, b, c) = (numbers[Int(corners[start])], numbers[Int(corners[start + 1])], numbers[Int(corners[start + 2])])
            guard a != b, b != c, c != a else { continue }
            kept.append(a)
            kept.append(b)
            kept.append(c)
        }
        // A geometry with only degenerate triangles stays unchanged.
        guard !kept.isEmpty else { return self }
        // If all vertices are distinct, indices would only add bytes.
        if count == vertexCount, topology == .triangles, kept.count == elementCount { return self }
        return gathering(sources, indices: kept)
    }

    private static func rows(
        _ columns: ArraySlice<(values: [Float], width: Int)>, numbers: [UInt32], vertexCount: Int, width: Int
    ) -> [UInt32] {
        var rows = [UInt32](repeating: 0, count: vertexCount * width)
        var offset = 0
        if !numbers.isEmpty {
            for vertex in 0..<vertexCount { rows[vertex * width] = numbers[vertex] }
            offset = 1
        }
        rows.withUnsafeMutableBufferPointer { rows in
            for column in columns {
                column.values.withUnsafeBufferPointer { values in
                    for vertex in 0..<vertexCount {
                        for component in 0..<column.width {
                            // −0 equals 0.
                            rows[vertex * width + offset + component] = (values[vertex * column.width + component] + 0).bitPattern
                        }
                    }
                }
                offset += column.width
            }
        }
        return rows
    }

    /// Returns the geometry whose vertex i is vertex `sources[i]` of this one.
    func gathering(_ sources: [UInt32], indices: [UInt32]) -> Geometry {
        func gathered(_ values: [Float], _ width: Int) -> [Float] {
            guard !values.isEmpty else { return [] }
            return [Float](unsafeUninitializedCapacity: sources.count * width) { buffer, count in
                values.withUnsafeBufferPointer { values in
                    for (index, source) in sources.enumerated() {
                        for component in 0..<width { buffer[index * width + component] = values[Int(source) * width + component] }
                    }
                }
                count = sources.count * width
            }
        }
        let made = try? Geometry(
            topology: .triangles,
            attributes: attributes.map {
                VertexAttribute($0.semantic, componentCount: $0.componentCount, values: gathered($0.values, $0.componentCount))
            }, indices: indices,
            morphTargets: morphTargets.map {
                MorphTarget(
                    name: $0.name, positionOffsets: gathered($0.positionOffsets, 3), normalOffsets: gathered($0.normalOffsets, 3),
                    tangentOffsets: gathered($0.tangentOffsets, 3))
            })
        return made ?? self
    }

    /// Returns the same triangles in the best order for a GPU's vertex cache, with vertices in the order of their first use.
    func reordered() -> Geometry {
        let corners = triangleIndices
        guard !corners.isEmpty else { return self }
        var cached = [UInt32](repeating: 0, count: corners.count)
        meshopt_optimizeVertexCache(&cached, corners, corners.count, vertexCount)
        return usingOnly(cached)
    }

    /// Returns other triangles of the same vertices, with vertices in the order of their first use and without unused ones.
    func usingOnly(_ corners: [UInt32]) -> Geometry {
        var remap = [UInt32](repeating: 0, count: vertexCount)
        let count = meshopt_optimizeVertexFetchRemap(&remap, corners, corners.count, vertexCount)
        var sources = [UInt32](repeating: 0, count: count)
        for (vertex, number) in remap.enumerated() where number != UInt32.max { sources[Int(number)] = UInt32(vertex) }
        return gathering(sources, indices: corners.map { remap[Int($0)] })
    }
}
