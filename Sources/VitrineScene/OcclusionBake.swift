import VitrineGeometry

/// Bakes directional ambient occlusion into vertices.
///
/// Environment lighting ignores occluders: a crevice would reflect as much sky as a summit. The bake casts rays from every vertex and stores the
/// blocked directions as nine coefficients per vertex (`VertexSemantic.occlusionHarmonics`). The renderer evaluates them along the normal for
/// diffuse light and along the reflected direction for specular light.
///
/// ```
/// let bake = OcclusionBake(scene)
/// bake.apply(bake.jobs.map { $0.run() })     // or each job on its own thread: jobs are Sendable
/// ```
///
/// A mesh of one node is occluded by all static meshes. A mesh that is shared, or that clips or skins move, is occluded only by itself, so that the
/// result is valid in any pose. Skinned and morphed meshes stay unchanged, as do meshes without normals. The effect fades out on triangles that
/// are large compared to the scene (a table of two triangles), because their vertices are too sparse.
///
/// Cost: about a hundred rays per vertex. Blended and masked surfaces block no light.
package final class OcclusionBake {
    /// Quality and limits of a bake.
    package struct Options: Equatable, Sendable {
        /// The number of directions over the whole sphere; about half of them are above a vertex's surface and are traced. 16…1024.
        package var directionCount: Int
        /// The largest number of triangles of a scene that is baked; larger scenes stay unchanged.
        package var maximumTriangleCount: Int

        package init(directionCount: Int = 128, maximumTriangleCount: Int = 2_000_000) {
            (self.directionCount, self.maximumTriangleCount) = (directionCount, maximumTriangleCount)
        }
    }

    /// The bake of some vertices of one geometry, independent of other jobs, so that jobs can run in parallel.
    package struct Job: Sendable {
        let part: Int
        let geometry: Geometry
        let vertices: Range<Int>
        let occluders: WideHierarchy
        let occludersFromLocal: Matrix4
        /// The distance by which rays start above the surface, in the occluders' frame.
        let lift: Float
        /// The weights of the geometry's vertices; all jobs of a geometry share them.
        let fading: [Float]
        let directions: [Vector3]
    }

    private struct Target {
        let mesh: Mesh
        let part: Int
        let geometry: Geometry
    }

    /// The independent jobs; `apply` needs their results in this order.
    package let jobs: [Job]
    private let targets: [Target]

    /// Plans the jobs for the scene in its current pose.
    package init(_ scene: Scene, options: Options = Options()) {
        var planner = OcclusionPlanner(scene, options: options)
        planner.plan()
        jobs = planner.jobs
        targets = planner.targets.map { Target(mesh: $0.mesh, part: $0.part, geometry: $0.geometry) }
    }

    /// Adds the occlusion to the meshes. Meshes that have changed since the bake was planned stay unchanged.
    ///
    /// - Parameter results: The results of `run()`, job by job.
    package func apply(_ results: [[Float]]) {
        var values = [[Float]](repeating: [], count: targets.count)
        for (job, result) in zip(jobs, results) { values[job.part].append(contentsOf: result) }
        for (number, target) in targets.enumerated() {
            guard target.part < target.mesh.parts.count, target.mesh.parts[target.part].geometry === target.geometry else { continue }
            guard let occluded = target.geometry.withOcclusion(values[number]) else { continue }
            target.mesh.parts[target.part].geometry = occluded
        }
    }
}

extension Geometry {
    /// Returns this geometry with nine occlusion coefficients per vertex; nil if `values` has another length.
    package func withOcclusion(_ values: [Float]) -> Geometry? {
        guard values.count == vertexCount * OcclusionHarmonics.count else { return nil }
        var attributes = self.attributes.filter { $0.semantic != .occlusionHarmonics }
        attributes.append(VertexAttribute(.occlusionHarmonics, componentCount: OcclusionHarmonics.count, values: values))
        do throws(GeometryError) {
            return try Geometry(topology: topology, attributes: attributes, indices: indices, morphTargets: morphTargets)
        } catch {
            return nil
        }
    }
}

extension OcclusionBake.Job {
    /// Computes nine coefficients for each of the job's vertices, in the geometry's local frame. The result does not depend on the number of threads.
    package func run() -> [Float] {
        guard let positions = geometry.attribute(.position)?.values, let normals = geometry.attribute(.normal)?.values else { return [] }
        var result: [Float] = []
        result.reserveCapacity(vertices.count * OcclusionHarmonics.count)
        let stack = TraversalStack()
        defer { stack.deallocate() }
        // What blocks a direction often blocks it for the next vertex too.
        var blockers = [WideHierarchy.Blocker](repeating: WideHierarchy.Blocker(), count: directions.count)
        for vertex in vertices {
            let base = vertex * 3
            let position = Vector3(positions[base], positions[base + 1], positions[base + 2])
            let normal = normalize(Vector3(normals[base], normals[base + 1], normals[base + 2]))
            let (eight, ninth) = occlusion(at: position, normal, stack, &blockers)
            let weight = fading[vertex]
            for index in 0..<8 { result.append(eight[index] * weight) }
            result.append(ninth * weight)
        }
        return result
    }

    /// Projects the blocked directions onto the harmonics.
    ///
    /// The directions below the surface have no meaning: the upper half is mirrored, so that a plane and a ball have no occlusion in any direction, and
    /// the surface itself does not darken reflections at grazing angles.
    private func occlusion(
        at position: Vector3, _ normal: Vector3, _ stack: TraversalStack, _ blockers: inout [WideHierarchy.Blocker]
    ) -> (SIMD8<Float>, Float) {
        var sum = (SIMD8<Float>(repeating: 0), Float(0))
        guard position.isFinite, normal != Vector3(repeating: 0) else { return sum }
        let linear = occludersFromLocal.linear
        let normalInOccluders = normalize(linear.cofactor * normal) * (linear.determinant < 0 ? -1 : 1)
        let origin = occludersFromLocal.transform(point: position) + normalInOccluders * lift
        for (index, direction) in directions.enumerated() {
            let height = dot(direction, normal)
            guard height > 0.01 else { continue }
            let ray = TraversalRay(origin: origin, direction: linear * direction)
            guard occluders.isMet(by: ray, stack: stack, last: &blockers[index]) else { continue }
            let upper = OcclusionHarmonics.basis(direction)
            let lower = OcclusionHarmonics.basis(direction - 2 * height * normal)
            sum.0 += upper.0 + lower.0
            sum.1 += upper.1 + lower.1
        }
        let share = 4 * Float.pi / Float(directions.count)
        return (sum.0 * share, sum.1 * share)
    }
}
