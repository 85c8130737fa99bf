import VitrineGeometry

/// Selects the meshes that an `OcclusionBake` bakes, and their occluders.
struct OcclusionPlanner {
    private static let verticesPerJob = 1024

    private let scene: Scene
    private let options: OcclusionBake.Options
    private(set) var jobs: [OcclusionBake.Job] = []
    private(set) var targets: [(mesh: Mesh, part: Int, geometry: Geometry)] = []

    init(_ scene: Scene, options: OcclusionBake.Options) { (self.scene, self.options) = (scene, options) }

    /// A node with a mesh.
    private struct Shown {
        let node: Node
        let mesh: Mesh
        /// Whether the node does not move and is the only one with its mesh.
        var isFixed: Bool
    }

    mutating func plan() {
        scene.update()
        let shown = findShown()
        let triangles = shown.reduce(0) { $0 + $1.mesh.triangleCount }
        guard triangles > 0, triangles <= options.maximumTriangleCount else { return }
        let fixed = WideHierarchy.of(shown.filter { $0.isFixed }.map { ($0.mesh, $0.node.worldTransform) })
        let directions = Self.directions(min(max(options.directionCount, 16), 1024))
        var planned: Set<ObjectIdentifier> = []
        for entry in shown {
            guard entry.node.skin == nil, entry.mesh.morphTargetCount == 0 else { continue }
            guard planned.insert(ObjectIdentifier(entry.mesh)).inserted else { continue }
            if entry.isFixed {
                plan(entry.mesh, occluders: fixed, occludersFromLocal: entry.node.worldTransform, directions)
            } else {
                plan(entry.mesh, occluders: .of([(entry.mesh, .identity)]), occludersFromLocal: .identity, directions)
            }
        }
    }

    private mutating func plan(_ mesh: Mesh, occluders: WideHierarchy, occludersFromLocal: Matrix4, _ directions: [Vector3]) {
        let radius = occluders.bounds.radius
        guard radius > 0, radius.isFinite else { return }
        for (number, part) in mesh.parts.enumerated() {
            let geometry = part.geometry
            guard geometry.triangleCount > 0, geometry.attribute(.normal) != nil, part.material.lightingModel == .physicallyBased else {
                continue
            }
            let fading = Self.fading(geometry, occludersFromLocal, fineEdge: radius * 0.2, coarseEdge: radius * 0.6)
            for first in stride(from: 0, to: geometry.vertexCount, by: Self.verticesPerJob) {
                jobs.append(
                    OcclusionBake.Job(
                        part: targets.count, geometry: geometry, vertices: first..<min(first + Self.verticesPerJob, geometry.vertexCount),
                        occluders: occluders, occludersFromLocal: occludersFromLocal, lift: radius * 1e-2, fading: fading,
                        directions: directions))
            }
            targets.append((mesh, number, geometry))
        }
    }

    private func findShown() -> [Shown] {
        var movers: Set<ObjectIdentifier> = []
        for clip in scene.animations { for track in clip.tracks { movers.insert(ObjectIdentifier(track.node)) } }
        var counts: [ObjectIdentifier: Int] = [:]
        var shown: [Shown] = []
        scene.rootNode.forSubtree { node in
            // Parents come first: the children of a moving node move.
            if let parent = node.parent, movers.contains(ObjectIdentifier(parent)) { movers.insert(ObjectIdentifier(node)) }
            guard let mesh = node.mesh else { return }
            counts[ObjectIdentifier(mesh), default: 0] += 1
            let isDeformed = node.skin != nil || mesh.morphTargetCount > 0
            shown.append(Shown(node: node, mesh: mesh, isFixed: !isDeformed && !movers.contains(ObjectIdentifier(node))))
        }
        for index in shown.indices where counts[ObjectIdentifier(shown[index].mesh)] != 1 { shown[index].isFixed = false }
        return shown
    }

    /// Returns the weight of each vertex for the triangles around it: 1 where their edges are short, 0 where one is long. Lengths are in the
    /// occluders' frame.
    private static func fading(_ geometry: Geometry, _ occludersFromLocal: Matrix4, fineEdge: Float, coarseEdge: Float) -> [Float] {
        guard let positions = geometry.attribute(.position) else { return [] }
        let points = (0..<geometry.vertexCount).map { occludersFromLocal.transform(point: positions.vector3(at: $0)) }
        var longest = [Float](repeating: 0, count: points.count)
        geometry.forEachTriangle { _, a, b, c in
            let length = max(distance(points[a], points[b]), max(distance(points[b], points[c]), distance(points[c], points[a])))
            longest[a] = max(longest[a], length)
            longest[b] = max(longest[b], length)
            longest[c] = max(longest[c], length)
        }
        return longest.map { 1 - smoothstep(fineEdge, coarseEdge, $0) }
    }

    /// Returns points distributed uniformly over the sphere (Fibonacci lattice).
    private static func directions(_ count: Int) -> [Vector3] {
        let golden = Float.pi * (3 - Float(5).squareRoot())
        return (0..<count).map { index in
            let y = 1 - (Float(index) + 0.5) * 2 / Float(count)
            let radius = max(0, 1 - y * y).squareRoot()
            let angle = golden * Float(index)
            return Vector3(radius * cos(angle), y, radius * sin(angle))
        }
    }
}

extension WideHierarchy {
    /// Returns the hierarchy of the opaque triangles of meshes, each transformed by a matrix.
    fileprivate static func of(_ placed: [(Mesh, Matrix4)]) -> WideHierarchy {
        var points: [Vector3] = []
        var indices: [UInt32] = []
        for (mesh, matrix) in placed {
            for part in mesh.parts where part.material.alphaMode == .opaque {
                guard let values = part.geometry.attribute(.position)?.values else { continue }
                let first = UInt32(points.count)
                for base in stride(from: 0, to: values.count - 2, by: 3) {
                    points.append(matrix.transform(point: Vector3(values[base], values[base + 1], values[base + 2])))
                }
                for index in part.geometry.triangleIndices { indices.append(first + index) }
            }
        }
        return WideHierarchy(
            count: indices.count / 3,
            corners: { (points[Int(indices[3 * $0])], points[Int(indices[3 * $0 + 1])], points[Int(indices[3 * $0 + 2])]) })
    }
}
