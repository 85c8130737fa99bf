import VitrineGeometry

/// Bakes ambient occlusion by direction, which is stored with the vertices.
///
/// Environment lighting ignores occluders: a crevice reflects the sky as a summit does. The bake casts rays from every vertex
/// and stores the blocked directions as nine numbers per vertex (`VertexSemantic.occlusionHarmonics`),
/// which the renderer evaluates along the normal for diffuse light and along the reflected direction for specular light.
///
/// ```swift
/// let bake = OcclusionBake(scene)
/// bake.apply(bake.jobs.map { $0.run() })     // or each job on a thread of its own: jobs are Sendable
/// ```
///
/// A mesh of one node is occluded by all static meshes; one that is shared, or that clips or skins move, only by itself, so that
/// the result is valid in any pose. Skinned and morphed meshes stay unchanged, as do meshes without normals. For triangles that are
/// large compared to the scene (a table of two triangles), vertices are too sparse, and the effect fades out.
///
/// Cost: about a hundred rays a vertex. Blended and masked surfaces block nothing.
public final class OcclusionBake {
    /// Quality and limits of a bake.
    public struct Options: Equatable, Sendable {
        /// Directions over the whole sphere; about half of them lie above a vertex's surface and are traced. 16…1024, default 128.
        public var directionCount = 128
        /// Scenes with more triangles stay unchanged. Default: two million.
        public var maximumTriangleCount = 2_000_000

        /// Makes the default options.
        public init() {}
    }

    /// Some vertices of one geometry, independent of other jobs, so that jobs can run in parallel.
    public struct Job: Sendable {
        let part: Int
        let geometry: Geometry
        let vertices: Range<Int>
        let occluders: TriangleHierarchy
        let occludersFromLocal: Matrix4
        /// The distance by which rays start above the surface, in the occluders' frame.
        let lift: Float
        /// By what each vertex of the geometry is weighted; all jobs of a geometry share it.
        let fading: [Float]
        let directions: [Vector3]
    }

    private struct Target {
        let mesh: Mesh
        let part: Int
        let geometry: Geometry
    }

    /// Independent pieces of work, in the order that `apply` wants their results.
    public let jobs: [Job]
    private let targets: [Target]

    /// Plans the work for the scene in its current pose.
    public init(_ scene: Scene, options: Options = Options()) {
        var planner = OcclusionPlanner(scene, options: options)
        planner.plan()
        jobs = planner.jobs
        targets = planner.targets.map { Target(mesh: $0.mesh, part: $0.part, geometry: $0.geometry) }
    }

    /// Adds the occlusion to the meshes. Meshes that have changed since stay unchanged.
    ///
    /// - Parameter results: The results of `run()`, job by job.
    public func apply(_ results: [[Float]]) {
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
    /// This geometry with nine occlusion coefficients a vertex; nil when `values` has another length.
    public func withOcclusion(_ values: [Float]) -> Geometry? {
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
